/**
 * The AudioSpecificConfig of AAC (ISO/IEC 14496-3 §1.6.2.1) for MP4 files whose esds box lacks it (ISO/IEC 14496-14 §5.6 asks for it there).
 * ffmpeg writes such files when it writes the index of a transport stream's audio before its first unit.
 */
import { box, boxesIn, type Box } from '../fmp4/fmp4-box.ts';

const RATES = [96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350];
const LOW_COMPLEXITY = 2;
/** Channel configuration 7 stands for eight channels. */
const CONFIGURED_CHANNELS = [1, 2, 3, 4, 5, 6, 8];

const AUDIO_ISO_14496_3 = 0x40;
/** Descriptor tags and sizes, ISO/IEC 14496-1 §7.2.2.1 and §7.2.6.6. */
const ES = 3;
const DECODER_CONFIG = 4;
const DECODER_SPECIFIC = 5;
const DECODER_CONFIG_BYTES = 13;
/** Bytes of an audio SampleEntry between size and type and its boxes (ISO/IEC 14496-12 §12.2.3). */
const ENTRY_BODY_BYTES = 28;

/** Returns the configuration of AAC-LC; undefined for a rate or a number of channels that has no index. */
export function lowComplexityConfig(sampleRate: number, channels: number): Buffer | undefined {
  const rate = RATES.indexOf(sampleRate);
  const configuration = CONFIGURED_CHANNELS.indexOf(channels) + 1;
  if (rate < 0 || configuration === 0) return undefined;
  const config = Buffer.alloc(2);
  config.writeUInt16BE((LOW_COMPLEXITY << 11) | (rate << 7) | (configuration << 3));
  return config;
}

/**
 * Returns the initialisation (ftyp and moov) with an AudioSpecificConfig in every AAC track that had none; undefined when every track had
 * one. The profile can only be LC: any other was named in headers that are gone. Throws RangeError for bytes that are no initialisation.
 */
export function completedInit(init: Buffer): Buffer | undefined {
  let isChanged = false;
  const path = ['moov', 'trak', 'mdia', 'minf', 'stbl'];
  const walk = (outer: Box, depth: number): Buffer => {
    if (outer.type === 'stsd') return box('stsd', outer.body.subarray(0, 8), ...[...boxesIn(outer.body, 8)].map(entry));
    if (outer.type !== path[depth]) return outer.bytes;
    return box(outer.type, ...[...boxesIn(outer.body)].map((inner) => walk(inner, depth + 1)));
  };
  const entry = (sample: Box): Buffer => {
    if (sample.type !== 'mp4a') return sample.bytes;
    const config = lowComplexityConfig(sample.body.readUInt16BE(24), sample.body.readUInt16BE(16));
    const boxes = [...boxesIn(sample.body, ENTRY_BODY_BYTES)].map((inner) => {
      const completed = inner.type === 'esds' && config !== undefined ? completedEsds(inner.body, config) : undefined;
      isChanged ||= completed !== undefined;
      return completed ?? inner.bytes;
    });
    return box('mp4a', sample.body.subarray(0, ENTRY_BODY_BYTES), ...boxes);
  };
  const bytes = Buffer.concat([...boxesIn(init)].map((top) => walk(top, 0)));
  return isChanged ? bytes : undefined;
}

interface Descriptor {
  tag: number;
  bytes: Buffer;
  body: Buffer;
}

function completedEsds(body: Buffer, config: Buffer): Buffer | undefined {
  const [stream, ...others] = descriptorsIn(body.subarray(4));
  // The flags are a stream that depends on another, a URL, and a clock of its own. No track of ours has one.
  if (stream?.tag !== ES || (stream.body[2]! & 0xe0) !== 0) return undefined;
  const inner = descriptorsIn(stream.body.subarray(3));
  const decoder = inner.find(({ tag }) => tag === DECODER_CONFIG);
  if (decoder === undefined || decoder.body[0] !== AUDIO_ISO_14496_3) return undefined;
  const settings = descriptorsIn(decoder.body.subarray(DECODER_CONFIG_BYTES));
  if (settings.some(({ tag }) => tag === DECODER_SPECIFIC)) return undefined;
  const completed = descriptor(
    DECODER_CONFIG,
    decoder.body.subarray(0, DECODER_CONFIG_BYTES),
    descriptor(DECODER_SPECIFIC, config),
    ...settings.map(({ bytes }) => bytes),
  );
  const parts = inner.map((one) => (one === decoder ? completed : one.bytes));
  const whole = descriptor(ES, stream.body.subarray(0, 3), ...parts);
  return box('esds', body.subarray(0, 4), whole, ...others.map(({ bytes }) => bytes));
}

/** A size is written in groups of seven bits, the last without the top bit (ISO/IEC 14496-1 §8.3.3). */
function descriptorsIn(data: Buffer): Descriptor[] {
  const found: Descriptor[] = [];
  for (let at = 0; at + 2 <= data.length;) {
    let size = 0;
    let from = at + 1;
    for (let isMore = true; isMore && from < data.length; from += 1) {
      size = size * 128 + (data[from]! & 0x7f);
      isMore = (data[from]! & 0x80) !== 0;
    }
    if (from + size > data.length) throw new RangeError('A descriptor is longer than what holds it.');
    found.push({ tag: data[at]!, bytes: data.subarray(at, from + size), body: data.subarray(from, from + size) });
    at = from + size;
  }
  return found;
}

function descriptor(tag: number, ...parts: Buffer[]): Buffer {
  const size = parts.reduce((sum, { length }) => sum + length, 0);
  return Buffer.concat([
    Buffer.from([tag, 0x80 | (size >> 21), 0x80 | ((size >> 14) & 0x7f), 0x80 | ((size >> 7) & 0x7f), size & 0x7f]),
    ...parts,
  ]);
}
