/** Measures the header of an HEVC slice segment (ITU-T H.265 §7.3.6): an encrypted sample leaves it readable. */
import { BitReader } from './bit-reader.ts';
import {
  readHevcPps,
  readHevcSps,
  readListLength,
  readReferences,
  type HevcPps,
  type HevcSps,
} from './hevc-parameters.ts';
import type { SliceReader } from './sample-map.ts';

const [IDR_W_RADL, IDR_N_LP, FIRST_IRAP, LAST_IRAP, LAST_SLICE, SPS, PPS] = [19, 20, 16, 23, 31, 33, 34];
/** A header with an entry point for each row of 8K in blocks of 16 pixels is shorter. */
const MAX_HEADER = 4096;
const [B, I] = [0, 2];

export class HevcSlices implements SliceReader {
  readonly lengthBytes: number;
  private readonly spss = new Map<number, HevcSps>();
  private readonly ppss = new Map<number, HevcPps>();

  /** `hvcC`: body of the configuration box, ISO/IEC 14496-15 §8.3.3.1. */
  constructor(hvcC: Buffer) {
    this.lengthBytes = (hvcC.readUInt8(21) & 3) + 1;
    let at = 23;
    for (let array = hvcC.readUInt8(22); array > 0; array -= 1) {
      const count = hvcC.readUInt16BE(at + 1);
      at += 3;
      for (let i = 0; i < count; i += 1) {
        const length = hvcC.readUInt16BE(at);
        this.clearBytes(hvcC.subarray(at + 2, at + 2 + length));
        at += 2 + length;
      }
    }
  }

  clearBytes(nal: Buffer): number | undefined {
    const type = (nal.readUInt8(0) >> 1) & 0x3f;
    if (type === SPS) {
      const sps = readHevcSps(new BitReader(nal.subarray(2)));
      this.spss.set(sps.id, sps);
    }
    if (type === PPS) {
      const pps = readHevcPps(new BitReader(nal.subarray(2)));
      this.ppss.set(pps.id, pps);
    }
    if (type > LAST_SLICE) return undefined;
    if ((nal.readUInt16BE(0) & 0x01f8) !== 0) throw new RangeError('Pictures of several layers cannot be encrypted.');
    const reader = new BitReader(nal.subarray(0, MAX_HEADER));
    reader.skip(16);
    this.readHeader(reader, type);
    return reader.bytesRead;
  }

  private readHeader(r: BitReader, nalType: number): void {
    const isFirst = r.flag();
    if (nalType >= FIRST_IRAP && nalType <= LAST_IRAP) r.skip(1);
    const pps = this.ppss.get(r.unsigned());
    const sps = pps && this.spss.get(pps.spsId);
    if (pps === undefined || sps === undefined)
      throw new RangeError('A slice names a parameter set that has not come.');
    let isDependent = false;
    if (!isFirst) {
      if (pps.dependentSlices) isDependent = r.flag();
      r.skip(bitsFor(sps.blocks));
    }
    if (!isDependent) readIndependent(r, sps, pps, nalType);
    if (pps.entryPoints) {
      const count = r.unsigned();
      if (count > 0) {
        const bits = r.unsigned() + 1;
        r.skip(count * bits);
      }
    }
    if (pps.headerExtension) {
      const bytes = r.unsigned();
      r.skip(bytes * 8);
    }
    // byte_alignment is a one, and zeros to the end of the byte.
    if (!r.flag()) throw new RangeError('The header of a slice is not as long as it says.');
  }
}

function readIndependent(r: BitReader, sps: HevcSps, pps: HevcPps, nalType: number): void {
  r.skip(pps.extraBits);
  const type = r.unsigned();
  if (pps.outputFlag) r.skip(1);
  if (sps.separatePlanes) r.skip(2);
  let [references, temporal] = [0, false];
  if (nalType !== IDR_W_RADL && nalType !== IDR_N_LP) {
    r.skip(sps.pocBits);
    references = readReferenceSet(r, sps);
    if (sps.temporalMvp) temporal = r.flag();
  }
  const hasColour = sps.chromaArrayType !== 0;
  let filtered = false;
  if (sps.sampleOffset) {
    const luma = r.flag();
    filtered = (hasColour && r.flag()) || luma;
  }
  if (type !== I) readInter(r, sps, { pps, isB: type === B, references, temporal });
  r.signed();
  if (pps.sliceChromaOffsets) times(2, () => r.signed());
  if (pps.chromaOffsetList) r.skip(1);
  let deblocks = !pps.deblockingDisabled;
  if (pps.deblockingOverride && r.flag()) {
    deblocks = !r.flag();
    if (deblocks) times(2, () => r.signed());
  }
  if (pps.filterAcrossSlices && (filtered || deblocks)) r.skip(1);
}

/** Returns how many pictures the slice may refer to (NumPicTotalCurr). */
function readReferenceSet(r: BitReader, sps: HevcSps): number {
  const { sets, longTerm } = sps;
  const set = r.flag() ? sets[r.bits(bitsFor(sets.length))] : readReferences(r, sets, sets.length);
  if (set === undefined) throw new RangeError('A slice names a set of references that there is not.');
  let count = set.filter(({ used }) => used).length;
  if (longTerm === undefined) return count;
  const listed = longTerm.used.length > 0 ? r.unsigned() : 0;
  const own = r.unsigned();
  for (let i = 0; i < listed + own; i += 1) {
    let used: boolean;
    if (i < listed) used = longTerm.used[r.bits(bitsFor(longTerm.used.length))]!;
    else {
      r.skip(sps.pocBits);
      used = r.flag();
    }
    if (used) count += 1;
    if (r.flag()) r.unsigned();
  }
  return count;
}

interface ReadInterOptions {
  pps: HevcPps;
  isB: boolean;
  references: number;
  temporal: boolean;
}

function readInter(r: BitReader, sps: HevcSps, { pps, isB, references, temporal }: ReadInterOptions): void {
  let [l0, l1] = pps.references;
  if (r.flag()) {
    l0 = readListLength(r);
    if (isB) l1 = readListLength(r);
  }
  const lists = isB ? [l0, l1] : [l0];
  if (pps.listsModification && references > 1)
    for (const count of lists) if (r.flag()) r.skip(count * bitsFor(references));
  if (isB) r.skip(1);
  if (pps.cabacInit) r.skip(1);
  if (temporal) {
    const fromFirst = !isB || r.flag();
    if ((fromFirst ? l0 : l1) > 1) r.unsigned();
  }
  if (isB ? pps.weightedB : pps.weightedP) skipWeights(r, lists, sps.chromaArrayType !== 0);
  r.unsigned();
}

/** Passes over pred_weight_table, §7.3.6.3. */
function skipWeights(r: BitReader, lists: readonly number[], hasColour: boolean): void {
  r.unsigned();
  if (hasColour) r.signed();
  for (const count of lists) {
    const flags = (): boolean[] => Array.from({ length: count }, () => r.flag());
    const luma = flags();
    const chroma = hasColour ? flags() : [];
    luma.forEach((weighted, i) => {
      if (weighted) times(2, () => r.signed());
      if (chroma[i] === true) times(4, () => r.signed());
    });
  }
}

function times(count: number, task: () => unknown): void {
  for (let i = 0; i < count; i += 1) task();
}

/** Returns Ceil(Log2(count)). */
function bitsFor(count: number): number {
  return count <= 1 ? 0 : 32 - Math.clz32(count - 1);
}
