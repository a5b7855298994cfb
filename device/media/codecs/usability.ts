/** Usability information of a sequence parameter set, which H.264 and HEVC begin alike (ITU-T H.264 §E.1.1, H.265 §E.2.1). */
import { BitReader } from './bit-reader.ts';
import { readAvcSps } from './codec-string.ts';
import { readHevcSps } from './hevc-parameters.ts';

export interface Usability {
  /** Width and height of a pixel. */
  pixel: { width: number; height: number } | undefined;
  /** Numbers of ITU-T H.273. */
  colour: { primaries: number; transfer: number; matrix: number; fullRange: boolean } | undefined;
}

/** Shapes of pixels by their number, table E-1. */
const PIXELS = [
  ...[
    [1, 1],
    [1, 1],
    [12, 11],
    [10, 11],
    [16, 11],
    [40, 33],
    [24, 11],
    [20, 11],
    [32, 11],
  ],
  ...[
    [80, 33],
    [18, 11],
    [15, 11],
    [64, 33],
    [160, 99],
    [4, 3],
    [3, 2],
    [2, 1],
  ],
] as const;
const EXTENDED = 255;

/** Reads that of an SPS of H.264, with its NAL header. Throws RangeError. */
export function avcUsability(sps: Buffer): Usability {
  const bits = new BitReader(sps.subarray(1));
  readAvcSps(bits, sps[1]!);
  return readUsability(bits);
}

/** The same of HEVC. */
export function hevcUsability(sps: Buffer): Usability {
  const bits = new BitReader(sps.subarray(2));
  readHevcSps(bits);
  bits.skip(1);
  return readUsability(bits);
}

/** `bits` stands before the flag that says whether there is any. */
export function readUsability(bits: BitReader): Usability {
  if (!bits.flag()) return { pixel: undefined, colour: undefined };
  const pixel = bits.flag() ? pixelIn(bits) : undefined;
  if (bits.flag()) bits.skip(1);
  return { pixel, colour: bits.flag() ? colourIn(bits) : undefined };
}

function pixelIn(bits: BitReader): Usability['pixel'] {
  const number = bits.bits(8);
  const [width, height] = number === EXTENDED ? [bits.bits(16), bits.bits(16)] : (PIXELS[number] ?? [1, 1]);
  return width === 0 || height === 0 ? undefined : { width, height };
}

function colourIn(bits: BitReader): Usability['colour'] {
  bits.skip(3);
  const fullRange = bits.flag();
  if (!bits.flag()) return undefined;
  return { primaries: bits.bits(8), transfer: bits.bits(8), matrix: bits.bits(8), fullRange };
}
