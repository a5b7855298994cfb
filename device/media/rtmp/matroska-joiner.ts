/**
 * Turns the RTMP messages of one pusher into a Matroska stream that any number of readers join, for media that FLV cannot hold: other codecs,
 * and several tracks of sound. The head names all tracks, so that a track that comes late, or has changed, begins the stream anew.
 */
import { soundForm } from '../codecs/sound-records.ts';
import { matroskaBlock } from '../matroska/matroska-block.ts';
import { matroskaHead, type MatroskaTrack } from '../matroska/matroska-head.ts';
import { TakenPackets, type CodedPacket } from './coded-packets.ts';
import { ENHANCED_CODECS } from './enhanced-codecs.ts';
import type { FlvPart } from './flv-joiner.ts';
import { MessageClock } from './message-clock.ts';
import type { RtmpMessage } from './rtmp-chunks.ts';

/** Ten seconds at 12 Mbit/s. Where keyframes are farther apart, a reader begins with the next one. */
const MAX_KEPT_BYTES = 16 << 20;
const SOUND_BEHIND_MS = 500;
/** Tracks begin one after the other, and change so. */
const SETTLED_MS = 300;
const VIDEO = 1;
/** Its decoder tells better, where nothing else does. */
const USUAL_SOUND = { sample_rate: 48_000, channels: 2 };

interface Track {
  codec: string;
  configuration: Buffer | undefined;
  entry: MatroskaTrack;
}

interface Kept {
  time: number;
  parts: { track: number; bytes: Buffer }[];
  bytes: number;
}

export class MatroskaJoiner {
  /** One connection of a reader takes one set of tracks. */
  readonly isOfOneFormat = true;
  private readonly clock = new MessageClock();
  private readonly tracks = new Map<number, Track>();
  private readonly taken = new TakenPackets();
  private kept: Kept | undefined;
  private newest = 0;
  /** Readers may begin from then on: tracks that come before are those of the first head. */
  private begunAt: number | undefined;
  /** Until then what follows a change belongs to it; undefined until media follow it. */
  private settledAt: number | undefined;

  /** Returns what readers that have joined get for this message; undefined for none. */
  take(message: Pick<RtmpMessage, 'type' | 'time' | 'body'>): FlvPart | undefined {
    const packets = this.taken.of(message);
    if (packets.length === 0) return undefined;
    const isNew = packets.map((packet) => this.note(packet)).includes(true);
    // What changes before anybody can have begun is no change.
    const isChange = isNew && this.mayBegin;
    if (isChange) this.settledAt = undefined;
    const frames = packets.filter((packet) => packet.holds === 'frame' && this.isDecodable(packet));
    if (frames.length === 0)
      return isChange ? { bytes: Buffer.alloc(0), isStart: false, isHead: false, isChange } : undefined;
    // Configurations may have the time 0 whenever they come.
    const time = this.clock.at(message.time);
    this.newest = Math.max(this.newest, time);
    this.begunAt ??= time + SETTLED_MS;
    this.settledAt ??= time + SETTLED_MS;
    const isStart = frames.some((packet) => this.mayStart(packet));
    if (isStart) this.kept = { time, parts: [], bytes: 0 };
    const blocks = frames.map((packet) => this.block(packet, time));
    return { bytes: Buffer.concat(blocks), isStart, isHead: false, isChange };
  }

  get isSettled(): boolean {
    return this.settledAt !== undefined && this.newest >= this.settledAt;
  }

  private get mayBegin(): boolean {
    return this.begunAt !== undefined && this.newest >= this.begunAt;
  }

  /** Empty where a reader has to wait: for a keyframe, or at first for all tracks. */
  get beginning(): Buffer[] {
    if (this.kept === undefined || !this.mayBegin) return [];
    const entries = [...this.tracks.values()].map(({ entry }) => entry).sort((a, b) => a.number - b.number);
    return [matroskaHead(entries), ...this.kept.parts.map(({ bytes }) => bytes)];
  }

  /** Returns whether the packet brings a track that is new, or another form of one. */
  private note(packet: CodedPacket): boolean {
    const { codec, holds, body } = packet;
    const number = numberOf(packet);
    const { record } = ENHANCED_CODECS[codec]!;
    const known = this.tracks.get(number);
    const isSame = known?.codec === codec;
    const configuration = holds === 'configuration' ? Buffer.from(body) : isSame ? known.configuration : undefined;
    if (isSame && (holds === 'frame' || known.configuration?.equals(body) === true)) return false;
    // Frames whose configuration is missing wait for it.
    if (holds === 'frame' && record === 'needed') return false;
    this.tracks.set(number, { codec, configuration, entry: entryOf(number, packet) });
    this.forget(number, known !== undefined);
    return true;
  }

  private isDecodable(packet: CodedPacket): boolean {
    return this.tracks.get(numberOf(packet))?.codec === packet.codec;
  }

  /** A joiner begins with what follows. Sound changes behind its picture: that keyframe is not waited for again. */
  private forget(number: number, isKnown: boolean): void {
    const { kept } = this;
    if (kept === undefined) return;
    if (number === VIDEO || (isKnown && this.newest - kept.time >= SOUND_BEHIND_MS)) this.kept = undefined;
    else kept.parts = kept.parts.filter(({ track }) => track !== number);
  }

  private block(packet: CodedPacket, time: number): Buffer {
    const track = numberOf(packet);
    const { isKey, body } = packet;
    const bytes = matroskaBlock({ track, time: Math.max(0, time + packet.delayMs), isKey, body });
    const { kept } = this;
    if (kept === undefined) return bytes;
    kept.bytes += bytes.length;
    if (kept.bytes > MAX_KEPT_BYTES) this.kept = undefined;
    else kept.parts.push({ track, bytes });
    return bytes;
  }

  /** A stream with video is joined at a keyframe, one without at any sound. */
  private mayStart({ kind, isKey }: CodedPacket): boolean {
    return kind === 'video' ? isKey : !this.tracks.has(VIDEO);
  }
}

function numberOf({ kind, track }: CodedPacket): number {
  return kind === 'video' ? VIDEO : VIDEO + 1 + track;
}

function entryOf(number: number, { kind, codec, holds, body }: CodedPacket): MatroskaTrack {
  const { name, matroska, record } = ENHANCED_CODECS[codec]!;
  const configuration = holds === 'configuration' && record !== 'left out' ? Buffer.from(body) : undefined;
  if (kind === 'video') return { number, codec: matroska, configuration };
  const { sample_rate, channels } = soundForm(name, body) ?? USUAL_SOUND;
  return { number, codec: matroska, configuration, sound: { sampleRate: sample_rate, channels } };
}
