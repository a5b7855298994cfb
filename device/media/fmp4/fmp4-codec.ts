/** Reads CODECS values (RFC 6381) and facts of video or audio from a sample description, ISO/IEC 14496-12 §8.5.2. */
import { BitReader } from '../codecs/bit-reader.ts';
import { ByteReader } from '../codecs/byte-reader.ts';
import { boxesIn } from './fmp4-box.ts';

/** Numbers of ITU-T H.273 for primaries, transfer and matrix. */
export interface Colour {
  primaries: number;
  transfer: number;
  matrix: number;
  fullRange: boolean;
}

export interface SampleFacts {
  codecs: string;
  /** Left out for audio, and where the track does not say it. */
  colour?: Colour;
  /** Pixels as coded; set for video only. */
  width?: number;
  height?: number;
  /** Hertz; set for audio only. */
  sampleRate?: number;
  channels?: number;
}

/** The boxes in a VisualSampleEntry (§12.1.3) and an AudioSampleEntry (§12.2.3) begin here. */
const VISUAL_ENTRY_BYTES = 78;
const AUDIO_ENTRY_BYTES = 28;

/** Reads the first entry of an stsd body. Undefined for a codec that is not known here; throws RangeError for an entry that is cut short. */
export function sampleFacts(stsd: Buffer, kind: 'video' | 'audio'): SampleFacts | undefined {
  const [entry] = boxesIn(stsd, 8);
  if (entry === undefined) return undefined;
  const { type, body } = entry;
  const reader = new ByteReader(body);
  if (kind === 'video') {
    reader.skip(24);
    const size = { width: reader.unsigned(2), height: reader.unsigned(2) };
    const boxes = body.subarray(VISUAL_ENTRY_BYTES);
    const colour = colourOf(configuration(boxes, 'colr'));
    const codecs = videoCodec(type, boxes, colour);
    return codecs === undefined ? undefined : { codecs, ...size, ...(colour !== undefined && { colour }) };
  }
  reader.skip(16);
  const channels = reader.unsigned(2);
  reader.skip(6);
  const sampleRate = reader.unsigned(2);
  const facts = audioFacts(type, body.subarray(AUDIO_ENTRY_BYTES));
  return facts === undefined ? undefined : { sampleRate, channels, ...facts };
}

function configuration(boxes: Buffer, type: string): Buffer | undefined {
  return [...boxesIn(boxes)].find((box) => box.type === type)?.body;
}

/** ColourInformationBox, §12.1.5; its other forms hold a profile of ICC. */
function colourOf(colr: Buffer | undefined): Colour | undefined {
  if (colr?.toString('latin1', 0, 4) !== 'nclx') return undefined;
  const reader = new ByteReader(colr, 4);
  const [primaries, transfer, matrix] = [reader.unsigned(2), reader.unsigned(2), reader.unsigned(2)];
  return { primaries, transfer, matrix, fullRange: reader.left > 0 && reader.unsigned(1) >> 7 === 1 };
}

function videoCodec(type: string, boxes: Buffer, colour: Colour | undefined): string | undefined {
  switch (type) {
    case 'avc1':
    case 'avc3':
      return fromConfiguration(configuration(boxes, 'avcC'), (config) => avcCodec(type, config));
    case 'hvc1':
    case 'hev1':
      return fromConfiguration(configuration(boxes, 'hvcC'), (config) => hevcCodec(type, config));
    case 'av01':
      return fromConfiguration(configuration(boxes, 'av1C'), (config) => av1Codec(config, colour));
    case 'vp08':
    case 'vp09':
      return fromConfiguration(configuration(boxes, 'vpcC'), (config) => vpCodec(type, config, colour));
    default:
      return undefined;
  }
}

function audioFacts(type: string, boxes: Buffer): SampleFacts | undefined {
  switch (type) {
    case 'mp4a':
      return fromConfiguration(configuration(boxes, 'esds'), mpegAudioFacts);
    case 'Opus':
      return fromConfiguration(configuration(boxes, 'dOps'), () => ({ codecs: 'opus' }));
    case 'ac-3':
    case 'ec-3':
    case 'fLaC':
      return { codecs: type };
    default:
      return undefined;
  }
}

function fromConfiguration<T>(config: Buffer | undefined, read: (config: Buffer) => T): T | undefined {
  return config === undefined ? undefined : read(config);
}

/** RFC 6381 §3.3: profile, constraints and level of AVCDecoderConfigurationRecord, ISO/IEC 14496-15 §5.3.3.1. */
function avcCodec(type: string, config: Buffer): string {
  const reader = new ByteReader(config, 1);
  return `${type}.${reader.take(3).toString('hex').toUpperCase()}`;
}

/** HEVCDecoderConfigurationRecord, ISO/IEC 14496-15 §8.3.3.1, as annex E.3 writes it. */
function hevcCodec(type: string, config: Buffer): string {
  const reader = new ByteReader(config, 1);
  const first = reader.unsigned(1);
  const space = ['', 'A', 'B', 'C'][first >> 6]!;
  const tier = (first & 0x20) === 0 ? 'L' : 'H';
  let compatibility = 0;
  for (let i = 0, word = reader.unsigned(4); i < 32; i += 1, word = Math.floor(word / 2))
    compatibility = compatibility * 2 + (word % 2);
  const constraints = [...reader.take(6)];
  while (constraints.at(-1) === 0) constraints.pop();
  const level = reader.unsigned(1);
  const tail = constraints.map((byte) => `.${byte.toString(16).toUpperCase()}`).join('');
  return `${type}.${space}${first & 31}.${compatibility.toString(16).toUpperCase()}.${tier}${level}${tail}`;
}

/** Transfers of light beyond SDR, as ITU-T H.273 counts them. */
export const PQ_TRANSFER = 16;
export const HLG_TRANSFER = 18;
const HIGH_RANGE = [PQ_TRANSFER, HLG_TRANSFER];

/** The optional parts of a value stand for BT.709 when they are left out, and a browser takes no PQ of a codec that says so. */
function colourParts(colour: Colour | undefined, chroma: string, digitsOfRange: number): string[] {
  if (colour === undefined || !HIGH_RANGE.includes(colour.transfer)) return [];
  const { primaries, transfer, matrix, fullRange } = colour;
  return [chroma, ...[primaries, transfer, matrix].map(two), String(Number(fullRange)).padStart(digitsOfRange, '0')];
}

/** "AV1 Codec ISO Media File Format Binding" §5: profile, level with tier, bit depth; its optional parts where they say more than the defaults. */
function av1Codec(config: Buffer, colour: Colour | undefined): string {
  const reader = new ByteReader(config, 1);
  const [profileAndLevel, flags] = [reader.unsigned(1), reader.unsigned(1)];
  const depth = (flags & 0x40) === 0 ? 8 : (flags & 0x20) === 0 ? 10 : 12;
  const tier = (flags & 0x80) === 0 ? 'M' : 'H';
  const [monochrome, x, y] = [0x10, 0x08, 0x04].map((bit) => Number((flags & bit) !== 0));
  const position = x === 1 && y === 1 ? flags & 3 : 0;
  const parts = colourParts(colour, `${monochrome}.${x}${y}${position}`, 1);
  const level = `${two(profileAndLevel & 31)}${tier}`;
  return [`av01.${profileAndLevel >> 5}`, level, two(depth), ...parts].join('.');
}

/** "VP Codec ISO Media File Format Binding": profile, level, bit depth; its optional parts likewise. vpcC is a full box. */
function vpCodec(type: string, config: Buffer, colour: Colour | undefined): string {
  const reader = new ByteReader(config, 4);
  const [profile, level, shape] = [reader.unsigned(1), reader.unsigned(1), reader.unsigned(1)];
  const parts = colourParts(colour, two((shape >> 1) & 7), 2);
  return [type, two(profile), two(level), two(shape >> 4), ...parts].join('.');
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

const ES_DESCRIPTOR = 0x03;
const DECODER_CONFIG = 0x04;
const DECODER_SPECIFIC = 0x05;
/** objectTypeIndication of MPEG-4 audio, ISO/IEC 14496-1 table 5; 0x69 and 0x6b are MP2 and MP3. */
const MPEG4_AUDIO = 0x40;

/** RFC 6381 §3.3: the object type, and for MPEG-4 the audio object type of ISO/IEC 14496-3 §1.6.2.1. */
function mpegAudioFacts(esds: Buffer): SampleFacts | undefined {
  const reader = new ByteReader(esds, 4);
  if (descriptor(reader) !== ES_DESCRIPTOR) return undefined;
  reader.skip(2);
  const flags = reader.unsigned(1);
  if ((flags & 0x80) !== 0) reader.skip(2);
  if ((flags & 0x40) !== 0) reader.skip(reader.unsigned(1));
  if ((flags & 0x20) !== 0) reader.skip(2);
  if (descriptor(reader) !== DECODER_CONFIG) return undefined;
  const objectType = reader.unsigned(1);
  if (objectType !== MPEG4_AUDIO) return { codecs: `mp4a.${objectType.toString(16).toUpperCase().padStart(2, '0')}` };
  reader.skip(12);
  if (reader.left < 2 || descriptor(reader) !== DECODER_SPECIFIC) return undefined;
  const bits = new BitReader(reader.rest());
  const short = bits.bits(5);
  const type = short === 31 ? 32 + bits.bits(6) : short;
  if (bits.bits(4) === 15) bits.skip(24);
  // The entry itself says 2, whatever ffmpeg has written; 7 stands for 7.1, 0 for a layout of its own.
  const layout = bits.bits(4);
  return { codecs: `mp4a.40.${type}`, ...(layout === 0 ? {} : { channels: layout === 7 ? 8 : layout }) };
}

/** Tag of the descriptor that begins here; its length, seven bits a byte, is passed over. */
function descriptor(reader: ByteReader): number {
  const tag = reader.unsigned(1);
  while ((reader.unsigned(1) & 0x80) !== 0);
  return tag;
}
