/** Makes a plane of a raw frame smaller, by the mean of a few of its pixels for each that is left. */
import type { Size } from './placement.ts';

/** The source pixels along one side, `count` for each pixel that is left. */
interface Taps {
  count: number;
  at: Int32Array;
}

/** Reading all pixels of a 1080p frame takes some ms of this thread. In a small picture nine of 36, or four of nine, cannot be told from all. */
function tapsOf(from: number, to: number): Taps {
  const ratio = from / to;
  const count = ratio < 1.5 ? 1 : ratio < 4 ? 2 : 3;
  const at = new Int32Array(to * count);
  for (let n = 0; n < at.length; n += 1) at[n] = Math.min(from - 1, Math.floor(((n + 0.5) / count) * ratio));
  return { count, at };
}

export class Reduction {
  private readonly from: Size;
  private readonly to: Size;
  private readonly columns: Taps;
  private readonly rows: Taps;
  /** Sums of a row: nine pixels of 255 fit well. */
  private readonly sums: Uint16Array;

  constructor(from: Size, to: Size) {
    this.from = from;
    this.to = to;
    this.columns = tapsOf(from.width, to.width);
    this.rows = tapsOf(from.height, to.height);
    this.sums = new Uint16Array(to.width);
  }

  /** Reads the plane that begins at `start` of the frame. */
  reduce(frame: Uint8Array, start: number, into: Uint8Array): void {
    const { from, to, columns, rows, sums } = this;
    const pixels = columns.count * rows.count;
    const half = pixels >> 1;
    for (let y = 0; y < to.height; y += 1) {
      sums.fill(0);
      for (let tap = y * rows.count; tap < (y + 1) * rows.count; tap += 1)
        this.addRow(frame, start + rows.at[tap]! * from.width);
      const row = y * to.width;
      for (let x = 0; x < to.width; x += 1) into[row + x] = (sums[x]! + half) / pixels;
    }
  }

  private addRow(frame: Uint8Array, row: number): void {
    const { columns, sums } = this;
    const { at, count } = columns;
    for (let x = 0, n = 0; x < sums.length; x += 1)
      for (const end = n + count; n < end; n += 1) sums[x]! += frame[row + at[n]!]!;
  }
}
