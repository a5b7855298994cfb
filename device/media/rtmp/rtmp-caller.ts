/** The side of RTMP 1.0 that calls a server (Adobe, 2012): handshake §5.2, connect §7.2.1, answers to controls §5.4. It holds no socket. */
import { randomBytes } from 'node:crypto';
import { readAmf, writeAmf, type Amf } from './rtmp-amf0.ts';
import { ChunkReader, writeChunks, type RtmpMessage } from './rtmp-chunks.ts';

export interface RtmpAddress {
  /** rtmp://host:port/application, as the server is told. */
  url: string;
  app: string;
  key: string;
}

export interface CallerHooks {
  /** The server may ask for answers without an end. */
  send(bytes: Buffer, isAnswer: boolean): void;
  onCommand(values: Amf[]): void;
  /** Takes what is neither a command nor a control. */
  onMessage?(message: RtmpMessage): void;
}

/** The server takes or gives no stream. */
export interface Refusal {
  /** Its own words. */
  words: string;
  /** The address that it sends callers on to. */
  redirect: string | undefined;
}

const HANDSHAKE_BYTES = 1536;
/** Encoders in the field use the same. */
export const CHUNK_BYTES = 4096;
/** Chunk streams of ours; 2 is the protocol's own. */
const [CONTROL, COMMAND] = [2, 3];
const PING = 6;
const PONG = 7;
/** `ex.code` of a rejection that names another server in `ex.redirect`, as Flash Media Server has it and SRS. */
const REDIRECT = 302;
/** The transaction of `connect`, which is the first. */
export const CONNECT = 1;

export class RtmpCaller {
  private readonly greets: { [key: string]: Amf };
  private readonly hooks: CallerHooks;
  private readonly chunks = new ChunkReader((message) => this.message(message));
  private greeting: Buffer = Buffer.alloc(0);
  private step: 'hello' | 'messages' | 'done' = 'hello';
  private chunkSize = 128;
  /** The server wants to hear of its bytes that often; undefined: it does not. */
  private window: number | undefined;
  private received = 0;
  private confirmed = 0;
  /** The server counts modulo 2^32. */
  private lastAcknowledged = 0;
  /** The server says that it has taken so many bytes. */
  acknowledged = 0;

  /** `greets` is the object of `connect`. */
  constructor(greets: { [key: string]: Amf }, hooks: CallerHooks) {
    this.greets = greets;
    this.hooks = hooks;
  }

  /** C0 and C1. */
  start(): void {
    const random = randomBytes(HANDSHAKE_BYTES - 8);
    this.hooks.send(Buffer.concat([Buffer.from([3]), Buffer.alloc(8), random]), false);
  }

  /** Throws for bytes that are not RTMP, or out of bounds. */
  push(bytes: Buffer): void {
    this.received += bytes.length;
    if (this.step === 'messages') this.chunks.push(bytes);
    else if (this.step === 'hello') this.shake(bytes);
    if (this.window === undefined || this.received - this.confirmed < this.window) return;
    this.confirmed = this.received;
    this.control(3, this.received % 2 ** 32, true);
  }

  /** Messages of the size of media may come. */
  allowMedia(): void {
    this.chunks.allowMedia();
  }

  /** Nothing more is heard of the server. */
  end(): void {
    this.step = 'done';
  }

  command(stream: number, ...values: Amf[]): void {
    this.hooks.send(writeChunks({ type: 20, stream, body: writeAmf(...values) }, COMMAND, this.chunkSize), false);
  }

  control(type: number, value: number, isAnswer = false): void {
    const body = Buffer.alloc(4);
    body.writeUInt32BE(value);
    this.hooks.send(writeChunks({ type, stream: 0, body }, CONTROL, this.chunkSize), isAnswer);
  }

  /** A user control message; with `isAnswer` the server has asked for it. */
  event(kind: number, body: Buffer, isAnswer = false): void {
    const whole = Buffer.concat([Buffer.from([kind >> 8, kind & 0xff]), body]);
    this.hooks.send(writeChunks({ type: 4, stream: 0, body: whole }, CONTROL, this.chunkSize), isAnswer);
  }

  /** S0, S1 and S2; C2 is an echo of S1. */
  private shake(bytes: Buffer): void {
    this.greeting = Buffer.concat([this.greeting, bytes]);
    if (this.greeting[0] !== 3) throw new TypeError('This is not RTMP version 3.');
    if (this.greeting.length < 2 * HANDSHAKE_BYTES + 1) return;
    const theirs = this.greeting.subarray(1, HANDSHAKE_BYTES + 1);
    const rest = this.greeting.subarray(2 * HANDSHAKE_BYTES + 1);
    this.greeting = Buffer.alloc(0);
    this.step = 'messages';
    this.hooks.send(theirs, false);
    this.control(1, CHUNK_BYTES);
    this.chunkSize = CHUNK_BYTES;
    this.command(0, 'connect', CONNECT, this.greets);
    this.chunks.push(rest);
  }

  private message(message: RtmpMessage): void {
    const { type, body } = message;
    if (this.step === 'done') return;
    if (type === 3) this.note(body);
    else if (type === 4 && body.length >= 6 && body.readUInt16BE(0) === PING)
      this.event(PONG, body.subarray(2, 6), true);
    else if (type === 5 && body.length >= 4) this.window = Math.max(body.readUInt32BE(0), 1);
    else if (type === 20) this.hooks.onCommand(valuesOf(body));
    // AMF3 commands begin with a zero and go on in AMF0.
    else if (type === 17) this.hooks.onCommand(valuesOf(body.subarray(1)));
    else this.hooks.onMessage?.(message);
  }

  private note(body: Buffer): void {
    if (body.length < 4) return;
    const count = body.readUInt32BE(0);
    const grown = (count - this.lastAcknowledged + 2 ** 32) % 2 ** 32;
    // A count that goes back is of no use, and no reason to end.
    if (grown >= 2 ** 31) return;
    this.lastAcknowledged = count;
    this.acknowledged += grown;
  }
}

/** Reads the information object of an error. */
export function refusalIn(info: Amf): Refusal {
  const { description, code, ex } = objectOf(info);
  const words = [description, code].find((one) => typeof one === 'string' && one !== '');
  const { code: status, redirect } = objectOf(ex);
  return {
    words: typeof words === 'string' ? words : 'no reason is given',
    redirect: Number(status) === REDIRECT && typeof redirect === 'string' ? redirect : undefined,
  };
}

export function objectOf(value: Amf): { [key: string]: Amf } {
  return typeof value === 'object' && value !== null ? value : {};
}

/** A command of a kind that is not known here is none that is waited for. */
function valuesOf(body: Buffer): Amf[] {
  try {
    return readAmf(body);
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError) return [];
    throw error;
  }
}
