/** Codecs of MP4 (ISO/IEC 14496-12 §8.5.2) in the form of a transport stream: parameter sets and headers stand in the stream itself. */
import { BitReader } from '../codecs/bit-reader.ts';
import { ByteReader } from '../codecs/byte-reader.ts';
import { boxesIn, type Box } from '../fmp4/fmp4-box.ts';
import { NotRead, STREAM_IDS, TYPES, type Track } from './units.ts';

export interface SampleForm {
  track: Track;
  /** Returns the payload of a PES unit. Throws RangeError for a damaged sample. */
  payload(sample: Buffer, key: boolean): Buffer;
}

/** The boxes in a VisualSampleEntry (§12.1.3) and an AudioSampleEntry (§12.2.3) begin here. */
const VISUAL_ENTRY_BYTES = 78;
const AUDIO_ENTRY_BYTES = 28;
const START_CODE = Buffer.from([0, 0, 0, 1]);
const PARAMETER_SETS = { avc: [7, 8], hevc: [32, 33, 34] };

/** Reads the first entry of an stsd body. Throws NotRead for a codec that a transport stream does not take, or that is encrypted. */
export function sampleForm(stsd: Buffer): SampleForm {
  const [entry] = boxesIn(stsd, 8);
  if (entry === undefined) throw new NotRead('A track has no sample description.');
  switch (entry.type) {
    case 'avc1':
    case 'avc3':
      return videoForm(TYPES.avc, avcSets(configuration(entry, 'avcC', VISUAL_ENTRY_BYTES)), (nal) =>
        PARAMETER_SETS.avc.includes(nal & 0x1f),
      );
    case 'hvc1':
    case 'hev1':
      return videoForm(TYPES.hevc, hevcSets(configuration(entry, 'hvcC', VISUAL_ENTRY_BYTES)), (nal) =>
        PARAMETER_SETS.hevc.includes((nal >> 1) & 0x3f),
      );
    case 'mp4a':
      return mpegSound(configuration(entry, 'esds', AUDIO_ENTRY_BYTES));
    case 'ac-3':
      return asItIs(TYPES.ac3, registration('AC-3'), STREAM_IDS.private);
    case 'ec-3':
      return asItIs(TYPES.eac3, registration('EAC3'), STREAM_IDS.private);
    default:
      throw new NotRead(`Its codec "${entry.type}" is not read here.`);
  }
}

function configuration({ body }: Box, type: string, from: number): Buffer {
  const found = [...boxesIn(body, from)].find((box) => box.type === type);
  if (found === undefined) throw new NotRead(`A track has no ${type}.`);
  return found.body;
}

interface ParameterSets {
  lengthBytes: number;
  sets: Buffer[];
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
      if (PARAMETER_SETS.hevc.includes(type)) sets.push(set);
    }
  }
  return { lengthBytes, sets };
}

/** Each keyframe has its parameter sets before it, so that it can be decoded whatever came before. */
function videoForm(type: number, { lengthBytes, sets }: ParameterSets, isSet: (first: number) => boolean): SampleForm {
  const before = sets.flatMap((set) => [START_CODE, set]);
  return {
    track: { kind: 'video', type, descriptors: Buffer.alloc(0), streamId: STREAM_IDS.video },
    payload(sample, key) {
      const nals: Buffer[] = [];
      for (const reader = new ByteReader(sample); reader.left > 0;) {
        const length = reader.unsigned(lengthBytes);
        const at = reader.skip(length);
        if (length > 0) nals.push(sample.subarray(at, at + length));
      }
      const hasOwn = nals.some((nal) => isSet(nal[0]!));
      return Buffer.concat([...(key && !hasOwn ? before : []), ...nals.flatMap((nal) => [START_CODE, nal])]);
    },
  };
}

function asItIs(type: number, descriptors: Buffer, streamId: number): SampleForm {
  return { track: { kind: 'sound', type, descriptors, streamId }, payload: (sample) => sample };
}

function registration(name: string): Buffer {
  return Buffer.concat([Buffer.from([0x05, 4]), Buffer.from(name, 'latin1')]);
}

/** Tags of ISO/IEC 14496-1 §7.2.2.1, and objectTypeIndication of its table 5. */
const [ES, DECODER_CONFIG, DECODER_SPECIFIC] = [3, 4, 5];
const [MPEG4_AUDIO, MPEG2_MP3, MP3] = [0x40, 0x69, 0x6b];

function mpegSound(esds: Buffer): SampleForm {
  const reader = new ByteReader(esds, 4);
  assertTag(reader, ES);
  reader.skip(2);
  const flags = reader.unsigned(1);
  if ((flags & 0x80) !== 0) reader.skip(2);
  if ((flags & 0x40) !== 0) reader.skip(reader.unsigned(1));
  if ((flags & 0x20) !== 0) reader.skip(2);
  assertTag(reader, DECODER_CONFIG);
  const objectType = reader.unsigned(1);
  if (objectType === MP3 || objectType === MPEG2_MP3) return asItIs(TYPES.mp3, Buffer.alloc(0), STREAM_IDS.sound);
  if (objectType !== MPEG4_AUDIO) throw new NotRead(`Its sound is of type ${objectType}, which is not read here.`);
  reader.skip(12);
  assertTag(reader, DECODER_SPECIFIC);
  return aacForm(reader.rest());
}

function assertTag(reader: ByteReader, tag: number): void {
  if (reader.unsigned(1) !== tag) throw new NotRead('The description of its sound is not read here.');
  while ((reader.unsigned(1) & 0x80) !== 0);
}

const ADTS_BYTES = 7;
const MAX_ADTS_FRAME = 0x1fff;

/** AudioSpecificConfig (ISO/IEC 14496-3 §1.6.2.1) as an ADTS header before each frame, which knows four object types. */
function aacForm(config: Buffer): SampleForm {
  const bits = new BitReader(config);
  const first = bits.bits(5);
  const rate = bits.bits(4);
  if (rate === 15) throw new NotRead('The rate of its sound has no index.');
  const channels = bits.bits(4);
  // SBR and PS are found by the decoder; the core is AAC LC.
  const type = first === 5 || first === 29 ? 2 : first;
  if (type < 1 || type > 4 || channels === 0 || channels > 7)
    throw new NotRead('Its AAC is of a kind that is not read here.');
  const form = asItIs(TYPES.adts, Buffer.alloc(0), STREAM_IDS.sound);
  return {
    ...form,
    payload(sample) {
      const length = sample.length + ADTS_BYTES;
      if (length > MAX_ADTS_FRAME) throw new RangeError(`A frame of sound of ${sample.length} bytes.`);
      const head = Buffer.from([0xff, 0xf1, ((type - 1) << 6) | (rate << 2) | (channels >> 2), 0, 0, 0, 0xfc]);
      head[3] = ((channels & 3) << 6) | (length >> 11);
      head[4] = (length >> 3) & 0xff;
      head[5] = ((length & 7) << 5) | 0x1f;
      return Buffer.concat([head, sample]);
    },
  };
}
