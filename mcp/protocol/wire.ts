/** Messages over two streams, one JSON document a line (MCP 2025-11-25, basic/transports), for whichever lane they belong to. */
import type { Readable, Writable } from 'node:stream';
import { AppError, toProblem } from '../../domain/errors.ts';
import { crowdOf, faultOf, type Fault } from '../frames.ts';
import { MAX_LINE_BYTES, readLines } from './line-reader.ts';
import { createLineWriter } from './line-writer.ts';
import { idOfLongLine } from './long-line.ts';
import { RPC_REFUSED, toErrorMessage, type Message, type RequestId } from '../rpc.ts';

/** Where the messages of one generation of the protocol are understood. */
export interface ProtocolSession {
  receive(message: Message): void;
  close(): Promise<void>;
}

export type Send = (message: object) => Promise<void>;

export interface Wire {
  send: Send;
  /** The same of a reply that is written already. */
  reply(id: RequestId, line: string): Promise<void>;
  /** Resolves when the client has gone: the input has ended, or nobody reads the output. */
  readonly ended: Promise<void>;
  /** Resolves once every request has its answer. */
  settled(): Promise<void>;
}

/** Two of the longest lines, or some hundred calls: whoever sends more waits for answers, or takes those that are there. */
const MAX_HELD_BYTES = 2 * MAX_LINE_BYTES;
/** What a call may hold beside its line, its answer above all. */
const HELD_BY_A_CALL = 32 * 1024;

export interface WireParts {
  input: Readable;
  output: Writable;
  /** Stands in the problems that are answered. */
  requestId: string;
  receive(message: Message): void;
  /** A line that is no message. It is skipped, and answered where it can be told that somebody waits. */
  onNoise(reason: string): void;
  /** Hears of what is refused before `receive`, without the message where none could be read; answers what its sender is told. */
  onRefused(message: Message | undefined, error: AppError): Promise<AppError> | AppError;
}

export function openWire({ input, output, requestId, receive, onNoise, onRefused }: WireParts): Wire {
  const unanswered = createUnanswered();
  const write = createLineWriter(output);
  const breathe = (): void => {
    const isFull = output.writableNeedDrain || unanswered.bytes > MAX_HELD_BYTES;
    if (isFull !== input.isPaused()) input[isFull ? 'pause' : 'resume']();
  };
  const settle = (id: RequestId): void => {
    unanswered.delete(id);
    breathe();
  };
  async function refuse({ id, rpcCode, error }: Fault, refused?: Message): Promise<void> {
    const told = await onRefused(refused, error);
    await write(JSON.stringify(toErrorMessage(id, rpcCode, toProblem(told, requestId))));
  }
  /** Held like a request until it is answered: who sends nothing else is held back, too. */
  const answerFault = (fault: Fault, bytes: number, refused?: Message): void => {
    const held = `refused ${crypto.randomUUID()}`;
    unanswered.add(held, bytes);
    breathe();
    // Who does not read any more need not be told.
    void refuse(fault, refused)
      .catch(() => undefined)
      .then(() => settle(held));
  };
  const take = (line: string): void => {
    const message = parseMessage(line);
    if (message === undefined) return line.trim() === '' ? undefined : onNoise('a line is not a JSON object');
    const fault = faultOf(message) ?? crowdOf(line, message);
    if (fault !== undefined) {
      const isNotification = message.method !== undefined && message.id === undefined;
      return isNotification ? onNoise(fault.error.message) : answerFault(fault, line.length, message);
    }
    if (message.method !== undefined && message.id !== undefined) unanswered.add(message.id, line.length);
    // Who cancels a request hears no more of it.
    if (message.method === 'notifications/cancelled' && message.params?.requestId !== undefined)
      unanswered.delete(message.params.requestId);
    breathe();
    receive(message);
  };
  const skip = (begin: string, end: string): void => {
    const detail = `A message may have ${MAX_LINE_BYTES} bytes. Send less, or upload files over REST.`;
    const error = new AppError('too_large', detail, { facts: { max_bytes: MAX_LINE_BYTES } });
    onNoise(`a line is longer than ${MAX_LINE_BYTES} bytes`);
    answerFault({ id: idOfLongLine(begin, end) ?? null, rpcCode: RPC_REFUSED, error }, 0);
  };
  const ended = new Promise<void>((resolve) => {
    readLines(input, { take, skip });
    input.once('end', resolve).once('close', resolve);
    output.on('drain', breathe).on('error', () => resolve());
  });
  /** What waits to be written still holds its request. */
  async function reply(id: RequestId, line: string): Promise<void> {
    await write(line);
    settle(id);
  }
  return {
    ended,
    settled: () => unanswered.none(),
    reply,
    send(message) {
      const { id, method } = message as Message;
      const line = JSON.stringify(message);
      return id !== undefined && method === undefined ? reply(id, line) : write(line);
    },
  };
}

interface Unanswered {
  readonly bytes: number;
  add(id: RequestId, bytes: number): void;
  delete(id: RequestId): void;
  /** Resolves once there is none. */
  none(): Promise<void>;
}

function createUnanswered(): Unanswered {
  const held = new Map<RequestId, number[]>();
  let bytes = 0;
  const waiting: (() => void)[] = [];
  return {
    get bytes() {
      return bytes;
    },
    add(id, size) {
      const own = size + HELD_BY_A_CALL;
      bytes += own;
      // Two under one id are answered twice, and the first answer frees no more than one of them: the other still waits.
      const same = held.get(id);
      if (same === undefined) held.set(id, [own]);
      else same.push(own);
    },
    delete(id) {
      const same = held.get(id);
      if (same === undefined) return;
      bytes -= same.shift() ?? 0;
      if (same.length === 0) held.delete(id);
      if (held.size === 0) for (const resolve of waiting.splice(0)) resolve();
    },
    none: () => new Promise((resolve) => (held.size === 0 ? resolve() : void waiting.push(resolve))),
  };
}

function parseMessage(line: string): Message | undefined {
  try {
    const message = JSON.parse(line) as unknown;
    return typeof message === 'object' && message !== null && !Array.isArray(message) ? message : undefined;
  } catch {
    return undefined;
  }
}
