/**
 * Tells whether a lost source is back. The frames that a source has buffered, three or more with SRT, may arrive all at once when its
 * connection is given up, long after the slate went on air. A source that is back keeps coming.
 */

/** A lost source is back once this many ticks have found a new frame: 130 ms at 30 ticks a second. */
const TICKS_TO_RECOVER = 4;
/** The count of such ticks begins again after more ticks in a row without a new frame than this: what came before was a mere burst. */
const MAX_IDLE_TICKS = 10;

export class RecoveryDetector {
  private arrived: number;
  private ticksWithFrame = 0;
  private idleTicks = 0;
  /** The last tick has found that it is back, and none before. */
  isNew = false;

  /** `arrived` counts the frames of the present connection so far. */
  constructor(arrived: number) {
    this.arrived = arrived;
  }

  /** It is called at each tick. */
  hasRecovered(arrived: number): boolean {
    const hasFrame = arrived !== this.arrived;
    this.arrived = arrived;
    this.idleTicks = hasFrame ? 0 : this.idleTicks + 1;
    if (hasFrame) this.ticksWithFrame += 1;
    else if (this.idleTicks > MAX_IDLE_TICKS) this.ticksWithFrame = 0;
    this.isNew = hasFrame && this.ticksWithFrame === TICKS_TO_RECOVER;
    return this.ticksWithFrame >= TICKS_TO_RECOVER;
  }
}
