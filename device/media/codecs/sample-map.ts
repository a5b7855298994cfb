/** Which bytes of a picture are encrypted: of each slice what follows its header (ISO/IEC 23001-7 §9.5.2, for NAL unit structures). */

export interface SliceReader {
  /** Bytes of the length before each NAL unit. */
  readonly lengthBytes: number;
  /**
   * Bytes of a NAL unit, its header included, that a decoder reads before it decrypts; undefined: no picture data, all of it stays
   * readable. Parameter sets on the way are taken in. Throws RangeError for a slice that cannot be read.
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

/** cenc encrypts whole blocks of a slice, the odd bytes stay before them; cbcs takes the rest of the slice into its pattern. */
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
