/** Makes a plane of a raw frame smaller, by the mean of a few of its pixels for each that is left. */
import type { Size } from './placement.ts';

/** The source pixels along one side, `count` for each pixel that is left. */
interface Taps {
  count: 1 | 2;
  at: Int32Array;
}

/**
 * Reading all pixels of a 1080p frame takes some ms of this thread, and more than two in a row of those that become one make a small
 * picture hardly better.
 */
function tapsOf(from: number, to: number): Taps {
  const ratio = from / to;
  const count = ratio < 1.5 ? 1 : 2;
  const at = new Int32Array(to * count);
  for (let n = 0; n < at.length; n += 1) at[n] = Math.min(from - 1, Math.floor(((n + 0.5) / count) * ratio));
  return { count, at };
}

export class Reduction {
  private readonly from: Size;
  private readonly to: Size;
  private readonly scale: number;
  private readonly columns: Taps;
  private readonly rows: Taps;
  /** Sums of a row, of four pixels at most. */
  private readonly sums: Uint16Array;

  /** Samples are `scale` times as large as those that are wanted. */
  constructor(from: Size, to: Size, scale = 1) {
    this.from = from;
    this.scale = scale;
    this.to = to;
    this.columns = tapsOf(from.width, to.width);
    this.rows = tapsOf(from.height, to.height);
    this.sums = new Uint16Array(to.width);
  }

  /** Reads the plane that begins at `start` of the frame. */
  reduce(frame: Uint8Array | Uint16Array, start: number, into: Uint8Array): void {
    const { from, to, columns, rows, sums } = this;
    const divisor = columns.count * rows.count * this.scale;
    const half = divisor >> 1;
    for (let y = 0; y < to.height; y += 1) {
      sums.fill(0);
      for (let tap = y * rows.count; tap < (y + 1) * rows.count; tap += 1)
        this.addRow(frame, start + rows.at[tap]! * from.width);
      const row = y * to.width;
      for (let x = 0; x < to.width; x += 1) into[row + x] = (sums[x]! + half) / divisor;
    }
  }

  private addRow(frame: Uint8Array | Uint16Array, row: number): void {
    const { columns, sums } = this;
    const { at, count } = columns;
    if (count === 1) for (let x = 0; x < sums.length; x += 1) sums[x]! += frame[row + at[x]!]!;
    else for (let x = 0; x < sums.length; x += 1) sums[x]! += frame[row + at[2 * x]!]! + frame[row + at[2 * x + 1]!]!;
  }
}
