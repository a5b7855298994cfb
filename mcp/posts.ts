/** MCP as the server takes it (Streamable HTTP): each message is a POST, and its answer a document or the end of a stream of events. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectionOptions } from 'node:tls';
import type { Dispatcher, Pool } from 'undici';
import type { ToolCall } from './calls/session.ts';
import { SESSION_HEADER, type RequestId } from './rpc.ts';

export interface PostsAddress {
  url: URL;
  headers: Readonly<Record<string, string>>;
  /** Certificates that a server over TLS is trusted by, beyond those that this machine trusts by itself. */
  trust?: Pick<ConnectionOptions, 'ca' | 'checkServerIdentity'> | undefined;
  /** Rejects with AppError when what listens there now must not get the token; it runs before each connection. */
  assertTrusted?: (() => Promise<void>) | undefined;
  /** Calls `giveUp` once nothing has been heard for a while, and the server does not even say whether it is ready. Left out: never. */
  watchSilence?: ((giveUp: (error: Error) => void) => SilenceWatch) | undefined;
}

export interface SilenceWatch {
  heard(): void;
  end(): void;
}

export interface PostedRequest {
  id: RequestId;
  method: string;
  params: Record<string, unknown>;
}

export interface PostOptions {
  signal?: AbortSignal | undefined;
  progress?: ToolCall['progress'];
}

/** The answer as it came, because most go on to the client as they are. */
export interface Posted {
  status: number;
  text: string;
}

export interface Posts {
  /** Rejects when the answer is cut off, and with SilentServer. */
  request(request: PostedRequest, options: PostOptions): Promise<Posted>;
  /** Nothing may follow; requests that are under way still end. */
  close(): void;
}

/** The server hangs, or is out of reach and no connection says so. */
export class SilentServer extends Error {}

/** Less than the server takes from one address. A client that asks more at once waits for the first answers. */
const MAX_CONNECTIONS = 128;
/** Cancellations have connections of their own, because calls that wait may hold all the others. */
const CANCEL_CONNECTIONS = 2;
/** A cancellation may be faster than its call, so that it is sent again while the call runs. */
const CANCEL_AGAIN_MS = 1000;

export async function openPosts(address: PostsAddress): Promise<Posts> {
  const { url, headers: own, watchSilence } = address;
  const calls = await openPool(address, MAX_CONNECTIONS);
  const cancellations = await openPool(address, CANCEL_CONNECTIONS);
  // The server finds the call of a cancellation by this id and the id of the request.
  const session = { [SESSION_HEADER]: crypto.randomUUID() };
  const types = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const headers = { ...own, ...session, ...types };
  const post = (pool: Pool, message: object, parts: AnswerParts = {}): Promise<Posted> => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    return new Promise((resolve, reject) => {
      const answer = { ...parts, resolve, reject };
      pool.dispatch({ path: url.pathname, method: 'POST', headers, body }, handlerFor(answer));
    });
  };

  async function cancel(requestId: RequestId, isRunning: () => boolean): Promise<void> {
    while (isRunning()) {
      // A server that is away has nothing to cancel.
      await post(cancellations, { method: 'notifications/cancelled', params: { requestId } }).catch(() => undefined);
      await sleep(CANCEL_AGAIN_MS, undefined, { ref: false });
    }
  }

  return {
    async request(request, { signal, progress }) {
      let isRunning = true;
      const onAbort = (): void => void cancel(request.id, () => isRunning);
      signal?.addEventListener('abort', onAbort, { once: true });
      try {
        return await post(calls, request, { watchSilence, progress });
      } finally {
        isRunning = false;
        signal?.removeEventListener('abort', onAbort);
      }
    },
    close() {
      for (const pool of [calls, cancellations]) pool.close().catch(() => undefined);
    },
  };
}

/** undici, because Node's own client takes twice its CPU. It is loaded with the first call: the greeting is answered without it. */
async function openPool({ url, trust, assertTrusted }: PostsAddress, connections: number): Promise<Pool> {
  // The bundle has the names of a CommonJS package in its default alone.
  const {
    default: { Pool, buildConnector },
  } = await import('undici');
  const connectTo = buildConnector({ ...trust });
  return new Pool(url.origin, {
    connections,
    // How long an answer is waited for, `watchSilence` decides.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect(options, done) {
      // Another program may have the port by now.
      Promise.resolve(assertTrusted?.()).then(
        () => connectTo(options, done),
        (error: Error) => done(error, null),
      );
    },
  });
}

interface AnswerParts {
  progress?: ToolCall['progress'];
  watchSilence?: PostsAddress['watchSilence'];
}

interface Answer extends AnswerParts {
  resolve(posted: Posted): void;
  reject(error: Error): void;
}

/** Reads by callbacks, because a stream costs a tenth of the call. */
function handlerFor({ resolve, reject, progress, watchSilence }: Answer): Dispatcher.DispatchHandlers {
  const chunks: Buffer[] = [];
  const posted: Posted = { status: 0, text: '' };
  let watch: SilenceWatch | undefined;
  let readEvents: ((chunk: Uint8Array) => void) | undefined;
  const takeEvent = (message: RpcMessage, text: string): void => {
    if (message.method === 'notifications/progress') reportProgress(message, progress);
    else if (message.id !== undefined) posted.text = text;
  };
  return {
    onConnect(abort) {
      watch?.end();
      watch = watchSilence?.((cause) => abort(new SilentServer('The server gives no sign of life.', { cause })));
    },
    onHeaders(status, fields) {
      posted.status = status;
      if (isStream(fields)) readEvents = eventReader(takeEvent);
      return true;
    },
    onData(chunk) {
      watch?.heard();
      if (readEvents === undefined) chunks.push(chunk);
      else readEvents(chunk);
      return true;
    },
    onComplete() {
      watch?.end();
      if (readEvents === undefined) posted.text = Buffer.concat(chunks).toString();
      resolve(posted);
    },
    onError(error) {
      watch?.end();
      reject(error);
    },
  };
}

function isStream(fields: readonly Buffer[]): boolean {
  const at = fields.findIndex((name, index) => index % 2 === 0 && name.toString().toLowerCase() === 'content-type');
  return at >= 0 && String(fields[at + 1]).startsWith('text/event-stream');
}

/** A message from the server. */
interface RpcMessage {
  id?: RequestId | null;
  method?: string;
  params?: { progress?: number; total?: number; message?: string };
}

function reportProgress({ params }: RpcMessage, progress: ToolCall['progress']): void {
  progress?.(params?.progress ?? 0, params?.total ?? 0, params?.message ?? '');
}

/** Reads the data of server-sent events (WHATWG HTML §9.2); our server writes each event as one line of JSON. */
export function eventReader<T>(take: (event: T, text: string) => void): (chunk: Uint8Array) => void {
  let rest = '';
  const decoder = new TextDecoder();
  return (chunk) => {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('data: ')) take(JSON.parse(line.slice(6)) as T, line.slice(6));
  };
}
