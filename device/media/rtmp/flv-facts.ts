/** Reads from the RTMP messages of a pusher what it sends: codecs, size, measured rate. */
import type { IngestAudio, IngestVideo } from '../../../domain/shapes/sources/ingest.ts';
import { CaptionChannels } from '../captions/cc-channels.ts';
import { frameCaptions } from '../captions/cc-unit.ts';
import { avcFacts, hevcFacts } from '../codecs/codec-string.ts';
import { rotationIn, shownFacts } from '../codecs/picture-facts.ts';
import { H264, HEVC, isSei } from '../codecs/sei.ts';
import { keyframeFacts } from '../codecs/keyframe-facts.ts';
import { soundForm } from '../codecs/sound-records.ts';
import { RateCount } from '../ladder/rate-count.ts';
import { TakenPackets, type CodedPacket } from './coded-packets.ts';
import { ENHANCED_CODECS, FLV_VIDEO } from './enhanced-codecs.ts';
import { isEnhanced } from './flv-bodies.ts';
import { readAmf } from './rtmp-amf0.ts';
import type { RtmpMessage } from './rtmp-chunks.ts';

const START_CODE = Buffer.from([0, 0, 1]);
/** SoundFormat of AAC. */
const AAC = 10;
const SOUND_FORMATS: Record<number, string> = {
  2: 'mp3',
  3: 'pcm',
  7: 'pcm_alaw',
  8: 'pcm_mulaw',
  11: 'speex',
};
/** The types that the codecs have in a transport stream, by which their units are read. */
const STREAM_TYPES: Readonly<Record<string, number>> = { h264: H264, hevc: HEVC };
/** Bytes of AV1's configuration record before its OBUs (AV1 in ISOBMFF §2.3). */
const AV1_RECORD_BYTES = 4;
const FLV_RATES = [5500, 11_025, 22_050, 44_100];

export class FlvFacts {
  private readonly packets = new TakenPackets();
  private picture: Omit<IngestVideo, 'fps'> | undefined;
  /** Keys are the numbers of the tracks. */
  private readonly sounds = new Map<number, IngestAudio>();
  private readonly rate = new RateCount();
  private readonly seen = new CaptionChannels();
  /** Bytes of the length before each unit of a picture. */
  private lengthSize = 4;

  /** Damaged configurations leave what was known before. */
  take({ type, time, body }: RtmpMessage): void {
    if (body.length < 2) return;
    if (type === 18) this.rate.declared = declaredRate(body) ?? this.rate.declared;
    const isPlain = !isEnhanced({ type, body });
    if (type === 8 && isPlain && body[0]! >> 4 !== AAC) return this.takePlainSound(body);
    for (const packet of this.packets.of({ type, body })) {
      if (packet.kind === 'audio') this.takeSound(packet);
      else this.takeVideo(packet, time);
    }
    if (type === 9 && isPlain && FLV_VIDEO[body[0]! & 15] === undefined) this.rate.add(time);
  }

  get video(): IngestVideo | null {
    return this.picture === undefined ? null : { ...this.picture, fps: this.rate.fps ?? null };
  }

  get captions(): string[] {
    return this.seen.all;
  }

  get audio(): IngestAudio[] {
    return [...this.sounds].sort(([a], [b]) => a - b).map(([, sound]) => sound);
  }

  private takeVideo({ codec: fourCc, holds, isKey, body }: CodedPacket, time: number): void {
    const codec = ENHANCED_CODECS[fourCc]!.name;
    const type = STREAM_TYPES[codec];
    if (holds === 'frame') this.rate.add(time);
    if (type === undefined) {
      const isRecord = holds === 'configuration';
      if (isRecord && codec !== 'av1') return;
      const facts =
        isRecord || isKey ? keyframeFacts(codec, isRecord ? body.subarray(AV1_RECORD_BYTES) : body) : undefined;
      if (facts !== undefined) this.picture = { codec, ...facts, rotation: 0 };
    } else if (holds === 'configuration') this.takeRecord(codec, type, body);
    else this.lookAt(type, body);
  }

  private takeRecord(codec: string, type: number, record: Buffer): void {
    const sps = parameterSet(codec, record);
    const size = sps && sizeIn(type, sps);
    if (sps === undefined || size === undefined) return;
    this.lengthSize = ((record[codec === 'h264' ? 4 : 21] ?? 3) & 3) + 1;
    this.picture = { codec, ...size, ...shownFacts(type, sps), rotation: this.picture?.rotation ?? 0 };
  }

  /** Captions lie in the units before a picture, and so does how it is turned. */
  private lookAt(type: number, media: Buffer): void {
    const messages = leadingSei(type, media, this.lengthSize);
    if (messages.length === 0) return;
    for (const { pairs } of frameCaptions(type, messages)) if (pairs !== undefined) this.seen.note(pairs);
    const rotation = rotationIn(type, messages);
    if (rotation !== undefined && this.picture !== undefined) this.picture = { ...this.picture, rotation };
  }

  private takeSound({ track, codec: fourCc, holds, body }: CodedPacket): void {
    const { name: codec, record } = ENHANCED_CODECS[fourCc]!;
    if (holds === 'frame' && (record === 'needed' || this.sounds.get(track)?.codec === codec)) return;
    const form = soundForm(codec, body);
    if (form !== undefined) this.sounds.set(track, { codec, ...form, language: null });
  }

  private takePlainSound(body: Buffer): void {
    const codec = SOUND_FORMATS[body[0]! >> 4];
    if (codec === undefined || this.sounds.has(0)) return;
    const sample_rate = FLV_RATES[(body[0]! >> 2) & 3]!;
    this.sounds.set(0, { codec, channels: 1 + (body[0]! & 1), sample_rate, language: null });
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
    // A crop may be larger than the picture in a damaged one.
    return facts === undefined || facts.width <= 0 || facts.height <= 0
      ? undefined
      : { width: facts.width, height: facts.height };
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
