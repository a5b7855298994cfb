/** HEVC as MP4 and Enhanced RTMP hold it: parameter sets are apart (ISO/IEC 14496-15 §8.3.3.1), each NAL unit is behind its length. */
import { lengthOf, nalUnits } from './annex-b.ts';
import { BitReader } from './bit-reader.ts';
import { skipSubLayers } from './codec-string.ts';

const VPS = 32;
const SPS = 33;
const PPS = 34;
const DELIMITER = 35;

export interface HevcUnit {
  /** VPS, SPS and PPS; undefined unless the unit has all three. */
  sets: Buffer[] | undefined;
  /** The frame. */
  sample: Buffer;
}

function typeOf(nal: Buffer): number {
  return (nal[0]! >> 1) & 0x3f;
}

export function splitHevc(data: Buffer): HevcUnit {
  const sets: Buffer[] = [];
  const sample: Buffer[] = [];
  for (const nal of nalUnits(data)) {
    const type = typeOf(nal);
    if (type >= VPS && type <= PPS) sets.push(nal);
    else if (type !== DELIMITER) sample.push(lengthOf(nal, 4), nal);
  }
  const isWhole = [VPS, SPS, PPS].every((type) => sets.some((nal) => typeOf(nal) === type));
  return { sets: isWhole ? sets : undefined, sample: Buffer.concat(sample) };
}

/** Returns a HEVCDecoderConfigurationRecord with NAL lengths of four bytes. Throws RangeError for a damaged SPS. */
export function hevcConfiguration(sets: readonly Buffer[]): Buffer {
  const sps = sets.find((nal) => typeOf(nal) === SPS);
  if (sps === undefined) throw new RangeError('There is no sequence parameter set.');
  const { profileTierLevel, chroma, lumaDepth, chromaDepth, layers, nested } = readSps(sps);
  const record = Buffer.alloc(23);
  record[0] = 1;
  profileTierLevel.copy(record, 1);
  // Spatial segmentation and parallelism are unknown, the frame rate is not stated. Reserved bits are ones.
  record.set([0xf0, 0, 0xfc, 0xfc | chroma, 0xf8 | lumaDepth, 0xf8 | chromaDepth, 0, 0], 13);
  record[21] = (layers << 3) | (nested ? 4 : 0) | 3;
  record[22] = 3;
  const arrays = [VPS, SPS, PPS].flatMap((type) => {
    const nals = sets.filter((nal) => typeOf(nal) === type);
    // 0x80: the frames hold no NAL unit of this type.
    const head = Buffer.from([0x80 | type, 0, nals.length]);
    return [head, ...nals.flatMap((nal) => [lengthOf(nal, 2), nal])];
  });
  return Buffer.concat([record, ...arrays]);
}

/** Reads an SPS (ITU-T H.265 §7.3.2.2.1) as far as the record needs it. */
function readSps(sps: Buffer) {
  const bits = new BitReader(sps.subarray(2));
  bits.skip(4);
  const subLayers = bits.bits(3);
  const nested = bits.flag();
  const profileTierLevel = Buffer.from(Array.from({ length: 12 }, () => bits.bits(8)));
  skipSubLayers(bits, subLayers);
  const chroma = bits.unsigned();
  if (chroma === 3) bits.skip(1);
  bits.unsigned();
  bits.unsigned();
  if (bits.flag()) for (let edge = 0; edge < 4; edge += 1) bits.unsigned();
  const [lumaDepth, chromaDepth] = [bits.unsigned(), bits.unsigned()];
  return { profileTierLevel, chroma, lumaDepth, chromaDepth, layers: subLayers + 1, nested };
}
