/** The side of RTMP 1.0 that publishes (Adobe, 2012): handshake §5.2, connect, createStream and publish §7.2. It holds no socket. */
import { randomBytes } from 'node:crypto';
import { readAmf, writeAmf, type Amf } from './rtmp-amf0.ts';
import { ChunkReader, ChunkWriter, writeChunks, type RtmpMessage } from './rtmp-chunks.ts';
import type { MediaMessage } from './rtmp-muxer.ts';

export interface RtmpAddress {
  /** rtmp://host:port/application, as the server is told. */
  url: string;
  app: string;
  key: string;
}

export interface PublishingHooks {
  /** The server may ask for answers without an end. */
  send(bytes: Buffer, isAnswer: boolean): void;
  /** The server takes media from now on. */
  onPublishing(): void;
  onRefused(refusal: Refusal): void;
}

/** The server takes no stream. */
export interface Refusal {
  /** Its own words. */
  words: string;
  /** The address that it sends publishers on to. */
  redirect: string | undefined;
}

const HANDSHAKE_BYTES = 1536;
/** Encoders in the field use the same. */
const CHUNK_BYTES = 4096;
/** The server is to acknowledge so many bytes at a time: some tenths of a second of video. */
const WINDOW_BYTES = 131_072;
/** Chunk streams of ours; 2 is the protocol's own. */
const [CONTROL, COMMAND, AUDIO, VIDEO, DATA] = [2, 3, 4, 6, 8];
const CHUNK_STREAMS: Record<number, number> = { 8: AUDIO, 9: VIDEO, 18: DATA };
const PING = 6;
const PONG = 7;
/** `ex.code` of a rejection that names another server in `ex.redirect`, as Flash Media Server has it and SRS. */
const REDIRECT = 302;
const [CONNECT, RELEASE, ANNOUNCE, CREATE, PUBLISH] = [1, 2, 3, 4, 5] as const;

export class RtmpPublishing {
  private readonly address: RtmpAddress;
  private readonly hooks: PublishingHooks;
  private readonly chunks = new ChunkReader((message) => this.message(message));
  private readonly writer = new ChunkWriter(CHUNK_BYTES);
  private greeting: Buffer = Buffer.alloc(0);
  private step: 'hello' | 'messages' | 'done' = 'hello';
  private chunkSize = 128;
  private stream = 0;
  /** The request whose result leads on; a second one of it does not. */
  private awaited: typeof CONNECT | typeof CREATE | typeof PUBLISH = CONNECT;
  private isPublishing = false;
  /** The server wants to hear of its bytes that often; undefined: it does not. */
  private window: number | undefined;
  private received = 0;
  private confirmed = 0;
  /** Bytes that the server says it has taken, modulo 2^32 as it counts them. */
  private lastAcknowledged = 0;
  acknowledged = 0;

  constructor(address: RtmpAddress, hooks: PublishingHooks) {
    this.address = address;
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

  media(message: MediaMessage): void {
    const { stream } = this;
    this.hooks.send(this.writer.write({ ...message, stream }, CHUNK_STREAMS[message.type]!), false);
  }

  /** Says goodbye, so that the server does not wait for more. */
  finish(): void {
    if (this.stream === 0) return;
    this.command(0, 'FCUnpublish', PUBLISH + 1, null, this.address.key);
    this.command(0, 'deleteStream', PUBLISH + 2, null, this.stream);
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
    const { app, url } = this.address;
    // Servers know the encoders of old by this beginning of their version.
    const flashVer = 'FMLE/3.0 (compatible; onair)';
    this.command(0, 'connect', CONNECT, { app, type: 'nonprivate', flashVer, tcUrl: url });
    this.chunks.push(rest);
  }

  private message({ type, body }: RtmpMessage): void {
    if (this.step === 'done') return;
    if (type === 3 && body.length >= 4) this.note(body.readUInt32BE(0));
    else if (type === 4 && body.length >= 6 && body.readUInt16BE(0) === PING) this.pong(body.subarray(2, 6));
    else if (type === 5 && body.length >= 4) this.window = Math.max(body.readUInt32BE(0), 1);
    else if (type === 20) this.answer(valuesOf(body));
    // AMF3 commands begin with a zero and go on in AMF0.
    else if (type === 17) this.answer(valuesOf(body.subarray(1)));
  }

  private note(count: number): void {
    const grown = (count - this.lastAcknowledged + 2 ** 32) % 2 ** 32;
    // A count that goes back is of no use, and no reason to end.
    if (grown >= 2 ** 31) return;
    this.lastAcknowledged = count;
    this.acknowledged += grown;
  }

  private answer([name, transaction, , info]: Amf[]): void {
    const isAwaited = name === '_result' && transaction === this.awaited;
    if (isAwaited && transaction === CONNECT) this.prepare();
    else if (isAwaited && typeof info === 'number') this.publish(info);
    else if (name === '_error' && transaction !== RELEASE && transaction !== ANNOUNCE) this.refused(info);
    else if (name === 'onStatus') this.status(info);
  }

  private prepare(): void {
    this.awaited = CREATE;
    const { key } = this.address;
    this.control(5, WINDOW_BYTES);
    // Servers that know neither answer with an error, which means nothing.
    this.command(0, 'releaseStream', RELEASE, null, key);
    this.command(0, 'FCPublish', ANNOUNCE, null, key);
    this.command(0, 'createStream', CREATE, null);
  }

  private publish(stream: number): void {
    this.awaited = PUBLISH;
    this.stream = stream;
    this.command(stream, 'publish', PUBLISH, null, this.address.key, 'live');
  }

  private status(info: Amf): void {
    const { level, code } = objectOf(info);
    if (level === 'error') return this.refused(info);
    if (code !== 'NetStream.Publish.Start' || this.isPublishing) return;
    this.isPublishing = true;
    this.hooks.onPublishing();
  }

  private refused(info: Amf): void {
    this.step = 'done';
    const { description, code, ex } = objectOf(info);
    const words = [description, code].find((one) => typeof one === 'string' && one !== '');
    const { code: status, redirect } = objectOf(ex);
    this.hooks.onRefused({
      words: typeof words === 'string' ? words : 'no reason is given',
      redirect: Number(status) === REDIRECT && typeof redirect === 'string' ? redirect : undefined,
    });
  }

  private command(stream: number, ...values: Amf[]): void {
    this.hooks.send(writeChunks({ type: 20, stream, body: writeAmf(...values) }, COMMAND, this.chunkSize), false);
  }

  private control(type: number, value: number, isAnswer = false): void {
    const body = Buffer.alloc(4);
    body.writeUInt32BE(value);
    this.hooks.send(writeChunks({ type, stream: 0, body }, CONTROL, this.chunkSize), isAnswer);
  }

  private pong(time: Buffer): void {
    const body = Buffer.concat([Buffer.from([0, PONG]), time]);
    this.hooks.send(writeChunks({ type: 4, stream: 0, body }, CONTROL, this.chunkSize), true);
  }
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

function objectOf(value: Amf): { [key: string]: Amf } {
  return typeof value === 'object' && value !== null ? value : {};
}
