/** Headers of coded sound: ADTS before AAC (ISO/IEC 13818-7 §6.2), and that of MPEG-1 and MPEG-2 audio (ISO/IEC 11172-3 §2.4.1.3). */

const AAC_RATES = [96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350];

export interface AacFrame {
  /** AudioSpecificConfig, ISO/IEC 14496-3 §1.6.2.1. */
  configuration: Buffer;
  rate: number;
  frame: Buffer;
}

/** Splits ADTS into frames without their headers, which become an AudioSpecificConfig. */
export function adtsFrames(data: Buffer): AacFrame[] {
  const frames: AacFrame[] = [];
  for (let at = 0; at + 7 <= data.length;) {
    if (data[at] !== 0xff || (data[at + 1]! & 0xf6) !== 0xf0) break;
    const length = ((data[at + 3]! & 3) << 11) | (data[at + 4]! << 3) | (data[at + 5]! >> 5);
    const header = (data[at + 1]! & 1) === 1 ? 7 : 9;
    const rateIndex = (data[at + 2]! >> 2) & 15;
    const rate = AAC_RATES[rateIndex];
    if (rate === undefined || length <= header || at + length > data.length) break;
    const objectType = (data[at + 2]! >> 6) + 1;
    const channels = ((data[at + 2]! & 1) << 2) | (data[at + 3]! >> 6);
    const configuration = Buffer.from([(objectType << 3) | (rateIndex >> 1), ((rateIndex & 1) << 7) | (channels << 3)]);
    frames.push({ configuration, rate, frame: data.subarray(at + header, at + length) });
    at += length;
  }
  return frames;
}

/** Rates of MPEG-1, by index. MPEG-2 has halves of them, MPEG-2.5 quarters. */
const MP3_RATES = [44100, 48000, 32000];
const DIVISORS: Record<number, number> = { 3: 1, 2: 2, 0: 4 };
const LAYER_3 = 1;

/** Reads the header of an MP3 frame; undefined where none begins. */
export function mp3Header(data: Buffer): { rate: number; channels: 1 | 2 } | undefined {
  if (data.length < 4 || data[0] !== 0xff || (data[1]! & 0xe0) !== 0xe0) return undefined;
  const divisor = DIVISORS[(data[1]! >> 3) & 3];
  const rate = MP3_RATES[(data[2]! >> 2) & 3];
  if (divisor === undefined || rate === undefined || ((data[1]! >> 1) & 3) !== LAYER_3) return undefined;
  return { rate: rate / divisor, channels: data[3]! >> 6 === 3 ? 1 : 2 };
}
