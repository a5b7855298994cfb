/**
 * Whether a source that is read as fast as it comes is live: that one comes at the pace of time once it has given what it kept for joiners.
 * A file does not, nor would it be watched that fast.
 */

/** Over three frames at 25 a second and more. */
const WINDOW_MS = 120;
/** Sources do not come evenly. */
const SLACK = 1.6;
/** Media ahead of time that no live source gives: some begin with seconds that they have kept for joiners. */
const MOST_AHEAD_SECONDS = 6;

export class LivePace {
  private readonly framesPerSecond: number;
  private frames = 0;
  private firstAt: number | undefined;
  private window = { from: 0, frames: 0 };
  /** It has come at the pace of time. */
  isLive = false;
  /** It has been faster for too long. */
  isFile = false;

  constructor(framesPerSecond: number) {
    this.framesPerSecond = framesPerSecond;
  }

  /** A frame has come. */
  frame(nowMs: number): void {
    if (this.firstAt === undefined) {
      this.firstAt = nowMs;
      this.window.from = nowMs;
    }
    this.frames += 1;
    this.window.frames += 1;
    const aheadSeconds = this.frames / this.framesPerSecond - (nowMs - this.firstAt) / 1000;
    this.isFile ||= aheadSeconds > MOST_AHEAD_SECONDS;
    const seconds = (nowMs - this.window.from) / 1000;
    if (seconds < WINDOW_MS / 1000) return;
    this.isLive ||= !this.isFile && this.window.frames <= seconds * this.framesPerSecond * SLACK;
    this.window = { from: nowMs, frames: 0 };
  }
}
