/** Notices in the frames of a source since when they are black, and since when nothing moves in them. */
import { samplesIn, scaleOf, type FrameForm } from '../light/frame-form.ts';
import { Reduction } from './reduction.ts';

const SMALL = { width: 320, height: 180 };
/** Blocks of 20 × 20 of the small picture, for movement that is soft. */
const BLOCK = 20;
const COLUMNS = SMALL.width / BLOCK;
/** Mean luma in limited range, where black is 16. */
const BLACK_BELOW = 20;
/**
 * A running counter changes some pixels of the small picture by 93 and more, even at 2 % of the height. The noise that x264 makes of a
 * still picture with grain changes no pixel by more than 48 and no block by more than 7 in the mean, at 200 kbit/s for 720p.
 */
const MOVED_PIXEL = 60;
const MOVED_PIXELS = 3;
const MOVED_BLOCK = 8;
/**
 * Soft movement, as of a head before a wall, makes a block lighter or darker as a whole: by 3 and more at a contrast of 30. The noise of
 * codecs and grain lies on both sides of a pixel's value: over a block 1.8 are left of it.
 */
const SHIFTED_BLOCK = 2.5;
/** Ten looks a second find a change soon enough, for 1 ms of a core each. */
const LOOK_MS = 95;

export class PictureWatch {
  private readonly form: FrameForm;
  private readonly reduction: Reduction;
  private readonly luma = new Uint8Array(SMALL.width * SMALL.height);
  /** The picture in which something moved last. */
  private readonly reference = new Uint8Array(SMALL.width * SMALL.height);
  private readonly sums = new Float64Array(COLUMNS * (SMALL.height / BLOCK));
  private readonly shifts = new Float64Array(COLUMNS * (SMALL.height / BLOCK));
  private lookedAt = -Infinity;
  private hasReference = false;
  /** Milliseconds of the clock that `look` gets; undefined while it is not so. */
  blackSince: number | undefined;
  stillSince: number | undefined;

  constructor(form: FrameForm) {
    this.form = form;
    this.reduction = new Reduction(form, SMALL, scaleOf(form));
  }

  /** Takes each frame as it comes, in 4:2:0; most are passed over. */
  look(frame: Uint8Array, now: number): void {
    if (now - this.lookedAt < LOOK_MS) return;
    // What is seen now may have begun right after the look before.
    const since = Math.max(this.lookedAt, now - 2 * LOOK_MS);
    this.lookedAt = now;
    const { luma, reference } = this;
    this.reduction.reduce(samplesIn(frame, this.form), 0, luma);
    let sum = 0;
    for (let n = 0; n < luma.length; n += 1) sum += luma[n]!;
    this.blackSince = sum < BLACK_BELOW * luma.length ? (this.blackSince ?? since) : undefined;
    if (this.hasReference && !this.hasMoved()) return;
    reference.set(luma);
    this.hasReference = true;
    this.stillSince = since;
  }

  /** Another connection begins: nothing is known of it. */
  restart(): void {
    this.hasReference = false;
    this.blackSince = undefined;
    this.stillSince = undefined;
    this.lookedAt = -Infinity;
  }

  private hasMoved(): boolean {
    const { luma, reference, sums, shifts } = this;
    let pixels = 0;
    sums.fill(0);
    shifts.fill(0);
    for (let y = 0, n = 0; y < SMALL.height; y += 1) {
      const row = Math.floor(y / BLOCK) * COLUMNS;
      for (let column = 0; column < COLUMNS; column += 1) {
        let [sum, shift] = [0, 0];
        for (const end = n + BLOCK; n < end; n += 1) {
          const difference = luma[n]! - reference[n]!;
          const distance = Math.abs(difference);
          shift += difference;
          sum += distance;
          if (distance > MOVED_PIXEL) pixels += 1;
        }
        sums[row + column]! += sum;
        shifts[row + column]! += shift;
      }
    }
    const exceeds = (mean: number) => (total: number) => Math.abs(total) > mean * BLOCK * BLOCK;
    return pixels >= MOVED_PIXELS || sums.some(exceeds(MOVED_BLOCK)) || shifts.some(exceeds(SHIFTED_BLOCK));
  }
}
