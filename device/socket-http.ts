/**
 * HTTP as agent, runner and control plane speak it, over a unix socket or a channel of one's own: short JSON calls, and streams of
 * one JSON value a line.
 */
import { Agent, request, type IncomingMessage, type RequestOptions } from 'node:http';
import { StringDecoder } from 'node:string_decoder';
import type { Duplex } from 'node:stream';

/** Path of a unix socket, or what opens a channel to another machine. */
export type Wire = string | (() => Duplex);

/** How a request without a kept connection gets there. */
export function overWire(wire: Wire): RequestOptions {
  // With createConnection and no agent, Node opens one connection for the one request.
  return typeof wire === 'string' ? { socketPath: wire, agent: false } : { createConnection: wire, host: 'device' };
}

/** Keeps connections for the next call. */
export function keptConnections(wire: Wire): Agent {
  const agent = new Agent({ keepAlive: true });
  return typeof wire === 'string' ? agent : Object.assign(agent, { createConnection: wire });
}

export interface SocketCall {
  socket: Wire;
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  body?: unknown;
  /** From the call to the last byte of the answer. */
  timeoutMs: number;
  /** Of `keptConnections` for the same wire. */
  agent?: Agent;
}

export interface SocketReply {
  status: number;
  /** Parsed JSON; null for an empty answer. */
  body: unknown;
}

/** Answers of these calls are small; more than this is no answer of ours. 10 000 Live streams report in about 20 MB. */
const MAX_REPLY_BYTES = 64 << 20;

export class SocketTimeout extends Error {}

/** One call. Rejects with SocketTimeout, or with the error of the connection (ENOENT, ECONNREFUSED, ECONNRESET …). */
export async function callSocket(call: SocketCall): Promise<SocketReply> {
  try {
    return await attempt(call);
  } catch (error) {
    // A kept connection may have been closed by the other side just before it was used again (RFC 9112 §9.3.1): once more, over one
    // of its own, for the others that were kept may be as old.
    const { agent: _kept, ...fresh } = call;
    if ((error as { staleConnection?: boolean }).staleConnection === true) return attempt(fresh);
    throw error;
  }
}

function attempt(call: SocketCall): Promise<SocketReply> {
  const { socket, method, path, timeoutMs, agent } = call;
  const body = call.body === undefined ? undefined : JSON.stringify(call.body);
  return new Promise((resolve, reject) => {
    const headers =
      body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const route = agent === undefined || typeof socket === 'string' ? overWire(socket) : {};
    const outgoing = request({ ...route, method, path, headers, ...(agent && { agent }) }, (reply) => {
      readBody(reply).then(resolve, reject);
    });
    const timer = setTimeout(() => outgoing.destroy(new SocketTimeout(`No answer within ${timeoutMs} ms.`)), timeoutMs);
    outgoing.once('close', () => clearTimeout(timer));
    outgoing.once('error', (error: NodeJS.ErrnoException) => {
      const broken = error.code === 'ECONNRESET' || error.code === 'EPIPE';
      reject(broken && outgoing.reusedSocket ? Object.assign(error, { staleConnection: true }) : error);
    });
    outgoing.end(body);
  });
}

/** Rejects when the answer is too long, cut off, or no JSON. */
export async function readBody(reply: IncomingMessage): Promise<SocketReply> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of reply as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    if ((size += chunk.length) > MAX_REPLY_BYTES) throw new Error('The answer is too long.');
  }
  const text = Buffer.concat(chunks).toString('utf8');
  return { status: reply.statusCode ?? 0, body: text === '' ? null : (JSON.parse(text) as unknown) };
}

export interface LineStream {
  socket: Wire;
  path: string;
  /** A stream that says nothing for so long is dead: its sender sends an empty line, or a report, every second. */
  silenceMs: number;
  onOpen?: () => void;
  /** Every line but the empty ones. */
  onLine: (line: string) => void;
  /** Once, when the stream is over or never came about; not after it was ended from here. */
  onClose: (reason: string) => void;
}

/** Longest line: a report of one run is a few KB. */
const MAX_LINE_CHARS = 4 << 20;

/** Follows a stream of lines; the answer ends it. */
export function followLines(stream: LineStream): () => void {
  let over = false;
  let rest = '';
  let silence: NodeJS.Timeout | undefined;
  const decoder = new StringDecoder('utf8');
  const outgoing = request({ ...overWire(stream.socket), method: 'GET', path: stream.path });

  const finish = (reason: string | undefined): void => {
    if (over) return;
    over = true;
    clearTimeout(silence);
    outgoing.destroy();
    if (reason !== undefined) stream.onClose(reason);
  };
  const heard = (): void => {
    clearTimeout(silence);
    silence = setTimeout(() => finish(`silent for ${stream.silenceMs} ms`), stream.silenceMs);
  };
  const take = (text: string): void => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '' && !over) stream.onLine(line);
    if (rest.length > MAX_LINE_CHARS) finish('line too long');
  };

  heard();
  outgoing.once('error', (error) => finish(error.message));
  outgoing.once('close', () => finish('closed'));
  outgoing.once('response', (reply) => {
    if (reply.statusCode !== 200) return finish(`answered ${reply.statusCode}`);
    heard();
    stream.onOpen?.();
    reply.on('data', (chunk: Buffer) => {
      if (over) return;
      heard();
      take(decoder.write(chunk));
    });
    reply.once('error', (error) => finish(error.message));
    reply.once('close', () => finish('closed'));
  });
  outgoing.end();
  return () => finish(undefined);
}

/** A line that should be JSON: undefined when it is not. */
export function parseLine(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}
