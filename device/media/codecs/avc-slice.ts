/** Measures the header of an H.264 slice (ITU-T H.264 §7.3.3): an encrypted sample leaves it readable. */
import { BitReader } from './bit-reader.ts';
import type { SliceReader } from './sample-map.ts';

interface Sps {
  separatePlanes: boolean;
  chromaArrayType: number;
  frameNumBits: number;
  pocType: number;
  pocBits: number;
  deltaAlwaysZero: boolean;
  frameMbsOnly: boolean;
}

interface Pps {
  spsId: number;
  cabac: boolean;
  bottomFieldOrder: boolean;
  references: readonly [number, number];
  weightedP: boolean;
  weightedB: boolean;
  deblockingControl: boolean;
  redundantCount: boolean;
}

const [SLICE, IDR, SPS, PPS] = [1, 5, 7, 8];
/** Data partitions, auxiliary pictures, layers and views hold video data behind other headers. */
const FOREIGN_SLICES = [2, 3, 4, 19, 20, 21];
/** Profiles with chroma format and scaling lists in their SPS, §7.3.2.1.1. */
const HIGH_PROFILES = [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135];
/** A header with 32 weighted references is far shorter; the data behind it need not be searched for emulation prevention. */
const MAX_HEADER = 2048;
const [P, B, I, SP, SI] = [0, 1, 2, 3, 4];

export class AvcSlices implements SliceReader {
  readonly lengthBytes: number;
  private readonly spss = new Map<number, Sps>();
  private readonly ppss = new Map<number, Pps>();

  /** `avcC`: body of the configuration box, ISO/IEC 14496-15 §5.3.3.1. */
  constructor(avcC: Buffer) {
    this.lengthBytes = (avcC.readUInt8(4) & 3) + 1;
    let at = 6;
    const take = (count: number): void => {
      for (let i = 0; i < count; i += 1) {
        const length = avcC.readUInt16BE(at);
        this.clearBytes(avcC.subarray(at + 2, at + 2 + length));
        at += 2 + length;
      }
    };
    take(avcC.readUInt8(5) & 0x1f);
    at += 1;
    take(avcC.readUInt8(at - 1));
  }

  clearBytes(nal: Buffer): number | undefined {
    const head = nal.readUInt8(0);
    const type = head & 0x1f;
    if (FOREIGN_SLICES.includes(type)) throw new RangeError(`NAL units of type ${type} cannot be encrypted.`);
    if (type === SPS) this.readSps(new BitReader(nal.subarray(1)));
    if (type === PPS) this.readPps(new BitReader(nal.subarray(1)));
    if (type !== SLICE && type !== IDR) return undefined;
    const reader = new BitReader(nal.subarray(0, MAX_HEADER));
    reader.skip(8);
    this.readHeader(reader, type === IDR, (head & 0x60) !== 0);
    return reader.bytesRead;
  }

  private readSps(r: BitReader): void {
    const profile = r.bits(8);
    r.skip(16);
    const id = r.unsigned();
    let [chroma, separatePlanes] = [1, false];
    if (HIGH_PROFILES.includes(profile)) {
      chroma = r.unsigned();
      if (chroma === 3) separatePlanes = r.flag();
      r.unsigned();
      r.unsigned();
      r.skip(1);
      if (r.flag()) for (let i = 0; i < (chroma === 3 ? 12 : 8); i += 1) if (r.flag()) skipScaling(r, i < 6 ? 16 : 64);
    }
    const frameNumBits = r.unsigned() + 4;
    const pocType = r.unsigned();
    let [pocBits, deltaAlwaysZero] = [0, false];
    if (pocType === 0) pocBits = r.unsigned() + 4;
    if (pocType === 1) {
      deltaAlwaysZero = r.flag();
      r.signed();
      r.signed();
      times(r.unsigned(), () => r.signed());
    }
    r.unsigned();
    r.skip(1);
    r.unsigned();
    r.unsigned();
    const chromaArrayType = separatePlanes ? 0 : chroma;
    this.spss.set(id, {
      separatePlanes,
      chromaArrayType,
      frameNumBits,
      pocType,
      pocBits,
      deltaAlwaysZero,
      frameMbsOnly: r.flag(),
    });
  }

  private readPps(r: BitReader): void {
    const [id, spsId] = [r.unsigned(), r.unsigned()];
    const [cabac, bottomFieldOrder] = [r.flag(), r.flag()];
    if (r.unsigned() > 0) throw new RangeError('Pictures with slice groups cannot be encrypted.');
    const references = [r.unsigned() + 1, r.unsigned() + 1] as const;
    const [weightedP, bipred] = [r.flag(), r.bits(2)];
    times(3, () => r.signed());
    const deblockingControl = r.flag();
    r.skip(1);
    this.ppss.set(id, {
      spsId,
      cabac,
      bottomFieldOrder,
      references,
      weightedP,
      deblockingControl,
      weightedB: bipred === 1,
      redundantCount: r.flag(),
    });
  }

  private readHeader(r: BitReader, isIdr: boolean, isReference: boolean): void {
    r.unsigned();
    const type = r.unsigned() % 5;
    const pps = this.ppss.get(r.unsigned());
    const sps = pps && this.spss.get(pps.spsId);
    if (pps === undefined || sps === undefined)
      throw new RangeError('A slice names a parameter set that has not come.');
    if (sps.separatePlanes) r.skip(2);
    r.skip(sps.frameNumBits);
    const isField = !sps.frameMbsOnly && r.flag();
    if (isField) r.skip(1);
    if (isIdr) r.unsigned();
    const both = pps.bottomFieldOrder && !isField;
    if (sps.pocType === 0) r.skip(sps.pocBits);
    if ((sps.pocType === 0 && both) || (sps.pocType === 1 && !sps.deltaAlwaysZero)) r.signed();
    if (sps.pocType === 1 && !sps.deltaAlwaysZero && both) r.signed();
    if (pps.redundantCount) r.unsigned();
    if (type === B) r.skip(1);
    let [l0, l1] = pps.references;
    if ((type === P || type === SP || type === B) && r.flag()) {
      l0 = r.unsigned() + 1;
      if (type === B) l1 = r.unsigned() + 1;
    }
    if (type !== I && type !== SI) skipModification(r);
    if (type === B) skipModification(r);
    if ((pps.weightedP && (type === P || type === SP)) || (pps.weightedB && type === B))
      skipWeights(r, type === B ? [l0, l1] : [l0], sps.chromaArrayType !== 0);
    if (isReference) skipMarking(r, isIdr);
    if (pps.cabac && type !== I && type !== SI) r.unsigned();
    r.signed();
    if (type === SP) r.skip(1);
    if (type === SP || type === SI) r.signed();
    if (pps.deblockingControl && r.unsigned() !== 1) times(2, () => r.signed());
  }
}

function times(count: number, task: () => unknown): void {
  for (let i = 0; i < count; i += 1) task();
}

/** Passes over scaling_list, §7.3.2.1.1.1. */
function skipScaling(r: BitReader, size: number): void {
  let [last, next] = [8, 8];
  for (let i = 0; i < size; i += 1) {
    if (next !== 0) next = (last + r.signed() + 256) % 256;
    last = next === 0 ? last : next;
  }
}

/** Passes over ref_pic_list_modification, §7.3.3.1, which operation 3 ends. */
function skipModification(r: BitReader): void {
  if (!r.flag()) return;
  while (r.unsigned() !== 3) r.unsigned();
}

/** Passes over pred_weight_table, §7.3.3.2. */
function skipWeights(r: BitReader, lists: readonly number[], hasChroma: boolean): void {
  r.unsigned();
  if (hasChroma) r.unsigned();
  for (const count of lists) {
    times(count, () => {
      if (r.flag()) times(2, () => r.signed());
      if (hasChroma && r.flag()) times(4, () => r.signed());
    });
  }
}

/** Passes over dec_ref_pic_marking, §7.3.3.3. */
function skipMarking(r: BitReader, isIdr: boolean): void {
  if (isIdr) return r.skip(2);
  if (!r.flag()) return;
  for (let operation = r.unsigned(); operation !== 0; operation = r.unsigned()) {
    if (operation !== 5) r.unsigned();
    if (operation === 3) r.unsigned();
  }
}
