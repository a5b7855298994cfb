/** Messages over stdin and stdout, one JSON document a line (MCP 2025-11-25, basic/transports), for whichever lane they belong to. */
import type { Readable, Writable } from 'node:stream';
import { AppError, toProblem } from '../domain/errors.ts';
import { crowdOf, faultOf, type Fault } from './frames.ts';
import { idOfLongLine } from './long-line.ts';
import { RPC_REFUSED, toErrorMessage, type Message, type RequestId } from './rpc.ts';

/** Where the messages of one generation of the protocol are understood. */
export interface Lane {
  receive(message: Message): void;
  close(): Promise<void>;
}

export type Send = (message: object) => Promise<void>;

export interface Wire {
  send: Send;
  /** Resolves when the client has gone: stdin has ended, or nobody reads stdout. */
  readonly ended: Promise<void>;
  /** Resolves once every request has its answer. */
  settled(): Promise<void>;
}

/** An Asset of 8 MB in base64 with its frame. */
const MAX_LINE_BYTES = 12 * 1024 ** 2;
/** Kept of either end of a line that is longer: the id stands in one of them. */
const END_BYTES = 1024;
const NEWLINE = 0x0a;

export interface WireParts {
  input: Readable;
  output: Writable;
  /** Stands in the problems that are answered. */
  requestId: string;
  receive(message: Message): void;
  /** A line that is no message. It is skipped, and answered where it can be told that somebody waits. */
  onNoise(reason: string): void;
}

export function openWire({ input, output, requestId, receive, onNoise }: WireParts): Wire {
  const unanswered = new Set<RequestId>();
  let whenSettled = (): void => undefined;
  const answered = (id: RequestId): void => {
    if (unanswered.delete(id) && unanswered.size === 0) whenSettled();
  };
  const refuse = ({ id, rpcCode, error }: Fault): void => {
    const message = toErrorMessage(id, rpcCode, toProblem(error, requestId));
    // Who does not read any more need not be told.
    write(output, `${JSON.stringify(message)}\n`).catch(() => undefined);
  };
  const take = (line: string): void => {
    const message = parseMessage(line);
    if (message === undefined) return line.trim() === '' ? undefined : onNoise('a line is not a JSON object');
    const fault = faultOf(message) ?? crowdOf(line, message);
    if (fault !== undefined) {
      const isNotification = message.method !== undefined && message.id === undefined;
      return isNotification ? onNoise(fault.error.message) : refuse(fault);
    }
    if (message.method !== undefined && message.id !== undefined) unanswered.add(message.id);
    // Who cancels a request hears no more of it.
    if (message.method === 'notifications/cancelled' && message.params?.requestId !== undefined)
      answered(message.params.requestId);
    receive(message);
  };
  const skip = (begin: string, end: string): void => {
    const detail = `A message may have ${MAX_LINE_BYTES} bytes. Send less, or upload files over REST.`;
    const error = new AppError('too_large', detail, { facts: { max_bytes: MAX_LINE_BYTES } });
    onNoise(`a line is longer than ${MAX_LINE_BYTES} bytes`);
    refuse({ id: idOfLongLine(begin, end) ?? null, rpcCode: RPC_REFUSED, error });
  };
  const ended = new Promise<void>((resolve) => {
    readLines(input, take, skip);
    input.once('end', resolve).once('close', resolve);
    output.on('error', () => resolve());
  });
  return {
    ended,
    settled: () =>
      new Promise((resolve) => {
        whenSettled = resolve;
        if (unanswered.size === 0) resolve();
      }),
    async send(message) {
      await write(output, `${JSON.stringify(message)}\n`);
      const { id, method } = message as Message;
      if (id !== undefined && method === undefined) answered(id);
    },
  };
}

/** Of what is longer than the bound only the ends are kept, so that the lines behind it are still read. */
function readLines(input: Readable, take: (line: string) => void, skip: (begin: string, end: string) => void): void {
  let parts: Buffer[] = [];
  let size = 0;
  const add = (part: Buffer): void => {
    size += part.length;
    parts.push(part);
    if (size > MAX_LINE_BYTES) parts = endsOf(Buffer.concat(parts));
  };
  input.on('data', (chunk: Buffer) => {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      add(chunk.subarray(from, at));
      if (size > MAX_LINE_BYTES) skip(String(parts[0]), String(parts[1]));
      else take(Buffer.concat(parts).toString('utf8'));
      parts = [];
      size = 0;
      from = at + 1;
    }
    if (from < chunk.length) add(chunk.subarray(from));
  });
}

/** Copies, or the whole would be kept for their sake. */
function endsOf(line: Buffer): Buffer[] {
  return [Buffer.from(line.subarray(0, END_BYTES)), Buffer.from(line.subarray(-END_BYTES))];
}

function parseMessage(line: string): Message | undefined {
  try {
    const message = JSON.parse(line) as unknown;
    return typeof message === 'object' && message !== null && !Array.isArray(message) ? message : undefined;
  } catch {
    return undefined;
  }
}

function write(output: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => output.write(text, (error) => (error ? reject(error) : resolve())));
}
