/** Reads from the packets of a transport stream what it holds: codecs, size, measured rate, languages, captions. */
import type { IngestAudio, IngestVideo } from '../../domain/shapes/sources/ingest.ts';
import { CaptionChannels } from '../media/captions/cc-channels.ts';
import { frameCaptions } from '../media/captions/cc-unit.ts';
import { pictureFacts, VIDEO_CODECS } from '../media/codecs/codec-string.ts';
import { rotationIn, shownFacts } from '../media/codecs/picture-facts.ts';
import { soundFacts } from '../media/codecs/sound-frames.ts';
import { RateCount } from '../media/ladder/rate-count.ts';
import { elementaryBytes, PACKET_BYTES, payloadStart, startsUnit, TICKS_PER_SECOND } from '../media/mpeg-ts/mpeg-ts.ts';
import type { ElementaryStream } from '../media/mpeg-ts/psi.ts';
import { subtitlesOf } from '../media/mpeg-ts/subtitles.ts';
import type { MediaFacts } from './intake.ts';

const LANGUAGE_TAG = 0x0a;
/** Parameter sets and captions lie in the beginning of a picture. */
const HEAD_BYTES = 4096;

export class TsFacts {
  private streams: readonly ElementaryStream[] = [];
  private readonly rate = new RateCount();
  private readonly captions = new CaptionChannels();
  private picture: Omit<IngestVideo, 'fps'> | undefined;
  private readonly sounds = new Map<number, IngestAudio>();
  private head: Buffer[] = [];
  private headBytes = 0;

  setStreams(streams: readonly ElementaryStream[]): void {
    this.streams = streams;
    for (const pid of this.sounds.keys()) if (!streams.some((stream) => stream.pid === pid)) this.sounds.delete(pid);
    if (!streams.some(isVideo)) this.picture = undefined;
  }

  get all(): MediaFacts {
    const audio = this.streams.flatMap(({ pid }) => this.sounds.get(pid) ?? []);
    const video = this.picture === undefined ? null : { ...this.picture, fps: this.rate.fps ?? null };
    return { video, audio, captions: [...this.captions.all, ...subtitlesOf(this.streams)] };
  }

  take(pid: number, data: Buffer, at: number): void {
    const stream = this.streams.find((one) => one.pid === pid);
    if (stream === undefined) return;
    if (stream === this.streams.find(isVideo)) this.takeVideo(stream, data, at);
    else if (startsUnit(data, at)) this.takeSound(stream, elementaryBytes(data, at));
  }

  private takeVideo(stream: ElementaryStream, data: Buffer, at: number): void {
    if (startsUnit(data, at)) {
      this.finishHead(stream);
      const ticks = decodeTime(data, at);
      if (ticks !== undefined) this.rate.add((ticks * 1000) / TICKS_PER_SECOND);
    }
    if (this.headBytes >= HEAD_BYTES) return;
    const bytes = elementaryBytes(data, at);
    this.head.push(bytes);
    this.headBytes += bytes.length;
  }

  private finishHead({ type }: ElementaryStream): void {
    const unit = Buffer.concat(this.head);
    [this.head, this.headBytes] = [[], 0];
    for (const { pairs } of frameCaptions(type, unit)) if (pairs !== undefined) this.captions.note(pairs);
    const picture = pictureFacts(type, unit);
    if (picture === undefined) return;
    this.picture = { ...picture, ...shownFacts(type, unit), rotation: rotationIn(type, unit) ?? 0 };
  }

  private takeSound({ pid, type, descriptors }: ElementaryStream, unit: Buffer): void {
    const sound = soundFacts(type, unit);
    if (sound !== undefined) this.sounds.set(pid, { ...sound, language: languageOf(descriptors) });
  }
}

export function isVideo({ type }: ElementaryStream): boolean {
  return VIDEO_CODECS[type] !== undefined;
}

/** Looks for the parameter sets, or the first slice, of a keyframe in the packet that begins a picture. */
export function startsWithKeyframe(type: number, data: Buffer, at: number): boolean {
  const unit = elementaryBytes(data, at);
  for (let i = 0; i + 3 < unit.length; i += 1) {
    if (unit[i] !== 0 || unit[i + 1] !== 0 || unit[i + 2] !== 1) continue;
    const first = unit[i + 3]!;
    if (type === 0x1b && [5, 7].includes(first & 31)) return true;
    const hevc = (first >> 1) & 63;
    if (type === 0x24 && ((hevc >= 16 && hevc <= 21) || hevc === 32 || hevc === 33)) return true;
    if (type === 0x02 && first === 0xb3) return true;
  }
  return false;
}

/** The DTS of the unit that begins here, or its PTS where that is the same. */
function decodeTime(data: Buffer, at: number): number | undefined {
  const pes = payloadStart(data, at);
  if (pes + 19 > at + PACKET_BYTES || data.readUIntBE(pes, 3) !== 1) return undefined;
  const flags = data[pes + 7]! >> 6;
  if (flags < 2) return undefined;
  const from = pes + (flags === 3 ? 14 : 9);
  const high = (data[from]! >> 1) & 7;
  return high * 2 ** 30 + (data.readUInt16BE(from + 1) >> 1) * 2 ** 15 + (data.readUInt16BE(from + 3) >> 1);
}

function languageOf(descriptors: Buffer): string | null {
  for (let at = 0; at + 2 <= descriptors.length; at += 2 + descriptors[at + 1]!) {
    if (descriptors[at] !== LANGUAGE_TAG) continue;
    const code = descriptors.toString('latin1', at + 2, at + 5).toLowerCase();
    return /^[a-z]{3}$/u.test(code) ? code : null;
  }
  return null;
}
