/**
 * Turns the RTMP messages of one pusher into an FLV stream (Adobe, Video File Format 10.1, annex E) that any number of readers join: each
 * begins with the last keyframe.
 */
import { KeptGroup } from '../mpeg-ts/kept-group.ts';
import { isConfiguration } from './flv-bodies.ts';
import { FlvChanges } from './flv-changes.ts';
import { TAG_END_BYTES, TAG_HEAD_BYTES, type RtmpMessage } from './rtmp-chunks.ts';

/** The header announces audio and video: the demuxer waits for both, and does without the one that does not come. */
const HEADER = Buffer.from([0x46, 0x4c, 0x56, 1, 5, 0, 0, 0, 9, 0, 0, 0, 0]);
/** AMF0 of the string '@setDataFrame', a word to the server that does not belong into the file. */
const SET_DATA_FRAME = Buffer.concat([Buffer.from([2, 0, 13]), Buffer.from('@setDataFrame')]);
const MAX_METADATA = 65_536;
/** Ten seconds at 12 Mbit/s. Where keyframes are farther apart, a reader begins with the next one. */
const MAX_KEPT_BYTES = 16 << 20;
const SOUND_BEHIND_MS = 500;
const SETTLED_MS = 300;
/** A reader that was ended for a change comes again within this, on a busy machine, and gets all from the change on. */
const AGAIN_MS = 3000;

export interface FlvPart {
  bytes: Buffer;
  /** A reader may begin with this part, behind the heads. */
  isStart: boolean;
  /** It is one of the heads. */
  isHead: boolean;
  /** From here on sound or picture has another codec or configuration, or is there at last. */
  isChange: boolean;
}

export class FlvJoiner {
  /** Readers may go on with other codecs and configurations; those that cannot say so. */
  readonly isOfOneFormat = false;
  /** Metadata and the decoder configurations, by message type. */
  private readonly headsByType = new Map<number, RtmpMessage>();
  /** All since the last keyframe, or since the first one behind a change, and its time; undefined before that, and when it became too long. */
  private keptFrom: number | undefined;
  private readonly kept = new KeptGroup();
  /** Times of the first message with media, of the last change, and of the last message. */
  private firstAt: number | undefined;
  private changedAt: number | undefined;
  private newest: number | undefined;
  private readonly changes = new FlvChanges();

  /** Returns what readers that have joined get for this message; undefined for none. */
  take(received: RtmpMessage): FlvPart | undefined {
    const message = received.type === 18 ? withoutCommand(received) : received;
    if (message.body.length === 0) return undefined;
    const noted = this.changes.note(message);
    const isChange = noted === 'first' ? this.beginsLate(message) : noted === 'changed';
    if (message.type !== 18) this.newest = message.time;
    if (noted === 'changed') this.forgetFormer(message);
    const isHead = message.type === 18 ? message.body.length <= MAX_METADATA : isConfiguration(message);
    // Its bytes would keep a piece of memory alive that has other media in it.
    if (isHead) this.headsByType.set(message.type, { ...message, body: ownCopy(message.body), frame: undefined });
    const bytes = tag(message, message.frame);
    const isStart = !isHead && this.mayStart(message);
    if (isStart && !this.isAwaited(message)) this.keepFrom(message.time);
    this.keep(bytes);
    return { bytes, isStart, isHead, isChange };
  }

  /** The decoder configurations in force. */
  get configurations(): readonly RtmpMessage[] {
    return [...this.headsByType.values()].filter(({ type }) => type !== 18);
  }

  /** Picture and sound change one after the other: what follows a change at once belongs to it. */
  get isSettled(): boolean {
    return this.changedAt === undefined || Math.abs(this.newest! - this.changedAt) >= SETTLED_MS;
  }

  /** The beginning of a stream that goes on with the next message; empty where a reader has to wait for a keyframe. */
  get beginning(): Buffer[] {
    return this.keptFrom === undefined ? [] : [...this.heads(this.keptFrom), this.kept.copy()];
  }

  /** The header and what decoders need, at the time of the media that follows. */
  private heads(time: number): Buffer[] {
    const heads = [18, 9, 8].flatMap((type) => this.headsByType.get(type) ?? []);
    // ffmpeg takes metadata at another time than 0 for a stream of texts.
    return [HEADER, ...heads.map((head) => tag({ ...head, time: head.type === 18 ? 0 : time }))];
  }

  /** Sound or a picture that comes when readers have begun with the other one alone. Configurations may have the time 0 whenever they come. */
  private beginsLate({ type, time }: RtmpMessage): boolean {
    const from = (this.firstAt ??= time);
    const passed = Math.max(Math.abs(time - from), Math.abs((this.newest ?? from) - from));
    if (passed < SETTLED_MS) return false;
    this.changedAt = Math.max(time, this.newest ?? time);
    if (type === 9) this.keepFrom(undefined);
    return true;
  }

  /** A joiner begins with what follows. Sound changes behind its picture: that keyframe is not waited for again. */
  private forgetFormer({ type, time }: RtmpMessage): void {
    this.changedAt = time;
    if (type === 8 && this.keptFrom !== undefined && Math.abs(time - this.keptFrom) < SOUND_BEHIND_MS)
      this.keepWithoutSound();
    else this.keepFrom(undefined);
  }

  private keepFrom(time: number | undefined): void {
    this.keptFrom = time;
    this.kept.clear();
  }

  private keepWithoutSound(): void {
    const bytes = this.kept.copy();
    this.kept.clear();
    for (let at = 0; at < bytes.length;) {
      const end = at + TAG_HEAD_BYTES + bytes.readUIntBE(at + 1, 3) + TAG_END_BYTES;
      if (bytes[at] !== 8) this.kept.add(bytes.subarray(at, end));
      at = end;
    }
  }

  private keep(bytes: Buffer): void {
    if (this.keptFrom === undefined) return;
    if (this.kept.length + bytes.length > MAX_KEPT_BYTES) this.keepFrom(undefined);
    else this.kept.add(bytes);
  }

  /** Readers that have been ended begin with what is kept. */
  private isAwaited({ time }: RtmpMessage): boolean {
    const { keptFrom, changedAt } = this;
    return keptFrom !== undefined && changedAt !== undefined && Math.abs(time - changedAt) < AGAIN_MS;
  }

  /** A stream with video is joined at a keyframe, one without at any audio. */
  private mayStart({ type, body }: RtmpMessage): boolean {
    return type === 9 ? ((body[0]! >> 4) & 7) === 1 : type === 8 && !this.changes.has(9);
  }
}

function ownCopy(bytes: Buffer): Buffer {
  const copy = Buffer.alloc(bytes.length);
  copy.set(bytes);
  return copy;
}

function withoutCommand({ body, ...message }: RtmpMessage): RtmpMessage {
  const leads = body.subarray(0, SET_DATA_FRAME.length).equals(SET_DATA_FRAME);
  return { ...message, body: leads ? body.subarray(SET_DATA_FRAME.length) : body, frame: undefined };
}

/** `frame` has the body in it; without one, the tag gets a copy. */
function tag({ type, time, body }: RtmpMessage, frame?: Buffer): Buffer {
  const end = TAG_HEAD_BYTES + body.length;
  const bytes = frame ?? Buffer.allocUnsafe(end + TAG_END_BYTES);
  if (frame === undefined) body.copy(bytes, TAG_HEAD_BYTES);
  bytes[0] = type;
  bytes.writeUIntBE(body.length, 1, 3);
  bytes.writeUIntBE(time & 0xffffff, 4, 3);
  bytes[7] = time >>> 24;
  // The number of a stream is 0.
  bytes.fill(0, 8, TAG_HEAD_BYTES);
  bytes.writeUInt32BE(end, end);
  return bytes;
}
