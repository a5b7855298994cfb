/** Finds what an operator would see and hear at a glance: a picture that is black or stands still, and sound that is not there. */
import { SIGNAL_FLAGS, type Peaks } from '../../../domain/live-picture.ts';
import type { LadderPlan } from '../../media/ladder/ladder-plan.ts';
import { Reduction } from '../../media/frames/reduction.ts';

const SIZE = { width: 160, height: 90 };
/** Mean luma in limited range, where black is 16. */
const BLACK_BELOW = 20;
/** Mean difference of the luma of two samples. The noise of a still frame that is encoded again is less, and so is a clock in a corner. */
const FROZEN_BELOW = 0.5;
const SILENT_BELOW_DBFS = -60;
/** A pause of music or a slide is no fault. */
const FAULT_SECONDS = 10;

export class SignalDetector {
  private readonly reduction: Reduction | undefined;
  private luma = new Uint8Array(SIZE.width * SIZE.height);
  private previous = new Uint8Array(SIZE.width * SIZE.height);
  private hasPrevious = false;
  private frozenSeconds = 0;
  private silentSeconds = 0;

  constructor(plan: Pick<LadderPlan, 'hasVideo' | 'width' | 'height'>) {
    this.reduction = plan.hasVideo ? new Reduction(plan, SIZE) : undefined;
  }

  /** It is called once a second. Returns bits of SIGNAL_FLAGS. */
  sample(frame: Uint8Array | undefined, peaks: Peaks | undefined): number {
    return this.flagsOfFrame(frame) | this.flagsOfSound(peaks);
  }

  private flagsOfFrame(frame: Uint8Array | undefined): number {
    if (this.reduction === undefined || frame === undefined) return 0;
    const { luma, previous } = this;
    this.reduction.reduce(frame, 0, luma);
    let [sum, difference] = [0, 0];
    for (let n = 0; n < luma.length; n += 1) {
      sum += luma[n]!;
      difference += Math.abs(luma[n]! - previous[n]!);
    }
    const isSame = this.hasPrevious && difference < FROZEN_BELOW * luma.length;
    this.frozenSeconds = isSame ? this.frozenSeconds + 1 : 0;
    this.hasPrevious = true;
    this.luma = previous;
    this.previous = luma;
    const black = sum < BLACK_BELOW * luma.length ? SIGNAL_FLAGS.black : 0;
    return black | (this.frozenSeconds >= FAULT_SECONDS ? SIGNAL_FLAGS.frozen : 0);
  }

  private flagsOfSound(peaks: Peaks | undefined): number {
    if (peaks === undefined) return 0;
    this.silentSeconds = Math.max(...peaks) < SILENT_BELOW_DBFS ? this.silentSeconds + 1 : 0;
    return this.silentSeconds >= FAULT_SECONDS ? SIGNAL_FLAGS.silent : 0;
  }
}
