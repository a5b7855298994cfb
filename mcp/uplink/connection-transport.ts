/** The other end of connection-server.ts: one standing connection for all requests of this process. */
import type { Duplex } from 'node:stream';
import { readLines } from '../protocol/line-reader.ts';
import { createLineWriter } from '../protocol/line-writer.ts';
import { idOfLongLine } from '../protocol/long-line.ts';
import {
  replyOf,
  SILENCE_MS,
  reportProgress,
  type RequestOptions,
  type Transport,
  type TransportReply,
  type RpcMessage,
  type ServerAddress,
} from './transport.ts';
import { LINE_PROTOCOL } from './upgrade.ts';

/** A proxy that does not accept the upgrade within this time lets only plain requests through. */
const ANSWER_MS = 10_000;
/** The server writes a result between these texts, so that it can be cut out of the line without being parsed. */
const BEFORE_RESULT = '{"result":';
const AFTER_RESULT = ',"jsonrpc":"2.0","id":';

/**
 * Opens a standing connection; undefined where the server or a proxy takes none. Rejects where nobody answers. `onClosed` runs when the
 * connection has ended.
 */
export async function openConnection(
  { url, headers, trust }: ServerAddress,
  onClosed: () => void,
): Promise<Transport | undefined> {
  const { request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  return new Promise((resolve, reject) => {
    const upgrade = { ...headers, connection: 'Upgrade', upgrade: LINE_PROTOCOL };
    const outgoing = request(url, { ...trust, headers: upgrade, agent: false, timeout: ANSWER_MS });
    const giveUp = (): void => {
      resolve(undefined);
      outgoing.destroy();
    };
    outgoing.once('upgrade', ({ socket }, _socket, head) => {
      socket.setTimeout(SILENCE_MS).setNoDelay(true);
      if (head.length > 0) socket.unshift(head);
      resolve(transportOver(socket, onClosed));
    });
    outgoing.once('response', giveUp).once('timeout', giveUp).on('error', reject).end();
  });
}

interface Pending extends RequestOptions {
  resolve(reply: TransportReply): void;
  reject(error: Error): void;
}

function transportOver(socket: Duplex, onClosed: () => void): Transport {
  const pending = new Map<number, Pending>();
  let lastId = 0;
  let isOpen = true;
  const write = createLineWriter(socket);
  const settle = (id: number, reply: TransportReply): void => {
    pending.get(id)?.resolve(reply);
    pending.delete(id);
  };
  const end = (): void => {
    isOpen = false;
    onClosed();
    for (const { reject } of pending.values()) reject(new Error('The connection ended before the answer.'));
    pending.clear();
  };
  // A server that reads no more closes the connection too, and the close rejects each request.
  const send = (message: object): void => void write(JSON.stringify(message)).catch(() => undefined);

  function take(line: string): void {
    const at = line.startsWith(BEFORE_RESULT) ? line.lastIndexOf(AFTER_RESULT) : -1;
    if (at < 0) return takeMessage(JSON.parse(line) as RpcMessage);
    const id = Number(line.slice(at + AFTER_RESULT.length, -1));
    settle(id, { result: line.slice(BEFORE_RESULT.length, at) });
  }

  function takeMessage(message: RpcMessage): void {
    const { method, params, id } = message;
    if (method === 'notifications/progress')
      reportProgress(message, pending.get(Number(params?.progressToken))?.progress);
    else settle(Number(id), replyOf(message));
  }

  /** No answer of ours is as long, so its content is not known. */
  const skip = (begin: string, end: string): void =>
    settle(Number(idOfLongLine(begin, end)), { error: { message: 'The answer was too long to be read.' } });

  readLines(socket, { take, skip });
  // The close event that follows an error rejects each request.
  socket.once('close', end).on('error', () => undefined);
  // The other side ends the connection when nothing more will come.
  socket.once('end', () => socket.destroy());
  socket.on('timeout', () => {
    if (pending.size > 0) socket.destroy();
  });

  return {
    request: ({ method, params }, { signal, progress }) =>
      new Promise((resolve, reject) => {
        if (!isOpen) return reject(new Error('The connection has ended.'));
        const id = (lastId += 1);
        pending.set(id, { resolve, reject, progress });
        // Two requests may have the same progress token, but not the same id.
        const meta = progress && { _meta: { ...(params['_meta'] as object | undefined), progressToken: id } };
        send({ jsonrpc: '2.0', id, method, params: { ...params, ...meta } });
        const cancel = (): void => {
          send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
          pending.delete(id);
          reject(new Error('The request was cancelled.'));
        };
        signal?.addEventListener('abort', cancel, { once: true });
      }),
  };
}
