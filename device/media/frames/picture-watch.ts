/** Notices in the frames of a source since when they are black, and since when nothing moves in them. */
import type { Size } from './placement.ts';
import { Reduction } from './reduction.ts';

const SMALL = { width: 160, height: 90 };
/** Blocks of 10 × 10 of the small picture, of which one is enough for a movement: a running counter in a corner is one. */
const BLOCK = 10;
const COLUMNS = SMALL.width / BLOCK;
/** Mean luma in limited range, where black is 16. */
const BLACK_BELOW = 20;
/** Mean difference of the luma of a block. A still picture that was encoded again stays below it, whatever its grain. */
const MOVED_ABOVE = 2;
/** Ten looks a second find a change soon enough, for 0.2 ms of a core each. */
const LOOK_MS = 95;

export class PictureWatch {
  private readonly reduction: Reduction;
  private readonly luma = new Uint8Array(SMALL.width * SMALL.height);
  /** The picture in which something moved last. */
  private readonly reference = new Uint8Array(SMALL.width * SMALL.height);
  private readonly sums = new Float64Array(COLUMNS * (SMALL.height / BLOCK));
  private lookedAt = -Infinity;
  private hasReference = false;
  /** Milliseconds of the clock that `look` gets; undefined while it is not so. */
  blackSince: number | undefined;
  stillSince: number | undefined;

  constructor(size: Size) {
    this.reduction = new Reduction(size, SMALL);
  }

  /** Takes each frame as it comes, in 4:2:0; most are passed over. */
  look(frame: Uint8Array, now: number): void {
    if (now - this.lookedAt < LOOK_MS) return;
    this.lookedAt = now;
    const { luma, reference } = this;
    this.reduction.reduce(frame, 0, luma);
    let sum = 0;
    for (let n = 0; n < luma.length; n += 1) sum += luma[n]!;
    this.blackSince = sum < BLACK_BELOW * luma.length ? (this.blackSince ?? now) : undefined;
    if (this.hasReference && !this.hasMoved()) return;
    reference.set(luma);
    this.hasReference = true;
    this.stillSince = now;
  }

  /** Another connection begins: nothing is known of it. */
  restart(): void {
    this.hasReference = false;
    this.blackSince = undefined;
    this.stillSince = undefined;
    this.lookedAt = -Infinity;
  }

  private hasMoved(): boolean {
    const { luma, reference, sums } = this;
    sums.fill(0);
    for (let y = 0, n = 0; y < SMALL.height; y += 1) {
      const row = Math.floor(y / BLOCK) * COLUMNS;
      for (let x = 0; x < SMALL.width; x += 1, n += 1)
        sums[row + Math.floor(x / BLOCK)]! += Math.abs(luma[n]! - reference[n]!);
    }
    return sums.some((total) => total > MOVED_ABOVE * BLOCK * BLOCK);
  }
}
