/**
 * Tells whether a source that is read as fast as it comes is live. A live source sends a burst of the last seconds to whoever connects, and
 * from then on a second of media a second. A file comes faster than that for as long as it is read.
 */

import type { IngestInput } from '../../media/arguments/ingest-args.ts';

/** The window holds more than three frames at 25 a second. */
const WINDOW_MS = 120;
/** Frames of a live source do not come evenly: in one window there may be this many times the frames of its rate. */
const MAX_RATE_FACTOR = 1.6;
/**
 * A window of which a single gap takes more than this share is not used: a pause of the source, or of this machine, and the burst behind it
 * would have the average rate of a live source.
 */
const MAX_GAP_SHARE = 0.6;
/** A source with few frames a second has each repeated by ffmpeg; these many arrivals hold three of its own frames. */
const MAX_ARRIVALS = 60;
/**
 * A pause of this length shows a live source, too: it comes while a keyframe is sent over a slow line, 0.3 s at 100 kbit/s. A source that is
 * ahead of time by more than PAUSE_AHEAD_SECONDS may be a file over a line that stands still.
 */
export const PAUSE_MS = 200;
const PAUSE_AHEAD_SECONDS = 3;
/** No live source is so far ahead of time; some begin with a burst of a few seconds. */
const MAX_AHEAD_SECONDS = 6;

export class LiveRate {
  private readonly framesPerSecond: number;
  private readonly mayBeFile: boolean;
  private frames = 0;
  private firstAt: number | undefined;
  /** Arrival times of the last frames, in milliseconds. */
  private arrivals: number[] = [];
  /** The source has come at a second of media a second. */
  isLive = false;
  /** The source is further ahead of time than any live source. */
  isFile = false;

  /** `mayBeFile` is false for a source that is known to be live, however long its burst. */
  constructor(framesPerSecond: number, mayBeFile = true) {
    this.framesPerSecond = framesPerSecond;
    this.mayBeFile = mayBeFile;
  }

  frame(nowMs: number): void {
    this.firstAt ??= nowMs;
    this.frames += 1;
    this.isFile ||= this.mayBeFile && this.aheadSeconds(nowMs) > MAX_AHEAD_SECONDS;
    if (this.isLive || this.isFile) return;
    this.arrivals.push(nowMs);
    if (this.arrivals.length > MAX_ARRIVALS) this.arrivals.shift();
    this.isLive = this.isSteady(nowMs);
  }

  /** No frame has come for PAUSE_MS; returns whether that shows now that the source is live. */
  pause(nowMs: number): boolean {
    if (this.isLive || this.isFile || (this.mayBeFile && this.aheadSeconds(nowMs) > PAUSE_AHEAD_SECONDS)) return false;
    this.isLive = true;
    return true;
  }

  private aheadSeconds(nowMs: number): number {
    return this.frames / this.framesPerSecond - (nowMs - (this.firstAt ?? nowMs)) / 1000;
  }

  /** Whether some window that ends now has the rate of a live source. All beginnings are tried, because the end of the burst is not known. */
  private isSteady(nowMs: number): boolean {
    let gap = 0;
    for (let at = this.arrivals.length - 2; at >= 0; at -= 1) {
      const from = this.arrivals[at]!;
      gap = Math.max(gap, this.arrivals[at + 1]! - from);
      const windowMs = nowMs - from;
      const frames = this.arrivals.length - 1 - at;
      if (windowMs < WINDOW_MS || gap > windowMs * MAX_GAP_SHARE) continue;
      if (frames <= (windowMs / 1000) * this.framesPerSecond * MAX_RATE_FACTOR) return true;
    }
    return false;
  }
}

/** Frames that come before a source is read at its own rate are not shown: they would push what follows out. Without frames nothing paces a source. */
export function liveRateOf(
  { asLive, hasBurst, comesLive }: IngestInput,
  framesPerSecond: number | undefined,
): LiveRate | undefined {
  const isLive = hasBurst === true || comesLive === true;
  if (framesPerSecond === undefined || (asLive === undefined && !isLive)) return undefined;
  return new LiveRate(framesPerSecond, !isLive);
}
