/**
 * HTTP between agent, runner and control plane, over a unix socket or an encrypted channel: short JSON calls, and streams of one JSON value
 * a line.
 */
import { Agent, request, type IncomingMessage, type RequestOptions } from 'node:http';
import { StringDecoder } from 'node:string_decoder';
import { AppError, type ErrorCode } from '../domain/base/errors.ts';
import { refusalAnswer } from '../domain/reported/answers.ts';
import type { Connection } from './stream-socket.ts';

/** The path of a unix socket, or a function that opens a channel to another machine. */
export type Wire = string | NetworkWire;

export interface NetworkWire {
  (): Connection;
  /** Headers of each call, as they are at that time. It may throw an AppError, which refuses the call. */
  headers?(): Record<string, string>;
}

/** Headers that every call over this wire carries. */
export function wireHeaders(wire: Wire): Record<string, string> {
  return typeof wire === 'string' ? {} : (wire.headers?.() ?? {});
}

/** Options for a request that has a connection of its own. */
export function overWire(wire: Wire): RequestOptions {
  // With createConnection and no agent, Node opens one connection for the one request.
  return typeof wire === 'string' ? { socketPath: wire, agent: false } : { createConnection: wire, host: 'device' };
}

/** An HTTP agent that keeps connections for the next call. */
export function keptConnections(wire: Wire): Agent {
  const agent = new Agent({ keepAlive: true });
  return typeof wire === 'string' ? agent : Object.assign(agent, { createConnection: wire });
}

export interface SocketCall {
  socket: Wire;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  body?: unknown;
  /** Milliseconds from the call to the last byte of the answer. */
  timeoutMs: number;
  /** The result of `keptConnections` for the same wire. */
  agent?: Agent;
}

export interface SocketReply {
  status: number;
  /** Parsed JSON; null for an empty answer. */
  body: unknown;
}

/** Answers of these calls are small: 10 000 Live streams report in about 20 MB, so a longer answer is not one of ours. */
const MAX_REPLY_BYTES = 64 << 20;

export class SocketTimeout extends Error {}

/** Makes one call. Rejects with SocketTimeout, or with the error of the connection (ENOENT, ECONNREFUSED, ECONNRESET …). */
export async function callSocket(call: SocketCall): Promise<SocketReply> {
  try {
    return await attempt(call);
  } catch (error) {
    // The other side may have closed a kept connection just before it was used again (RFC 9112 §9.3.1). The call is repeated over a
    // connection of its own, since other kept ones may be as old.
    const { agent: _kept, ...fresh } = call;
    if ((error as { staleConnection?: boolean }).staleConnection === true) return attempt(fresh);
    throw error;
  }
}

function attempt(call: SocketCall): Promise<SocketReply> {
  const { socket, method, path, timeoutMs, agent } = call;
  const body = call.body === undefined ? undefined : JSON.stringify(call.body);
  return new Promise((resolve, reject) => {
    const content =
      body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const headers = { ...wireHeaders(socket), ...content };
    const route = agent === undefined || typeof socket === 'string' ? overWire(socket) : {};
    const outgoing = request({ ...route, method, path, headers, ...(agent && { agent }) }, (reply) => {
      readBody(reply).then(resolve, reject);
    });
    const timer = setTimeout(() => outgoing.destroy(new SocketTimeout(`No answer within ${timeoutMs} ms.`)), timeoutMs);
    outgoing.once('close', () => clearTimeout(timer));
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      const broken = error.code === 'ECONNRESET' || error.code === 'EPIPE';
      reject(broken && outgoing.reusedSocket ? Object.assign(error, { staleConnection: true }) : error);
    });
    outgoing.end(body);
  });
}

/** Rejects when the answer is too long, cut off, or not JSON. */
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

/** Reasons that a Device can have to refuse. Another code, such as one about the caller's rights, is not its to say. */
const REFUSALS: ReadonlySet<string> = new Set<ErrorCode>([
  'internal',
  'invalid_input',
  'not_found',
  'conflict',
  'wrong_state',
  'stale_owner',
  'too_large',
  'rule_violated',
  'unsupported_by_device',
  'rate_limited',
  'upstream_failed',
  'no_capacity',
  'unavailable',
  'timeout',
]);

/** The error that an agent or a runner answered in place of a result. */
export function toAppError(body: unknown): AppError {
  const { code = '', detail, upstream, remedy, owner } = refusalAnswer(body);
  // An answer without a code of ours comes from something in between, or from another version.
  const known = REFUSALS.has(code) ? (code as ErrorCode) : 'upstream_failed';
  return new AppError(known, detail ?? 'The Device agent refused the call.', {
    ...(upstream !== undefined && { upstream }),
    ...(remedy !== undefined && { remedy }),
    ...(owner !== undefined && { facts: { owner } }),
  });
}

export interface LineStream {
  socket: Wire;
  path: string;
  /** A stream that is silent for so many milliseconds is dead: its sender sends an empty line, or a report, every second. */
  silenceMs: number;
  onOpen?: () => void;
  /** Receives every line but the empty ones. */
  onLine: (line: string) => void;
  /** It is called once, when the stream is over or never came about, and not after the follower ended it. */
  onClose: (reason: string) => void;
}

/** A report of one run has a few KB; a longer line than this is not one of ours. */
const MAX_LINE_CHARS = 4 << 20;
/** The reason of a stream that was ended over such a line. */
export const LINE_TOO_LONG = 'a line is too long';

/** Follows a stream of lines; the returned function ends it. */
export function followLines(stream: LineStream): () => void {
  let over = false;
  let rest = '';
  let silence: NodeJS.Timeout | undefined;
  const decoder = new StringDecoder('utf8');
  const headers = wireHeaders(stream.socket);
  const outgoing = request({ ...overWire(stream.socket), method: 'GET', path: stream.path, headers });

  const finish = (reason: string | undefined): void => {
    if (over) return;
    over = true;
    clearTimeout(silence);
    outgoing.destroy();
    if (reason !== undefined) stream.onClose(reason);
  };
  const resetSilence = (): void => {
    clearTimeout(silence);
    silence = setTimeout(() => finish(`silent for ${stream.silenceMs} ms`), stream.silenceMs);
  };
  const take = (text: string): void => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '' && !over) stream.onLine(line);
    if (rest.length > MAX_LINE_CHARS) finish(LINE_TOO_LONG);
  };

  resetSilence();
  outgoing.on('error', (error) => finish(error.message));
  outgoing.once('close', () => finish('closed'));
  outgoing.once('response', (reply) => {
    if (reply.statusCode !== 200) return finish(`answered ${reply.statusCode}`);
    resetSilence();
    stream.onOpen?.();
    reply.on('data', (chunk: Buffer) => {
      if (over) return;
      resetSilence();
      take(decoder.write(chunk));
    });
    reply.on('error', (error) => finish(error.message));
    reply.once('close', () => finish('closed'));
  });
  outgoing.end();
  return () => finish(undefined);
}
