/** The side of RTMP 1.0 that plays a live stream (Adobe, 2012): connect, createStream and play §7.2. It holds no socket. */
import type { Amf } from './rtmp-amf0.ts';
import { readAmf } from './rtmp-amf0.ts';
import { FlvTags } from './flv-tags.ts';
import { CONNECT, objectOf, refusalIn, RtmpCaller, type Refusal, type RtmpAddress } from './rtmp-caller.ts';
import type { RtmpMessage } from './rtmp-chunks.ts';

export interface PlayingHooks {
  /** The server may ask for answers without an end. */
  send(bytes: Buffer, isAnswer: boolean): void;
  /** Takes sound (8), pictures (9) and metadata (18). */
  onMedia(message: RtmpMessage): void;
  onRefused(refusal: Refusal): void;
  /** The stream has ended. */
  onOver(): void;
}

const WINDOW_BYTES = 2_500_000;
const [CREATE, PLAY] = [2, 3] as const;
/** Servers of old give their media to players of this version. */
const FLASH_VERSION = 'LNX 9,0,124,2';
/** All that a player of that version takes (§7.2.1.1). */
const PLAYER = { fpad: false, capabilities: 15, audioCodecs: 4071, videoCodecs: 252, videoFunction: 1 };
/** A live stream of that name, else one that was recorded. */
const LIVE_FIRST = -2000;
/** User control: the server may send so much ahead. */
const BUFFER_LENGTH = 3;
const BUFFER_MS = 3000;
const [SOUND, PICTURE, DATA, AGGREGATE] = [8, 9, 18, 22];
const ENDS = ['NetStream.Play.Stop', 'NetStream.Play.UnpublishNotify', 'NetStream.Play.Complete'];
const METADATA = ['onMetaData', '@setDataFrame'];

export class RtmpPlaying {
  private readonly address: RtmpAddress;
  private readonly hooks: PlayingHooks;
  private readonly caller: RtmpCaller;
  /** The request whose result leads on; a second one of it does not. */
  private awaited: typeof CONNECT | typeof CREATE | undefined = CONNECT;

  constructor(address: RtmpAddress, hooks: PlayingHooks) {
    this.address = address;
    this.hooks = hooks;
    const { app, url: tcUrl } = address;
    this.caller = new RtmpCaller(
      { app, flashVer: FLASH_VERSION, tcUrl, ...PLAYER },
      {
        send: (bytes, isAnswer) => hooks.send(bytes, isAnswer),
        onCommand: (values) => this.answer(values),
        onMessage: (message) => this.message(message),
      },
    );
  }

  start(): void {
    this.caller.start();
  }

  /** Throws for bytes that are not RTMP, or out of bounds. */
  push(bytes: Buffer): void {
    this.caller.push(bytes);
  }

  private answer([name, transaction, , info]: Amf[]): void {
    const isAwaited = name === '_result' && transaction === this.awaited;
    if (isAwaited && transaction === CONNECT) this.prepare();
    else if (isAwaited && typeof info === 'number') this.play(info);
    else if (name === '_error' && transaction === this.awaited) this.refused(info);
    else if (name === 'onStatus') this.status(info);
  }

  private prepare(): void {
    this.awaited = CREATE;
    this.caller.control(5, WINDOW_BYTES);
    this.caller.command(0, 'createStream', CREATE, null);
  }

  private play(stream: number): void {
    this.awaited = undefined;
    this.caller.allowMedia();
    this.caller.command(stream, 'play', PLAY, null, this.address.key, LIVE_FIRST);
    const body = Buffer.alloc(8);
    body.writeUInt32BE(stream, 0);
    body.writeUInt32BE(BUFFER_MS, 4);
    this.caller.event(BUFFER_LENGTH, body);
  }

  private status(info: Amf): void {
    const { level, code } = objectOf(info);
    if (level === 'error') return this.refused(info);
    if (typeof code !== 'string' || !ENDS.includes(code)) return;
    this.caller.end();
    this.hooks.onOver();
  }

  private refused(info: Amf): void {
    this.caller.end();
    this.hooks.onRefused(refusalIn(info));
  }

  private message(message: RtmpMessage): void {
    const { type, time, body } = message;
    if (this.awaited !== undefined) return;
    if (type === AGGREGATE) return this.takeApart(time, body);
    if (type === SOUND || type === PICTURE || (type === DATA && isMetadata(body))) this.hooks.onMedia(message);
  }

  /** Tags with times of their own, of which the first is that of the message (§7.1.6). */
  private takeApart(time: number, body: Buffer): void {
    let shift: number | undefined;
    const tags = new FlvTags((tag) => {
      shift ??= time - tag.time;
      if (tag.type !== AGGREGATE) this.message({ ...tag, time: (tag.time + shift) >>> 0 });
    }, false);
    tags.push(body);
  }
}

/** Servers send cues, texts and their own notes in messages of the same type. */
function isMetadata(body: Buffer): boolean {
  try {
    const [name] = readAmf(body);
    return typeof name === 'string' && METADATA.includes(name);
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError) return false;
    throw error;
  }
}
