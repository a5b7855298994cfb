/** The side of RTMP 1.0 that publishes (Adobe, 2012): connect, createStream and publish §7.2. It holds no socket. */
import type { Amf } from './rtmp-amf0.ts';
import {
  CHUNK_BYTES,
  CONNECT,
  objectOf,
  refusalIn,
  RtmpCaller,
  type Refusal,
  type RtmpAddress,
} from './rtmp-caller.ts';
import { ChunkWriter } from './rtmp-chunks.ts';
import type { MediaMessage } from './rtmp-muxer.ts';

export interface PublishingHooks {
  /** The server may ask for answers without an end. */
  send(bytes: Buffer, isAnswer: boolean): void;
  /** The server takes media from now on. */
  onPublishing(): void;
  onRefused(refusal: Refusal): void;
}

/** The server is to acknowledge so many bytes at a time: some tenths of a second of video. */
const WINDOW_BYTES = 131_072;
/** Chunk streams of ours, beside those of the caller. */
const [AUDIO, VIDEO, DATA] = [4, 6, 8];
const CHUNK_STREAMS: Record<number, number> = { 8: AUDIO, 9: VIDEO, 18: DATA };
const [RELEASE, ANNOUNCE, CREATE, PUBLISH] = [2, 3, 4, 5] as const;
/** Servers know the encoders of old by this beginning of their version. */
const FLASH_VERSION = 'FMLE/3.0 (compatible; onair)';

export class RtmpPublishing {
  private readonly address: RtmpAddress;
  private readonly hooks: PublishingHooks;
  private readonly caller: RtmpCaller;
  private readonly writer = new ChunkWriter(CHUNK_BYTES);
  private stream = 0;
  /** The request whose result leads on; a second one of it does not. */
  private awaited: typeof CONNECT | typeof CREATE | typeof PUBLISH = CONNECT;
  private isPublishing = false;

  constructor(address: RtmpAddress, hooks: PublishingHooks) {
    this.address = address;
    this.hooks = hooks;
    const { app, url: tcUrl } = address;
    this.caller = new RtmpCaller(
      { app, type: 'nonprivate', flashVer: FLASH_VERSION, tcUrl },
      { send: (bytes, isAnswer) => hooks.send(bytes, isAnswer), onCommand: (values) => this.answer(values) },
    );
  }

  get acknowledged(): number {
    return this.caller.acknowledged;
  }

  start(): void {
    this.caller.start();
  }

  /** Throws for bytes that are not RTMP, or out of bounds. */
  push(bytes: Buffer): void {
    this.caller.push(bytes);
  }

  media(message: MediaMessage): void {
    const { stream } = this;
    this.hooks.send(this.writer.write({ ...message, stream }, CHUNK_STREAMS[message.type]!), false);
  }

  /** Says goodbye, so that the server does not wait for more. */
  finish(): void {
    if (this.stream === 0) return;
    this.caller.command(0, 'FCUnpublish', PUBLISH + 1, null, this.address.key);
    this.caller.command(0, 'deleteStream', PUBLISH + 2, null, this.stream);
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
    this.caller.control(5, WINDOW_BYTES);
    // Servers that know neither answer with an error, which means nothing.
    this.caller.command(0, 'releaseStream', RELEASE, null, key);
    this.caller.command(0, 'FCPublish', ANNOUNCE, null, key);
    this.caller.command(0, 'createStream', CREATE, null);
  }

  private publish(stream: number): void {
    this.awaited = PUBLISH;
    this.stream = stream;
    this.caller.command(stream, 'publish', PUBLISH, null, this.address.key, 'live');
  }

  private status(info: Amf): void {
    const { level, code } = objectOf(info);
    if (level === 'error') return this.refused(info);
    if (code !== 'NetStream.Publish.Start' || this.isPublishing) return;
    this.isPublishing = true;
    this.hooks.onPublishing();
  }

  private refused(info: Amf): void {
    this.caller.end();
    this.hooks.onRefused(refusalIn(info));
  }
}
