/** Codecs of MP4 and FLV in the form of a transport stream: parameter sets, delimiters and headers stand in the stream itself. */
import { BitReader } from '../codecs/bit-reader.ts';
import { ByteReader } from '../codecs/byte-reader.ts';
import { AAC_RATES } from '../codecs/sound-frames.ts';
import { TICKS_PER_SECOND } from '../mpeg-ts/mpeg-ts.ts';
import { NotRead, STREAM_IDS, TYPES, type Track } from './track.ts';

export interface SampleForm {
  track: Track;
  /** Ticks of 90 kHz of each frame of sound, where the codec says it. */
  frameTicks?: number;
  /** Returns the payload of a PES unit in parts, most of which are those of the sample. Throws RangeError for a damaged one. */
  payload(sample: Buffer, key: boolean): readonly Buffer[];
}

/** NAL units differ between H.264 and HEVC in their types, and the delimiter that every unit begins with (ISO/IEC 13818-1 §2.14.1). */
interface NalForm {
  type: number;
  typeOf(first: number): number;
  sets: readonly number[];
  delimiter: number;
  /** One that allows slices of every type. */
  usualDelimiter: Buffer;
}

const AVC: NalForm = {
  type: TYPES.avc,
  typeOf: (first) => first & 0x1f,
  sets: [7, 8],
  delimiter: 9,
  usualDelimiter: Buffer.from([0x09, 0xf0]),
};
const HEVC: NalForm = {
  type: TYPES.hevc,
  typeOf: (first) => (first >> 1) & 0x3f,
  sets: [32, 33, 34],
  delimiter: 35,
  usualDelimiter: Buffer.from([0x46, 0x01, 0x50]),
};
const START_CODE = Buffer.from([0, 0, 0, 1]);
/** They are some hundred bytes, and stand before each keyframe, however short that is. */
const MAX_SETS_BYTES = 4096;

interface ParameterSets {
  lengthBytes: number;
  sets: Buffer[];
}

/** `record` is an AVCDecoderConfigurationRecord. Throws RangeError for a damaged one. */
export function avcForm(record: Buffer): SampleForm {
  return videoForm(AVC, avcSets(record));
}

/** `record` is a HEVCDecoderConfigurationRecord. Throws RangeError for a damaged one. */
export function hevcForm(record: Buffer): SampleForm {
  return videoForm(HEVC, hevcSets(record));
}

/** AVCDecoderConfigurationRecord, ISO/IEC 14496-15 §5.3.3.1. */
function avcSets(record: Buffer): ParameterSets {
  const reader = new ByteReader(record, 4);
  const lengthBytes = (reader.unsigned(1) & 3) + 1;
  const sets: Buffer[] = [];
  for (const mask of [0x1f, 0xff])
    for (let left = reader.unsigned(1) & mask; left > 0; left -= 1) sets.push(reader.take(reader.unsigned(2)));
  return { lengthBytes, sets };
}

/** HEVCDecoderConfigurationRecord, ISO/IEC 14496-15 §8.3.3.1. */
function hevcSets(record: Buffer): ParameterSets {
  const reader = new ByteReader(record, 21);
  const lengthBytes = (reader.unsigned(1) & 3) + 1;
  const sets: Buffer[] = [];
  for (let arrays = reader.unsigned(1); arrays > 0; arrays -= 1) {
    const type = reader.unsigned(1) & 0x3f;
    for (let left = reader.unsigned(2); left > 0; left -= 1) {
      const set = reader.take(reader.unsigned(2));
      if (HEVC.sets.includes(type)) sets.push(set);
    }
  }
  return { lengthBytes, sets };
}

/** Each keyframe has its parameter sets before it, so that it can be decoded whatever came before. Throws NotRead for sets that are too long. */
function videoForm(form: NalForm, { lengthBytes, sets }: ParameterSets): SampleForm {
  const bytes = sets.reduce((sum, { length }) => sum + length, 0);
  if (bytes > MAX_SETS_BYTES) throw new NotRead(`Its parameter sets have ${bytes} bytes.`);
  // A part of a larger piece of memory would keep it alive.
  const own = [Buffer.alloc(bytes + sets.length * START_CODE.length)];
  sets.reduce((at, set) => at + START_CODE.copy(own[0]!, at) + set.copy(own[0]!, at + START_CODE.length), 0);
  const usual = [START_CODE, form.usualDelimiter];
  return {
    track: { kind: 'video', type: form.type, descriptors: Buffer.alloc(0), streamId: STREAM_IDS.video },
    payload(sample, key) {
      const { units, delimiter, hasSets } = nalsOf(form, sample, lengthBytes);
      const first = delimiter === undefined ? usual : [START_CODE, delimiter];
      return key && !hasSets ? [...first, ...own, ...units] : [...first, ...units];
    },
  };
}

/** The NAL units of a sample, each behind a start code. Delimiters are not among them: the first is apart. */
interface Nals {
  units: Buffer[];
  delimiter: Buffer | undefined;
  hasSets: boolean;
}

function nalsOf(form: NalForm, sample: Buffer, lengthBytes: number): Nals {
  const nals: Nals = { units: [], delimiter: undefined, hasSets: false };
  for (let at = 0; at < sample.length;) {
    const from = at + lengthBytes;
    const to = from + sample.readUIntBE(at, lengthBytes);
    if (to > sample.length) throw new RangeError('A NAL unit ends behind its sample.');
    at = to;
    if (from === to) continue;
    const type = form.typeOf(sample[from]!);
    if (type === form.delimiter) nals.delimiter ??= sample.subarray(from, to);
    else {
      nals.units.push(START_CODE, sample.subarray(from, to));
      nals.hasSets ||= form.sets.includes(type);
    }
  }
  return nals;
}

export function asItIs(type: number, descriptors: Buffer, streamId: number): SampleForm {
  return { track: { kind: 'sound', type, descriptors, streamId }, payload: (sample) => [sample] };
}

export function registration(name: string): Buffer {
  return Buffer.concat([Buffer.from([0x05, 4]), Buffer.from(name, 'latin1')]);
}

const ADTS_BYTES = 7;
const AAC_SAMPLES = 1024;
const MAX_ADTS_FRAME = 0x1fff;
/** The index of a rate that stands behind it. */
const NO_INDEX = 15;

/** Object types of AAC that have SBR, and PS, beside a core (ISO/IEC 14496-3 table 1.17). */
const [SBR, PS] = [5, 29];

/**
 * AudioSpecificConfig (ISO/IEC 14496-3 §1.6.2.1) as an ADTS header before each frame, which knows four object types. Throws NotRead for others,
 * and RangeError for a damaged configuration.
 */
export function aacForm(config: Buffer): SampleForm {
  const bits = new BitReader(config, 'plain');
  const first = bits.bits(5);
  const rate = bits.bits(4);
  if (AAC_RATES[rate] === undefined) throw new NotRead('The rate of its sound has no index.');
  const channels = bits.bits(4);
  // SBR and PS are found by the decoder.
  const type = first === SBR || first === PS ? coreType(bits) : first;
  // Frames of 960 samples, a core beneath, extensions.
  const isPlain = bits.bits(3) === 0;
  if (!isPlain || type < 1 || type > 4 || channels === 0 || channels > 7)
    throw new NotRead('Its AAC is of a kind that is not read here.');
  const form = asItIs(TYPES.adts, Buffer.alloc(0), STREAM_IDS.sound);
  return {
    ...form,
    frameTicks: (AAC_SAMPLES * TICKS_PER_SECOND) / AAC_RATES[rate]!,
    payload(sample) {
      if (isAdts(sample)) return [sample];
      const length = sample.length + ADTS_BYTES;
      if (length > MAX_ADTS_FRAME) throw new RangeError(`A frame of sound of ${sample.length} bytes.`);
      const head = Buffer.allocUnsafe(ADTS_BYTES);
      head[0] = 0xff;
      head[1] = 0xf1;
      head[2] = ((type - 1) << 6) | (rate << 2) | (channels >> 2);
      head[3] = ((channels & 3) << 6) | (length >> 11);
      head[4] = (length >> 3) & 0xff;
      head[5] = ((length & 7) << 5) | 0x1f;
      head[6] = 0xfc;
      return [head, sample];
    },
  };
}

function coreType(bits: BitReader): number {
  if (bits.bits(4) === NO_INDEX) bits.skip(24);
  return bits.bits(5);
}

/** Some encoders leave the header before frames that need none. */
function isAdts(sample: Buffer): boolean {
  return sample.length > ADTS_BYTES && sample[0] === 0xff && (sample[1]! & 0xf6) === 0xf0;
}
