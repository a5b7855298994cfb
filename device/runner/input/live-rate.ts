/**
 * Tells whether a source that is read as fast as it comes is live: a live one comes at the rate of time once it has given what it kept for
 * joiners. A file does not, nor would it be watched that fast.
 */

/** The window holds more than three frames at 25 a second. */
const WINDOW_MS = 120;
/** Sources do not come evenly. */
const SLACK = 1.6;
/** A gap may take so much of a window: a pause and what comes behind it tell no rate, be it a file's or a busy machine's. */
const MAX_GAP = 0.6;
/** A window holds three pictures of a source that has few, each shown several times. */
const MAX_KEPT = 60;
/**
 * A silence of this length shows a live source, too: it waits while a keyframe goes over its line, 0.3 s at 100 kbit/s. A source that has
 * given more than joiners need to begin may be a file over a line that stands still.
 */
export const PAUSE_MS = 200;
const PAUSE_AHEAD_SECONDS = 3;
/** No live source gives so much media ahead of time; some begin with seconds that they have kept for joiners. */
const MAX_AHEAD_SECONDS = 6;

export class LiveRate {
  private readonly framesPerSecond: number;
  private frames = 0;
  private firstAt: number | undefined;
  /** Arrival times of the last frames, in milliseconds. */
  private arrivals: number[] = [];
  /** The source has come at the rate of time. */
  isLive = false;
  /** The source has been faster than time for too long. */
  isFile = false;

  constructor(framesPerSecond: number) {
    this.framesPerSecond = framesPerSecond;
  }

  frame(nowMs: number): void {
    this.firstAt ??= nowMs;
    this.frames += 1;
    this.isFile ||= this.aheadSeconds(nowMs) > MAX_AHEAD_SECONDS;
    if (this.isLive || this.isFile) return;
    this.arrivals.push(nowMs);
    if (this.arrivals.length > MAX_KEPT) this.arrivals.shift();
    this.isLive = this.isSteady(nowMs);
  }

  /** No frame has come for PAUSE_MS; returns whether that shows now that the source is live. */
  pause(nowMs: number): boolean {
    if (this.isLive || this.isFile || this.aheadSeconds(nowMs) > PAUSE_AHEAD_SECONDS) return false;
    this.isLive = true;
    return true;
  }

  private aheadSeconds(nowMs: number): number {
    return this.frames / this.framesPerSecond - (nowMs - (this.firstAt ?? nowMs)) / 1000;
  }

  /** Some window that ends now is steady: it begins behind the burst of kept frames, wherever that ended. */
  private isSteady(nowMs: number): boolean {
    let gap = 0;
    for (let at = this.arrivals.length - 2; at >= 0; at -= 1) {
      const from = this.arrivals[at]!;
      gap = Math.max(gap, this.arrivals[at + 1]! - from);
      const windowMs = nowMs - from;
      const frames = this.arrivals.length - 1 - at;
      if (windowMs < WINDOW_MS || gap > windowMs * MAX_GAP) continue;
      if (frames <= (windowMs / 1000) * this.framesPerSecond * SLACK) return true;
    }
    return false;
  }
}
