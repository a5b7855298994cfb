/** CODECS values (RFC 6381) are read from the media itself, so that a playlist never claims what the encoder did not make. */
import { nalUnits } from './annex-b.ts';
import { BitReader } from './bit-reader.ts';

export interface VideoFacts {
  codecs: string;
  width: number;
  height: number;
}

/** Profiles of H.264 whose SPS states the sampling of colours. */
export const CHROMA_PROFILES = [100, 110, 122, 244, 44, 83, 86, 118, 128];

/** Reads `avc1.PPCCLL` and the cropped size from the first SPS (ITU-T H.264 §7.3.2.1.1); undefined without one. Throws RangeError. */
export function avcFacts(data: Buffer): VideoFacts | undefined {
  for (const nal of nalUnits(data)) {
    if ((nal[0]! & 0x1f) !== 7 || nal.length < 5) continue;
    const hex = nal.subarray(1, 4).toString('hex').toUpperCase();
    const { width, height } = readAvcSps(new BitReader(nal.subarray(1)), nal[1]!);
    return { codecs: `avc1.${hex}`, width, height };
  }
  return undefined;
}

export interface AvcSps {
  width: number;
  height: number;
  /** No picture has two fields. */
  framesOnly: boolean;
  /** Fields and frames alternate within a picture. */
  adaptiveFields: boolean;
}

/** Reads up to the flag that usability information follows, which comes next. `bits` stands behind the NAL header. Throws RangeError. */
export function readAvcSps(bits: BitReader, profile: number): AvcSps {
  bits.skip(24);
  bits.unsigned();
  let chroma = 1;
  if (CHROMA_PROFILES.includes(profile)) {
    chroma = bits.unsigned();
    if (chroma === 3) bits.skip(1);
    bits.unsigned();
    bits.unsigned();
    bits.skip(1);
    if (bits.flag())
      for (let i = 0; i < (chroma === 3 ? 12 : 8); i += 1) if (bits.flag()) skipScalingList(bits, i < 6 ? 16 : 64);
  }
  bits.unsigned();
  const order = bits.unsigned();
  if (order === 0) bits.unsigned();
  if (order === 1) {
    bits.skip(1);
    bits.signed();
    bits.signed();
    for (let count = bits.unsigned(); count > 0; count -= 1) bits.signed();
  }
  bits.unsigned();
  bits.skip(1);
  const columns = bits.unsigned() + 1;
  const rows = bits.unsigned() + 1;
  const framesOnly = bits.flag();
  const fields = framesOnly ? 1 : 2;
  const adaptiveFields = !framesOnly && bits.flag();
  bits.skip(1);
  const [left, right, top, bottom] = bits.flag()
    ? [bits.unsigned(), bits.unsigned(), bits.unsigned(), bits.unsigned()]
    : [0, 0, 0, 0];
  const stepX = chroma === 1 || chroma === 2 ? 2 : 1;
  const stepY = (chroma === 1 ? 2 : 1) * fields;
  const width = columns * 16 - stepX * (left + right);
  return { width, height: rows * 16 * fields - stepY * (top + bottom), framesOnly, adaptiveFields };
}

function skipScalingList(bits: BitReader, size: number): void {
  let next = 8;
  for (let i = 0, last = 8; i < size; i += 1) {
    if (next !== 0) next = (last + bits.signed() + 256) % 256;
    last = next === 0 ? last : next;
  }
}

/** Reads `hvc1.…`, as ISO/IEC 14496-15 annex E.3 writes it, from the profile_tier_level of the first SPS (ITU-T H.265 §7.3.3). Throws RangeError. */
export function hevcFacts(data: Buffer): VideoFacts | undefined {
  for (const nal of nalUnits(data)) {
    if (((nal[0]! >> 1) & 0x3f) !== 33 || nal.length < 16) continue;
    const bits = new BitReader(nal.subarray(2));
    bits.skip(4);
    const subLayers = bits.bits(3);
    bits.skip(1);
    const space = ['', 'A', 'B', 'C'][bits.bits(2)]!;
    const tier = bits.flag() ? 'H' : 'L';
    const profile = bits.bits(5);
    let compatibility = 0;
    for (let i = 0, word = bits.bits(32); i < 32; i += 1, word = Math.floor(word / 2))
      compatibility = compatibility * 2 + (word % 2);
    const constraints = Array.from({ length: 6 }, () => bits.bits(8));
    while (constraints.at(-1) === 0) constraints.pop();
    const level = bits.bits(8);
    const tail = constraints.map((byte) => `.${byte.toString(16).toUpperCase()}`).join('');
    const codecs = `hvc1.${space}${profile}.${compatibility.toString(16).toUpperCase()}.${tier}${level}${tail}`;
    return { codecs, ...hevcSize(bits, subLayers) };
  }
  return undefined;
}

/** Passes over profiles and levels of the sub-layers (ITU-T H.265 §7.3.3), and the id of the parameter set. */
export function skipSubLayers(bits: BitReader, subLayers: number): void {
  const present = Array.from({ length: subLayers }, () => [bits.flag(), bits.flag()] as const);
  if (subLayers > 0) bits.skip(2 * (8 - subLayers));
  for (const [profile, level] of present) bits.skip((profile ? 88 : 0) + (level ? 8 : 0));
  bits.unsigned();
}

function hevcSize(bits: BitReader, subLayers: number): { width: number; height: number } {
  skipSubLayers(bits, subLayers);
  const chroma = bits.unsigned();
  if (chroma === 3) bits.skip(1);
  const width = bits.unsigned();
  const height = bits.unsigned();
  const [left, right, top, bottom] = bits.flag()
    ? [bits.unsigned(), bits.unsigned(), bits.unsigned(), bits.unsigned()]
    : [0, 0, 0, 0];
  const stepX = chroma === 1 || chroma === 2 ? 2 : 1;
  const stepY = chroma === 1 ? 2 : 1;
  return { width: width - stepX * (left + right), height: height - stepY * (top + bottom) };
}

/** Reads `mp4a.40.<object type>` from an ADTS header (ISO/IEC 14496-3 §1.A.2.2); undefined when there is none. */
export function adtsCodec(data: Buffer): string | undefined {
  if (data.length < 4 || data[0] !== 0xff || (data[1]! & 0xf6) !== 0xf0) return undefined;
  return `mp4a.40.${(data[2]! >> 6) + 1}`;
}

/** Returns the CODECS value of an audio stream_type; AAC is read from its header. HLS names MP3 in TS mp4a.40.34. */
export function audioCodec(streamType: number, data: Buffer): string | undefined {
  if (streamType === 0x0f) return adtsCodec(data);
  if (streamType === 0x03 || streamType === 0x04) return 'mp4a.40.34';
  return streamType === 0x06 ? 'opus' : undefined;
}

export function videoFacts(streamType: number, data: Buffer): VideoFacts | undefined {
  try {
    if (streamType === 0x1b) return avcFacts(data);
    return streamType === 0x24 ? hevcFacts(data) : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Codecs by stream_type, ISO/IEC 13818-1 table 2-34. */
export const VIDEO_CODECS: Readonly<Record<number, string>> = { 0x02: 'mpeg2video', 0x1b: 'h264', 0x24: 'hevc' };

export interface CodedPicture {
  codec: string;
  width: number;
  height: number;
}

/** Reads what a unit with this stream_type begins with; undefined without a header that can be read. */
export function pictureFacts(streamType: number, unit: Buffer): CodedPicture | undefined {
  const codec = VIDEO_CODECS[streamType];
  const size = streamType === 0x02 ? mpeg2Size(unit) : videoFacts(streamType, unit);
  return codec === undefined || size === undefined ? undefined : { codec, width: size.width, height: size.height };
}

/** Reads the size of the first sequence header of MPEG-2 (ITU-T H.262 §6.2.2.1); undefined without one. */
function mpeg2Size(unit: Buffer): { width: number; height: number } | undefined {
  const at = unit.indexOf(Buffer.from([0, 0, 1, 0xb3]));
  if (at < 0 || at + 7 > unit.length) return undefined;
  const both = unit.readUIntBE(at + 4, 3);
  return { width: both >> 12, height: both & 0xfff };
}
