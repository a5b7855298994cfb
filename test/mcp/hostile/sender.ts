/** Sends requests as they are, many at once, and tells how long each took. */
import { Agent, request } from 'node:http';
import type { Answer } from './faults.ts';

export interface Shot {
  /** The oddity of the request. */
  kind: string;
  method: string;
  path: string;
  headers: Record<string, string | string[]>;
  body?: string | Buffer;
}

/** Longer than any answer on a machine with much else to do. */
const BOUND_MS = 120_000;
const STALE = new Error('the connection was closed before it was used again');

export interface Sender {
  send(shot: Shot): Promise<Answer>;
  /** Hangs up after so many milliseconds, whatever has come by then. */
  cut(shot: Shot, afterMs: number): Promise<void>;
  close(): void;
}

export function createSender(base: string): Sender {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  const { hostname, port } = new URL(base);
  const attempt = ({ method, path, headers, body }: Shot, by: Agent | false): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const begunMs = performance.now();
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
      const sent = request(
        { agent: by, hostname, port, method, path, headers: { ...length, ...headers } },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString();
            const ms = performance.now() - begunMs;
            resolve({ status: response.statusCode ?? 0, headers: response.headers, text, ms });
          });
        },
      );
      sent.setTimeout(BOUND_MS, () => sent.destroy(new Error(`no answer within ${BOUND_MS} ms`)));
      sent.on('error', (error: NodeJS.ErrnoException) =>
        reject(sent.reusedSocket && /^(?:ECONNRESET|EPIPE)$/u.test(error.code ?? '') ? STALE : error),
      );
      // Node's client listens no more between the end of an answer and the next request; a write may still fail then.
      sent.once('socket', (socket) => sent.reusedSocket || socket.on('error', () => undefined));
      sent.end(body);
    });
  return {
    close: () => agent.destroy(),
    cut: ({ method, path, headers, body }, afterMs) =>
      new Promise((resolve) => {
        const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
        const sent = request({ agent: false, hostname, port, method, path, headers: { ...length, ...headers } });
        sent.on('error', () => undefined);
        sent.on('close', resolve);
        sent.end(body);
        setTimeout(() => sent.destroy(), afterMs);
      }),
    // A kept connection may be closed just as it is used again (RFC 9112 §9.3.1). What the request itself brings about comes again.
    send: (shot) =>
      attempt(shot, agent).catch((error: unknown) =>
        error === STALE ? attempt(shot, false) : Promise.reject(error as Error),
      ),
  };
}

/** Runs `task` for every item, so many at a time. */
export async function crowd<T>(items: Iterable<T>, atOnce: number, task: (item: T) => Promise<void>): Promise<void> {
  const iterator = items[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    for (let next = iterator.next(); next.done !== true; next = iterator.next()) await task(next.value);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
