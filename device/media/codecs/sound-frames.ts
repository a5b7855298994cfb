/** Headers of coded sound: ADTS before AAC (ISO/IEC 13818-7 §6.2), MPEG-1 and MPEG-2 audio (ISO/IEC 11172-3 §2.4.1.3), and AC-3. */

/** Hz, by index (ISO/IEC 14496-3 table 1.18). */
export const AAC_RATES = [96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350];

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

const AC3_RATES = [48_000, 44_100, 32_000];
/** Channels by acmod, without the one of low frequencies (ATSC A/52 table 5.8). */
const AC3_CHANNELS = [2, 1, 2, 3, 3, 4, 4, 5];

export interface Sound {
  codec: string;
  channels: number;
  sample_rate: number;
}

/** Reads what a unit with this stream_type holds; undefined for sound that is not known here. */
export function soundFacts(streamType: number, unit: Buffer): Sound | undefined {
  if (streamType === 0x0f) return aac(unit);
  return streamType === 0x03 || streamType === 0x04 ? mpegAudio(unit) : ac3(unit);
}

/** ADTS, ISO/IEC 14496-3 §1.A.2.2. */
function aac(unit: Buffer): Sound | undefined {
  if (unit.length < 7 || unit[0] !== 0xff || (unit[1]! & 0xf6) !== 0xf0) return undefined;
  const sample_rate = AAC_RATES[(unit[2]! >> 2) & 15];
  const channels = ((unit[2]! & 1) << 2) | (unit[3]! >> 6);
  return sample_rate === undefined ? undefined : { codec: 'aac', channels: channels === 7 ? 8 : channels, sample_rate };
}

function mpegAudio(unit: Buffer): Sound | undefined {
  if (unit.length < 4 || unit[0] !== 0xff || (unit[1]! & 0xe0) !== 0xe0) return undefined;
  const rate = MP3_RATES[(unit[2]! >> 2) & 3];
  if (rate === undefined) return undefined;
  const sample_rate = (unit[1]! & 8) === 0 ? rate / 2 : rate;
  const layer = (unit[1]! >> 1) & 3;
  // ADTS has this value.
  if (layer === 0) return undefined;
  return { codec: layer === 1 ? 'mp3' : 'mp2', channels: unit[3]! >> 6 === 3 ? 1 : 2, sample_rate };
}

/** ATSC A/52 §5.3; private streams without its sync word are no sound that is known here. */
function ac3(unit: Buffer): Sound | undefined {
  if (unit.length < 8 || unit.readUInt16BE(0) !== 0x0b77 || unit[5]! >> 3 > 10) return undefined;
  const sample_rate = AC3_RATES[unit[4]! >> 6];
  if (sample_rate === undefined) return undefined;
  const mode = unit[6]! >> 5;
  const levels = ((mode & 1) !== 0 && mode !== 1 ? 2 : 0) + ((mode & 4) === 0 ? 0 : 2) + (mode === 2 ? 2 : 0);
  const hasLow = ((unit.readUInt16BE(6) >> (12 - levels)) & 1) === 1;
  return { codec: 'ac3', channels: AC3_CHANNELS[mode]! + (hasLow ? 1 : 0), sample_rate };
}
