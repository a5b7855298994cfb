/** Reads from the RTMP messages of a pusher what it sends: codecs, size, measured rate. */
import type { IngestAudio, IngestVideo } from '../../../domain/ingest.ts';
import { avcFacts, hevcFacts, type VideoFacts } from '../codecs/codec-string.ts';
import { RateCount } from '../ladder/rate-count.ts';
import { isConfiguration, isExtended } from './flv-bodies.ts';
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
/** Rates of AudioSpecificConfig, ISO/IEC 14496-3 table 1.18. */
const AAC_RATES = [96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350];
const FLV_RATES = [5500, 11_025, 22_050, 44_100];

export class FlvFacts {
  private picture: Omit<IngestVideo, 'fps'> | undefined;
  private sound: IngestAudio | undefined;
  private readonly rate = new RateCount();

  /** Damaged configurations leave what was known before. */
  take({ type, time, body }: RtmpMessage): void {
    if (body.length < 2) return;
    if (type === 8) this.takeSound(body);
    if (type !== 9) return;
    if (!isConfiguration({ type, body })) this.rate.add(time);
    else this.takePicture(body);
  }

  get video(): IngestVideo | null {
    return this.picture === undefined ? null : { ...this.picture, fps: this.rate.fps ?? null };
  }

  get audio(): IngestAudio[] {
    return this.sound === undefined ? [] : [this.sound];
  }

  private takePicture(body: Buffer): void {
    const codec = isExtended(body) ? FOUR_CC[body.toString('latin1', 1, 5)] : CODEC_IDS[body[0]! & 15];
    const size = sizeOf(codec, body.subarray(5));
    if (codec === undefined || size === undefined) return;
    const { width, height } = size;
    this.picture = { codec, width, height, interlaced: null, rotation: 0, hdr: null };
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

/** The size in the first sequence parameter set of an avcC or hvcC (ISO/IEC 14496-15 §5.3.3.1, §8.3.3.1). */
function sizeOf(codec: string | undefined, record: Buffer): Omit<VideoFacts, 'codecs'> | undefined {
  try {
    if (codec === 'h264') return avcFacts(annexB(record, 6));
    if (codec !== 'hevc') return undefined;
    // Arrays of parameter sets by type; 33 is the sequence parameter set.
    for (let at = 23, arrays = record[22] ?? 0; arrays > 0; arrays -= 1) {
      const kind = record[at]! & 63;
      let count = record.readUInt16BE(at + 1);
      at += 3;
      for (; count > 0; count -= 1) {
        if (kind === 33) return hevcFacts(annexB(record, at));
        at += 2 + record.readUInt16BE(at);
      }
    }
  } catch (error) {
    // The bytes end early: a configuration that no decoder takes either.
    if (!(error instanceof RangeError)) throw error;
  }
  return undefined;
}

/** The parameter set behind its length of two bytes. Throws RangeError. */
function annexB(record: Buffer, at: number): Buffer {
  return Buffer.concat([START_CODE, record.subarray(at + 2, at + 2 + record.readUInt16BE(at))]);
}
