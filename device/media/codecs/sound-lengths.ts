/** Frames of ADTS, MPEG audio and AC-3 say in their headers where they end. */
import { AAC_RATES } from './sound-frames.ts';

export interface SoundFrame {
  bytes: number;
  /** How long it sounds. */
  seconds: number;
}

/** A header is no longer than this. */
export const SOUND_HEADER_BYTES = 7;
/** kbit/s by index from 1; of MPEG-1 layers 1 to 3, and of MPEG-2. ISO/IEC 11172-3 §2.4.2.3, 13818-3 §2.4.2.3. */
const RATES_1 = [
  [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
];
const RATES_2 = [
  [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
];
const HERTZ = [44_100, 48_000, 32_000];
/** The two bits of the version stand for MPEG-2.5, none, MPEG-2 and MPEG-1. */
const DIVISORS = [4, 0, 2, 1];
/** kbit/s, by half of frmsizecod (ATSC A/52 table 5.18). */
const AC3_RATES = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640];
const AC3_HERTZ = [48_000, 44_100, 32_000];
const AC3_SAMPLES = 1536;

/** Reads the header at `at`, of which SOUND_HEADER_BYTES are there; undefined where no frame of this stream_type begins. */
export function soundFrame(streamType: number, data: Buffer, at: number): SoundFrame | undefined {
  if (streamType === 0x0f) return adts(data, at);
  return streamType === 0x03 || streamType === 0x04 ? mpegAudio(data, at) : ac3(data, at);
}

function adts(data: Buffer, at: number): SoundFrame | undefined {
  if (data[at] !== 0xff || (data[at + 1]! & 0xf6) !== 0xf0) return undefined;
  const bytes = ((data[at + 3]! & 3) << 11) | (data[at + 4]! << 3) | (data[at + 5]! >> 5);
  const hertz = AAC_RATES[(data[at + 2]! >> 2) & 15];
  if (hertz === undefined || bytes <= SOUND_HEADER_BYTES) return undefined;
  return { bytes, seconds: (1024 * ((data[at + 6]! & 3) + 1)) / hertz };
}

function mpegAudio(data: Buffer, at: number): SoundFrame | undefined {
  if (data[at] !== 0xff || (data[at + 1]! & 0xe0) !== 0xe0) return undefined;
  const divisor = DIVISORS[(data[at + 1]! >> 3) & 3]!;
  const layer = 4 - ((data[at + 1]! >> 1) & 3);
  const fullHertz = HERTZ[(data[at + 2]! >> 2) & 3];
  if (divisor === 0 || layer === 4 || fullHertz === undefined) return undefined;
  const rates = divisor === 1 ? RATES_1[layer - 1]! : RATES_2[Math.min(layer - 1, 1)]!;
  const rate = rates[(data[at + 2]! >> 4) - 1];
  if (rate === undefined) return undefined;
  const hertz = fullHertz / divisor;
  const padding = (data[at + 2]! >> 1) & 1;
  const samples = layer === 1 ? 384 : layer === 3 && divisor > 1 ? 576 : 1152;
  const slots = layer === 1 ? Math.floor((12_000 * rate) / hertz) : Math.floor((samples * 125 * rate) / hertz);
  return { bytes: (slots + padding) * (layer === 1 ? 4 : 1), seconds: samples / hertz };
}

/** ATSC A/52 §5.3. What has another bsid is E-AC-3. */
function ac3(data: Buffer, at: number): SoundFrame | undefined {
  if (data[at] !== 0x0b || data[at + 1] !== 0x77 || data[at + 5]! >> 3 > 10) return undefined;
  const hertz = AC3_HERTZ[data[at + 4]! >> 6];
  const code = data[at + 4]! & 63;
  const rate = AC3_RATES[code >> 1];
  if (hertz === undefined || rate === undefined) return undefined;
  const words = Math.floor((rate * 1000 * AC3_SAMPLES) / (hertz * 16));
  return { bytes: 2 * (words + (hertz === 44_100 ? code & 1 : 0)), seconds: AC3_SAMPLES / hertz };
}
