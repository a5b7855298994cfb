/** Reads the fields of HEVC's parameter sets that a slice header depends on (ITU-T H.265 §7.3.2). */
import type { BitReader } from './bit-reader.ts';

/** A short-term reference picture, §7.4.8: negative deltas come first, each sign from the nearest to the farthest. */
export interface Reference {
  delta: number;
  used: boolean;
}

export interface HevcSps {
  id: number;
  separatePlanes: boolean;
  chromaArrayType: number;
  pocBits: number;
  /** Coding tree blocks in a picture. */
  blocks: number;
  sampleOffset: boolean;
  sets: Reference[][];
  /** Long-term references that the SPS lists; undefined: there are none at all. */
  longTerm: { used: boolean[] } | undefined;
  temporalMvp: boolean;
}

export interface HevcPps {
  id: number;
  spsId: number;
  dependentSlices: boolean;
  outputFlag: boolean;
  extraBits: number;
  cabacInit: boolean;
  references: readonly [number, number];
  sliceChromaOffsets: boolean;
  weightedP: boolean;
  weightedB: boolean;
  entryPoints: boolean;
  filterAcrossSlices: boolean;
  deblockingOverride: boolean;
  deblockingDisabled: boolean;
  listsModification: boolean;
  headerExtension: boolean;
  chromaOffsetList: boolean;
}

/** No stream names more: a higher count is damage, which must not cost minutes. */
const MAX_PARAMETER_SETS = 64;

/** `r` stands behind the two bytes of the NAL header. Throws RangeError. */
export function readHevcSps(r: BitReader): HevcSps {
  r.skip(4);
  const layers = r.bits(3);
  r.skip(1);
  skipProfile(r, layers);
  const id = r.unsigned();
  const chroma = r.unsigned();
  const separatePlanes = chroma === 3 && r.flag();
  const [width, height] = [r.unsigned(), r.unsigned()];
  if (r.flag()) times(4, () => r.unsigned());
  times(2, () => r.unsigned());
  const pocBits = r.unsigned() + 4;
  times((r.flag() ? layers + 1 : 1) * 3, () => r.unsigned());
  const blockBits = r.unsigned() + 3 + r.unsigned();
  times(4, () => r.unsigned());
  if (r.flag() && r.flag()) skipScalingLists(r);
  r.skip(1);
  const sampleOffset = r.flag();
  if (r.flag()) {
    r.skip(8);
    times(2, () => r.unsigned());
    r.skip(1);
  }
  const sets: Reference[][] = [];
  const count = bounded(r.unsigned());
  for (let i = 0; i < count; i += 1) sets.push(readReferences(r, sets, count));
  let longTerm: { used: boolean[] } | undefined;
  if (r.flag()) {
    const listed = bounded(r.unsigned());
    longTerm = { used: Array.from({ length: listed }, () => (r.skip(pocBits), r.flag())) };
  }
  const blocks = Math.ceil(width / 2 ** blockBits) * Math.ceil(height / 2 ** blockBits);
  const chromaArrayType = separatePlanes ? 0 : chroma;
  const temporalMvp = r.flag();
  return { id, separatePlanes, chromaArrayType, pocBits, blocks, sampleOffset, sets, longTerm, temporalMvp };
}

/** Reads num_ref_idx_active_minus1, which is at most 14 (§7.4.7.1). Throws RangeError above it, since arrays of this length follow. */
export function readListLength(r: BitReader): number {
  const length = r.unsigned() + 1;
  if (length > 15) throw new RangeError(`A slice that refers to ${length} pictures.`);
  return length;
}

/** `r` stands behind the two bytes of the NAL header. Throws RangeError. */
export function readHevcPps(r: BitReader): HevcPps {
  const [id, spsId] = [r.unsigned(), r.unsigned()];
  const [dependentSlices, outputFlag, extraBits] = [r.flag(), r.flag(), r.bits(3)];
  r.skip(1);
  const cabacInit = r.flag();
  const references = [readListLength(r), readListLength(r)] as const;
  r.signed();
  r.skip(1);
  const transformSkip = r.flag();
  if (r.flag()) r.unsigned();
  times(2, () => r.signed());
  const [sliceChromaOffsets, weightedP, weightedB] = [r.flag(), r.flag(), r.flag()];
  r.skip(1);
  const [tiles, rows] = [r.flag(), r.flag()];
  if (tiles) {
    const inner = [bounded(r.unsigned()), bounded(r.unsigned())];
    if (!r.flag()) times(inner[0]! + inner[1]!, () => r.unsigned());
    r.skip(1);
  }
  const filterAcrossSlices = r.flag();
  let [deblockingOverride, deblockingDisabled] = [false, false];
  if (r.flag()) {
    [deblockingOverride, deblockingDisabled] = [r.flag(), r.flag()];
    if (!deblockingDisabled) times(2, () => r.signed());
  }
  if (r.flag()) skipScalingLists(r);
  const listsModification = r.flag();
  r.unsigned();
  const headerExtension = r.flag();
  let chromaOffsetList = false;
  if (r.flag()) {
    const range = r.flag();
    if (r.bits(3) !== 0) throw new RangeError('Pictures with layers, depth or screen content cannot be encrypted.');
    r.skip(4);
    if (range) {
      if (transformSkip) r.unsigned();
      r.skip(1);
      chromaOffsetList = r.flag();
    }
  }
  return {
    id,
    spsId,
    dependentSlices,
    outputFlag,
    extraBits,
    cabacInit,
    references,
    sliceChromaOffsets,
    weightedP,
    weightedB,
    entryPoints: tiles || rows,
    filterAcrossSlices,
    deblockingOverride,
    deblockingDisabled,
    listsModification,
    headerExtension,
    chromaOffsetList,
  };
}

/** Reads st_ref_pic_set, §7.3.7 and §7.4.8. `total` counts the sets of the SPS; the one behind them is a slice's own. */
export function readReferences(r: BitReader, earlier: readonly Reference[][], total: number): Reference[] {
  const index = earlier.length;
  if (index > 0 && r.flag()) {
    const back = index === total ? r.unsigned() + 1 : 1;
    const sign = r.flag() ? -1 : 1;
    const step = sign * (r.unsigned() + 1);
    const base = earlier[index - back];
    if (base === undefined) throw new RangeError('A set of references is built on one that there is not.');
    const derived = [...base, { delta: 0, used: false }].flatMap(({ delta }) => {
      const used = r.flag();
      const isKept = used || r.flag();
      return isKept && delta + step !== 0 ? [{ delta: delta + step, used }] : [];
    });
    const before = derived.filter(({ delta }) => delta < 0).sort((a, b) => b.delta - a.delta);
    return [...before, ...derived.filter(({ delta }) => delta > 0).sort((a, b) => a.delta - b.delta)];
  }
  const counts = [bounded(r.unsigned()), bounded(r.unsigned())];
  return counts.flatMap((count, side) => {
    let delta = 0;
    return Array.from({ length: count }, () => {
      delta += (side === 0 ? -1 : 1) * (r.unsigned() + 1);
      return { delta, used: r.flag() };
    });
  });
}

/** Passes over profile_tier_level, §7.3.3: 88 bits of profile, 8 of level, and the same for sub-layers that have their own. */
function skipProfile(r: BitReader, layers: number): void {
  r.skip(96);
  const present = Array.from({ length: layers }, () => (r.flag() ? 88 : 0) + (r.flag() ? 8 : 0));
  if (layers > 0) r.skip((8 - layers) * 2);
  for (const bits of present) r.skip(bits);
}

/** Passes over scaling_list_data, §7.3.4. */
function skipScalingLists(r: BitReader): void {
  for (let size = 0; size < 4; size += 1) {
    for (let matrix = 0; matrix < 6; matrix += size === 3 ? 3 : 1) {
      if (!r.flag()) r.unsigned();
      else times(Math.min(64, 1 << (4 + size * 2)) + (size > 1 ? 1 : 0), () => r.signed());
    }
  }
}

function times(count: number, task: () => unknown): void {
  for (let i = 0; i < count; i += 1) task();
}

function bounded(count: number): number {
  if (count > MAX_PARAMETER_SETS) throw new RangeError(`A parameter set with ${count} entries.`);
  return count;
}
