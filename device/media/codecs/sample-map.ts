/** Finds the bytes of a frame that are encrypted: those of each slice behind its header (ISO/IEC 23001-7 §9.5.2, for NAL unit structures). */

export interface SliceReader {
  /** Size of the length field before each NAL unit. */
  readonly lengthBytes: number;
  /**
   * Returns the bytes of a NAL unit, its header included, that a decoder reads before it decrypts; undefined: the unit has no video data,
   * and all of it stays readable. Parameter sets are kept for later slices. Throws RangeError for a slice that cannot be read.
   */
  clearBytes(nal: Buffer): number | undefined;
}

export interface Subsample {
  clear: number;
  cipher: number;
}

/** BytesOfClearData has 16 bits. */
const MAX_CLEAR = 0xffff;
const BLOCK = 16;

/** cenc encrypts whole blocks at the end of a slice; cbcs takes all bytes behind the header into its pattern. Throws RangeError. */
export function subsamplesOf(sample: Buffer, slices: SliceReader, scheme: 'cenc' | 'cbcs'): Subsample[] {
  const { lengthBytes } = slices;
  const map: Subsample[] = [];
  let clear = 0;
  const add = (cipher: number): void => {
    for (; clear > MAX_CLEAR; clear -= MAX_CLEAR) map.push({ clear: MAX_CLEAR, cipher: 0 });
    map.push({ clear, cipher });
    clear = 0;
  };
  for (let at = 0; at < sample.length;) {
    if (at + lengthBytes > sample.length) throw new RangeError('A sample ends within the length of a NAL unit.');
    const length = sample.readUIntBE(at, lengthBytes);
    const from = at + lengthBytes;
    if (length === 0 || from + length > sample.length)
      throw new RangeError(`A NAL unit of ${length} bytes in a sample of ${sample.length}.`);
    const head = slices.clearBytes(sample.subarray(from, from + length)) ?? length;
    const rest = Math.max(0, length - head);
    const cipher = scheme === 'cenc' ? rest - (rest % BLOCK) : rest;
    clear += lengthBytes + length - cipher;
    if (cipher > 0) add(cipher);
    at = from + length;
  }
  if (clear > 0) add(0);
  return map;
}
