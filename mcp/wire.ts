/** Messages over stdin and stdout, one JSON document a line (MCP 2025-11-25, basic/transports), for whichever lane they belong to. */
import type { Readable, Writable } from 'node:stream';
import type { Message, RequestId } from './rpc.ts';

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
const NEWLINE = 0x0a;

export interface WireParts {
  input: Readable;
  output: Writable;
  receive(message: Message): void;
  /** A line that is no message; it is skipped. */
  onNoise(reason: string): void;
}

export function openWire({ input, output, receive, onNoise }: WireParts): Wire {
  const unanswered = new Set<RequestId>();
  let whenSettled = (): void => undefined;
  const answered = (id: RequestId): void => {
    if (unanswered.delete(id) && unanswered.size === 0) whenSettled();
  };
  const take = (line: string): void => {
    const message = parseMessage(line);
    if (message === undefined) return line.trim() === '' ? undefined : onNoise('a line is not a JSON object');
    if (message.method !== undefined && message.id !== undefined) unanswered.add(message.id);
    // Who cancels a request hears no more of it.
    if (message.method === 'notifications/cancelled' && message.params?.requestId !== undefined)
      answered(message.params.requestId);
    receive(message);
  };
  const ended = new Promise<void>((resolve) => {
    readLines(input, take, () => onNoise(`a line is longer than ${MAX_LINE_BYTES} bytes`));
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

/** What is longer than the bound is skipped to its end, so that the lines behind it are still read. */
function readLines(input: Readable, take: (line: string) => void, onTooLong: () => void): void {
  let parts: Buffer[] = [];
  let size = 0;
  input.on('data', (chunk: Buffer) => {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      const line = chunk.subarray(from, at);
      if (size + line.length > MAX_LINE_BYTES) onTooLong();
      else take(Buffer.concat([...parts, line]).toString('utf8'));
      parts = [];
      size = 0;
      from = at + 1;
    }
    size += chunk.length - from;
    if (size > MAX_LINE_BYTES) parts = [];
    else if (from < chunk.length) parts.push(chunk.subarray(from));
  });
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
