/** Messages over two streams, one JSON document a line (MCP 2025-11-25, basic/transports), for both protocols. */
import type { Readable, Writable } from 'node:stream';
import { AppError, toProblem } from '../../domain/base/errors.ts';
import { jsonOf } from '../../domain/base/json.ts';
import { faultOf, faultOfBody, overflowFaultOf, withoutNulls, type Fault } from '../frames.ts';
import { createLineBatches } from './line-batches.ts';
import { MAX_LINE_BYTES, readLines } from './line-reader.ts';
import { createLineWriter } from './line-writer.ts';
import { idOfLongLine } from './long-line.ts';
import { RPC_REFUSED, toErrorMessage, type Message, type RequestId } from '../rpc.ts';

/** Handles the messages of one generation of the protocol. */
export interface ProtocolSession {
  receive(message: Message): void;
  close(): Promise<void>;
}

export type Send = (message: object) => Promise<void>;

export interface Wire {
  send: Send;
  /** Sends a reply that is already JSON. */
  reply(id: RequestId, line: string): Promise<void>;
  /** Resolves when the client has gone: the input has ended, or nobody reads the output. */
  readonly ended: Promise<void>;
  /** Resolves once every request has its answer. */
  settled(): Promise<void>;
}

/** Two of the longest lines, or some hundred calls: a client that sends more must wait for answers, or read those that are there. */
const MAX_UNANSWERED_BYTES = 2 * MAX_LINE_BYTES;
/** Memory that a call may take beside its line, most of it for its answer. */
const BYTES_A_CALL = 32 * 1024;

export interface WireDeps {
  input: Readable;
  output: Writable;
  /** The id in the problems that are answered. */
  requestId: string;
  receive(message: Message): void;
  /** Runs for a line that is no message. The line is skipped, and answered where a request waits for an answer. */
  onNoise(reason: string): void;
  /** Runs for a refusal before `receive`, without a message where none could be read. Answers the error for its sender. */
  onRefused(message: Message | undefined, error: AppError): Promise<AppError> | AppError;
}

export function openWire({ input, output, requestId, receive, onNoise, onRefused }: WireDeps): Wire {
  const unanswered = createUnanswered();
  const write = createLineWriter(output);
  const pauseWhenFull = (): void => {
    const isFull = output.writableNeedDrain || unanswered.bytes > MAX_UNANSWERED_BYTES;
    if (isFull !== input.isPaused()) input[isFull ? 'pause' : 'resume']();
  };
  const settle = (id: RequestId): void => {
    unanswered.delete(id);
    pauseWhenFull();
  };
  async function refuse({ id, rpcCode, error }: Fault, message?: Message): Promise<void> {
    const answer = await onRefused(message, error);
    await write(JSON.stringify(toErrorMessage(id, rpcCode, toProblem(answer, requestId))));
  }
  /** A refusal counts like a request until it is answered, so that a client which sends nothing else is held back too. */
  const answerFault = (fault: Fault, bytes: number, message?: Message): void => {
    const key = `refused ${crypto.randomUUID()}`;
    unanswered.add(key, bytes);
    pauseWhenFull();
    // A client that reads no more needs no answer.
    void refuse(fault, message)
      .catch(() => undefined)
      .then(() => settle(key));
  };
  const batches = createLineBatches();
  const take = (line: string): void => {
    const body = withoutNulls(jsonOf(line));
    if (Array.isArray(body)) return takeBatch(body, line);
    if (isMessage(body)) return takeMessage(body, line);
    if (line.trim() !== '') onNoise('a line is not a JSON object');
  };
  const takeBatch = (body: unknown[], line: string): void => {
    const fault = faultOfBody(body) ?? overflowFaultOf(line, {});
    if (fault !== undefined) return answerFault(fault, line.length);
    batches.open(requestIdsOf(body as Message[]));
    for (const message of body as Message[]) takeMessage(message, JSON.stringify(message));
  };
  const takeMessage = (message: Message, line: string): void => {
    const fault = faultOf(message) ?? overflowFaultOf(line, message);
    if (fault !== undefined) {
      const isNotification = message.method !== undefined && message.id === undefined;
      return isNotification ? onNoise(fault.error.message) : answerFault(fault, line.length, message);
    }
    if (message.method !== undefined && message.id !== undefined) unanswered.add(message.id, line.length);
    // A cancelled request gets no answer.
    if (message.method === 'notifications/cancelled' && message.params?.requestId !== undefined) {
      unanswered.delete(message.params.requestId);
      const others = batches.cancelled(message.params.requestId);
      if (others !== undefined) void write(others).catch(() => undefined);
    }
    pauseWhenFull();
    receive(message);
  };
  const skip = (begin: string, end: string): void => {
    onNoise(`a line is longer than ${MAX_LINE_BYTES} bytes`);
    answerFault({ id: idOfLongLine(begin, end) ?? null, rpcCode: RPC_REFUSED, error: tooLong() }, 0);
  };
  const ended = new Promise<void>((resolve) => {
    readLines(input, { take, skip });
    input.once('end', resolve).once('close', resolve);
    output.on('drain', pauseWhenFull).on('error', () => resolve());
  });
  /** A reply that is not written yet still counts as unanswered. */
  async function reply(id: RequestId, line: string): Promise<void> {
    const whole = batches.answered(id, line);
    if (whole !== undefined) await write(whole);
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
  const requests = new Map<RequestId, number[]>();
  let bytes = 0;
  const waiting: (() => void)[] = [];
  return {
    get bytes() {
      return bytes;
    },
    add(id, size) {
      const own = size + BYTES_A_CALL;
      bytes += own;
      // Two requests under one id are answered twice, and the first answer frees only one of them: the other still waits.
      const same = requests.get(id);
      if (same === undefined) requests.set(id, [own]);
      else same.push(own);
    },
    delete(id) {
      const same = requests.get(id);
      if (same === undefined) return;
      bytes -= same.shift() ?? 0;
      if (same.length === 0) requests.delete(id);
      if (requests.size === 0) for (const resolve of waiting.splice(0)) resolve();
    },
    none: () => new Promise((resolve) => (requests.size === 0 ? resolve() : void waiting.push(resolve))),
  };
}

function tooLong(): AppError {
  const detail = `A message may have ${MAX_LINE_BYTES} bytes. Send less, or upload files over REST.`;
  return new AppError('too_large', detail, { facts: { max_bytes: MAX_LINE_BYTES } });
}

function requestIdsOf(messages: readonly Message[]): RequestId[] {
  return messages.flatMap(({ id, method }) => (id === undefined || method === undefined ? [] : [id]));
}

function isMessage(body: unknown): body is Message {
  return typeof body === 'object' && body !== null;
}
