/** Reads from the RTMP messages of a pusher what it sends: codecs, size, measured rate. */
import type { IngestAudio, IngestVideo } from '../../../domain/shapes/sources/ingest.ts';
import { CaptionChannels } from '../captions/cc-channels.ts';
import { frameCaptions } from '../captions/cc-unit.ts';
import { avcFacts, hevcFacts } from '../codecs/codec-string.ts';
import { rotationIn, shownFacts } from '../codecs/picture-facts.ts';
import { H264, HEVC, isSei } from '../codecs/sei.ts';
import { AAC_RATES } from '../codecs/sound-frames.ts';
import { RateCount } from '../ladder/rate-count.ts';
import { isConfiguration, isExtended } from './flv-bodies.ts';
import { readAmf } from './rtmp-amf0.ts';
import type { RtmpMessage } from './rtmp-chunks.ts';

const START_CODE = Buffer.from([0, 0, 1]);
const CODEC_IDS: Record<number, string> = { 2: 'flv1', 4: 'vp6', 7: 'h264', 12: 'hevc' };
const FOUR_CC: Record<string, string> = { avc1: 'h264', hvc1: 'hevc', av01: 'av1', vp09: 'vp9' };
const SOUND_FORMATS: Record<number, string> = {
  2: 'mp3',
  3: 'pcm',
  7: 'pcm_alaw',
  8: 'pcm_mulaw',
  10: 'aac',
  11: 'speex',
};
/** The types that the codecs have in a transport stream, by which their units are read. */
const STREAM_TYPES: Readonly<Record<string, number>> = { h264: H264, hevc: HEVC };
/** VideoPacketType of Enhanced RTMP with a composition time. */
const CODED_FRAMES = 1;
const FLV_RATES = [5500, 11_025, 22_050, 44_100];

export class FlvFacts {
  private picture: Omit<IngestVideo, 'fps'> | undefined;
  private sound: IngestAudio | undefined;
  private readonly rate = new RateCount();
  private readonly seen = new CaptionChannels();
  /** Bytes of the length before each unit of a picture. */
  private lengthSize = 4;

  /** Damaged configurations leave what was known before. */
  take({ type, time, body }: RtmpMessage): void {
    if (body.length < 2) return;
    if (type === 18) this.rate.declared = declaredRate(body) ?? this.rate.declared;
    if (type === 8) this.takeSound(body);
    if (type !== 9) return;
    if (isConfiguration({ type, body })) return this.takePicture(body);
    this.rate.add(time);
    this.lookAt(body);
  }

  get video(): IngestVideo | null {
    return this.picture === undefined ? null : { ...this.picture, fps: this.rate.fps ?? null };
  }

  get captions(): string[] {
    return this.seen.all;
  }

  get audio(): IngestAudio[] {
    return this.sound === undefined ? [] : [this.sound];
  }

  private takePicture(body: Buffer): void {
    const codec = codecOf(body);
    const type = STREAM_TYPES[codec ?? ''];
    const record = body.subarray(5);
    const sps = parameterSet(codec, record);
    if (codec === undefined || type === undefined || sps === undefined) return;
    const size = sizeIn(type, sps);
    if (size === undefined) return;
    this.lengthSize = ((record[codec === 'h264' ? 4 : 21] ?? 3) & 3) + 1;
    this.picture = { codec, ...size, ...shownFacts(type, sps), rotation: this.picture?.rotation ?? 0 };
  }

  /** Captions lie in the units before a picture, and so does how it is turned. */
  private lookAt(body: Buffer): void {
    const type = STREAM_TYPES[codecOf(body) ?? ''];
    if (type === undefined) return;
    const messages = leadingSei(type, body.subarray(mediaStart(body)), this.lengthSize);
    if (messages.length === 0) return;
    for (const { pairs } of frameCaptions(type, messages)) if (pairs !== undefined) this.seen.note(pairs);
    const rotation = rotationIn(type, messages);
    if (rotation !== undefined && this.picture !== undefined) this.picture = { ...this.picture, rotation };
  }

  private takeSound(body: Buffer): void {
    const format = SOUND_FORMATS[body[0]! >> 4];
    if (format === undefined || (format === 'aac' && body[1] !== 0)) return;
    if (format !== 'aac') {
      if (this.sound !== undefined) return;
      const sample_rate = FLV_RATES[(body[0]! >> 2) & 3]!;
      this.sound = { codec: format, channels: 1 + (body[0]! & 1), sample_rate, language: null };
      return;
    }
    if (body.length < 4) return;
    const config = body.readUInt16BE(2);
    const sample_rate = AAC_RATES[(config >> 7) & 15];
    const channels = (config >> 3) & 15;
    if (sample_rate !== undefined)
      this.sound = { codec: 'aac', channels: channels === 7 ? 8 : channels, sample_rate, language: null };
  }
}

/** The rate in the metadata of a pusher (onMetaData); undefined where they have none, or cannot be read. */
function declaredRate(body: Buffer): number | undefined {
  try {
    for (const value of readAmf(body)) {
      if (typeof value !== 'object' || value === null) continue;
      const rate = value['framerate'] ?? value['videoframerate'];
      if (typeof rate === 'number') return rate;
    }
  } catch (error) {
    if (!(error instanceof RangeError || error instanceof TypeError)) throw error;
  }
  return undefined;
}

function codecOf(body: Buffer): string | undefined {
  return isExtended(body) ? FOUR_CC[body.toString('latin1', 1, 5)] : CODEC_IDS[body[0]! & 15];
}

/** The place of the media in a message of coded pictures; some kinds have a composition time before it (Enhanced RTMP v2). */
function mediaStart(body: Buffer): number {
  if (!isExtended(body)) return 5;
  const hasTime = (body[0]! & 15) === CODED_FRAMES;
  return hasTime ? 8 : 5;
}

/** Returns the SEI units before the first slice as a byte stream; the media has a length before each unit. */
function leadingSei(type: number, media: Buffer, lengthSize: number): Buffer {
  const found: Buffer[] = [];
  for (let at = 0; at + lengthSize < media.length;) {
    const from = at + lengthSize;
    const length = media.readUIntBE(at, lengthSize);
    const first = media[from]!;
    const isSlice = type === H264 ? (first & 31) <= 5 : ((first >> 1) & 63) < 32;
    if (isSlice || from + length > media.length) break;
    if (isSei(type, first)) found.push(START_CODE, media.subarray(from, from + length));
    at = from + length;
  }
  return Buffer.concat(found);
}

function sizeIn(type: number, sps: Buffer): { width: number; height: number } | undefined {
  try {
    const facts = type === H264 ? avcFacts(sps) : hevcFacts(sps);
    return facts && { width: facts.width, height: facts.height };
  } catch (error) {
    // A configuration that no decoder takes either.
    if (!(error instanceof RangeError)) throw error;
    return undefined;
  }
}

/** The first sequence parameter set of an avcC or hvcC (ISO/IEC 14496-15 §5.3.3.1, §8.3.3.1), with a start code. */
function parameterSet(codec: string | undefined, record: Buffer): Buffer | undefined {
  try {
    if (codec === 'h264') return annexB(record, 6);
    if (codec !== 'hevc') return undefined;
    // Arrays of parameter sets by type; 33 is the sequence parameter set.
    for (let at = 23, arrays = record[22] ?? 0; arrays > 0; arrays -= 1) {
      const kind = record[at]! & 63;
      let count = record.readUInt16BE(at + 1);
      at += 3;
      for (; count > 0; count -= 1) {
        if (kind === 33) return annexB(record, at);
        at += 2 + record.readUInt16BE(at);
      }
    }
  } catch (error) {
    // The bytes end early.
    if (!(error instanceof RangeError)) throw error;
  }
  return undefined;
}

/** The parameter set behind its length of two bytes. Throws RangeError. */
function annexB(record: Buffer, at: number): Buffer {
  return Buffer.concat([START_CODE, record.subarray(at + 2, at + 2 + record.readUInt16BE(at))]);
}
