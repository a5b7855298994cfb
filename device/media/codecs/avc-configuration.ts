/** H.264 as MP4 and FLV hold it: parameter sets in a record (ISO/IEC 14496-15 §5.3.3.1), each NAL unit behind its length. */
import { lengthOf, nalUnits } from './annex-b.ts';
import { BitReader } from './bit-reader.ts';
import { CHROMA_PROFILES } from './codec-string.ts';

const SPS = 7;
const PPS = 8;
const DELIMITER = 9;

export interface AvcUnit {
  /** SPS and PPS; undefined unless the unit has both. */
  sets: Buffer[] | undefined;
  /** The frame. Its parameter sets stay in it, too, for servers that look for them there. */
  sample: Buffer;
}

function typeOf(nal: Buffer): number {
  return nal[0]! & 0x1f;
}

export function splitAvc(data: Buffer): AvcUnit {
  const nals = nalUnits(data).filter((nal) => typeOf(nal) !== DELIMITER);
  const sets = nals.filter((nal) => typeOf(nal) === SPS || typeOf(nal) === PPS);
  const isWhole = [SPS, PPS].every((type) => sets.some((nal) => typeOf(nal) === type));
  const sample = Buffer.concat(nals.flatMap((nal) => [lengthOf(nal, 4), nal]));
  return { sets: isWhole ? sets : undefined, sample: sets.length === nals.length ? Buffer.alloc(0) : sample };
}

/** Returns an AVCDecoderConfigurationRecord with NAL lengths of four bytes. Throws RangeError for a damaged SPS. */
export function avcConfiguration(sets: readonly Buffer[]): Buffer {
  const all = [SPS, PPS].map((type) => sets.filter((nal) => typeOf(nal) === type));
  const [sps] = all[0]!;
  if (sps === undefined || sps.length < 4) throw new RangeError('There is no sequence parameter set.');
  // Reserved bits are ones.
  const counts = [0xe0 | all[0]!.length, all[1]!.length];
  const parts = all.flatMap((nals, i) => [
    Buffer.from([counts[i]!]),
    ...nals.flatMap((nal) => [lengthOf(nal, 2), nal]),
  ]);
  return Buffer.concat([Buffer.from([1, sps[1]!, sps[2]!, sps[3]!, 0xff]), ...parts, depths(sps)]);
}

/** The end of the record for the profiles above Main: sampling of colours, depths of bits, and no SPS extensions. */
function depths(sps: Buffer): Buffer {
  if (!CHROMA_PROFILES.includes(sps[1]!)) return Buffer.alloc(0);
  const bits = new BitReader(sps.subarray(1));
  bits.skip(24);
  bits.unsigned();
  const chroma = bits.unsigned();
  if (chroma === 3) bits.skip(1);
  return Buffer.from([0xfc | chroma, 0xf8 | bits.unsigned(), 0xf8 | bits.unsigned(), 0]);
}
