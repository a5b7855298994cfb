/** Reads the size of pictures, and whether they are HDR, from the headers of AV1, VP9 and VP8, which have no parameter sets beside them. */
import { BitReader } from './bit-reader.ts';
import { HDR } from './picture-facts.ts';

export interface KeyframeFacts {
  width: number;
  height: number;
  interlaced: boolean | null;
  hdr: string | null;
}

const READERS: Readonly<Record<string, (data: Buffer) => KeyframeFacts | undefined>> = {
  av1: av1Facts,
  vp9: vp9Facts,
  vp8: vp8Facts,
};

/** `data` is a keyframe, or the OBUs of AV1's configuration; undefined where it has no header that can be read. */
export function keyframeFacts(codec: string, data: Buffer): KeyframeFacts | undefined {
  try {
    return READERS[codec]?.(data);
  } catch (error) {
    // The bytes end early.
    if (!(error instanceof RangeError)) throw error;
    return undefined;
  }
}

const SEQUENCE_HEADER = 1;

/** Looks for the sequence header among OBUs (AV1 §5.3). */
function av1Facts(data: Buffer): KeyframeFacts | undefined {
  for (let at = 0; at < data.length;) {
    const head = data[at]!;
    at += (head & 4) === 0 ? 1 : 2;
    let size = data.length - at;
    if ((head & 2) !== 0) [size, at] = leb128(data, at);
    if (((head >> 3) & 15) === SEQUENCE_HEADER)
      return av1Sequence(new BitReader(data.subarray(at, at + size), 'plain'));
    at += size;
  }
  return undefined;
}

function leb128(data: Buffer, from: number): [value: number, at: number] {
  let [value, at] = [0, from];
  for (let i = 0; i < 8; i += 1, at += 1) {
    const byte = data.readUInt8(at);
    value += (byte & 127) * 2 ** (7 * i);
    if (byte < 128) return [value, at + 1];
  }
  throw new RangeError('A length has no end.');
}

/** AV1 §5.5.1, as far as the transfer of colours. */
function av1Sequence(bits: BitReader): KeyframeFacts {
  const profile = bits.bits(3);
  bits.skip(1);
  const isReduced = bits.flag();
  if (isReduced) bits.skip(5);
  else skipOperatingPoints(bits);
  const [widthBits, heightBits] = [bits.bits(4) + 1, bits.bits(4) + 1];
  const [width, height] = [bits.bits(widthBits) + 1, bits.bits(heightBits) + 1];
  if (!isReduced && bits.flag()) bits.skip(7);
  bits.skip(3);
  if (!isReduced) skipTools(bits);
  bits.skip(3);
  return { width, height, interlaced: false, hdr: HDR[transferOf(bits, profile)] ?? null };
}

function skipOperatingPoints(bits: BitReader): void {
  let delayBits = 0;
  // Timing, and the model of the decoder in it.
  if (bits.flag()) {
    bits.skip(64);
    if (bits.flag()) bits.unsigned();
    if (bits.flag()) {
      delayBits = bits.bits(5) + 1;
      bits.skip(42);
    }
  }
  const hasDelays = bits.flag();
  for (let count = bits.bits(5) + 1; count > 0; count -= 1) {
    bits.skip(12);
    if (bits.bits(5) > 7) bits.skip(1);
    if (delayBits > 0 && bits.flag()) bits.skip(2 * delayBits + 1);
    if (hasDelays && bits.flag()) bits.skip(4);
  }
}

/** Tools from interintra compound to the bits of order hints. */
function skipTools(bits: BitReader): void {
  bits.skip(4);
  const hasOrder = bits.flag();
  if (hasOrder) bits.skip(2);
  const mayBeScreen = bits.flag() || bits.flag();
  if (mayBeScreen && !bits.flag()) bits.skip(1);
  if (hasOrder) bits.skip(3);
}

/** AV1 §5.5.2. */
function transferOf(bits: BitReader, profile: number): number {
  const isHigh = bits.flag();
  if (profile === 2 && isHigh) bits.skip(1);
  if (profile !== 1) bits.skip(1);
  if (!bits.flag()) return 0;
  bits.skip(8);
  return bits.bits(8);
}

const [VP9_MARKER, VP9_SYNC, VP9_RGB] = [2, 0x498342, 7];

/** VP9 §6.2. Its transfer of colours stands in containers alone. */
function vp9Facts(data: Buffer): KeyframeFacts | undefined {
  const bits = new BitReader(data, 'plain');
  if (bits.bits(2) !== VP9_MARKER) return undefined;
  const profile = bits.bits(1) + 2 * bits.bits(1);
  if (profile === 3) bits.skip(1);
  const [isShownAgain, isInter] = [bits.flag(), bits.flag()];
  bits.skip(2);
  if (isShownAgain || isInter || bits.bits(24) !== VP9_SYNC) return undefined;
  if (profile >= 2) bits.skip(1);
  const isRgb = bits.bits(3) === VP9_RGB;
  if (!isRgb) bits.skip(1);
  if (profile % 2 === 1) bits.skip(isRgb ? 1 : 3);
  return { width: bits.bits(16) + 1, height: bits.bits(16) + 1, interlaced: false, hdr: null };
}

/** RFC 6386 §9.1. */
function vp8Facts(data: Buffer): KeyframeFacts | undefined {
  const isKey = (data.readUInt8(0) & 1) === 0;
  if (!isKey || data.readUIntBE(3, 3) !== 0x9d012a) return undefined;
  const [width, height] = [data.readUInt16LE(6) & 0x3fff, data.readUInt16LE(8) & 0x3fff];
  return { width, height, interlaced: false, hdr: null };
}
