/**
 * How much sooner the frames of a source could be shown: by the least time that any of them has waited in a window. A source that comes
 * evenly is shown as it comes; one that comes unevenly is as late as its latest frames.
 */

/** Timers and pipes are late by less than this. */
const RESERVE_MS = 10;
/** In the first windows the whole stream may still begin sooner, without a loss; so much at most, or its dates would be wrong. */
const FIRST = { windows: 4, windowMs: 500, maxMs: 150 };
/**
 * Later frames have to be left out, which is seen. Half of those that can be are, when none has needed the time for so long. A source that
 * needs it again soon after has gaps again and again: the window becomes twice as long each time.
 */
const WINDOW_MS = { first: 3000, last: 600_000 };

/** How time that is not needed is used; both may be 0. */
export interface UseOfTime {
  /** All that follows is to come so much sooner. */
  soonerMs: number;
  leftOut: number;
}

const NONE: UseOfTime = { soonerMs: 0, leftOut: 0 };

export class SpareTime {
  private readonly frameMs: number;
  private windowMs = WINDOW_MS.first;
  private firstWindows: number = FIRST.windows;
  private soonerMs = 0;
  private from: number | undefined;
  private least = Infinity;
  private leftOutAt = -Infinity;

  constructor(frameMs: number) {
    this.frameMs = frameMs;
  }

  /** A frame is shown that has waited so long. */
  shown(waitedMs: number, now: number): UseOfTime {
    this.from ??= now;
    this.least = Math.min(this.least, waitedMs);
    const lengthMs = this.firstWindows > 0 ? FIRST.windowMs : this.windowMs;
    if (now - this.from < lengthMs) return NONE;
    const spareMs = this.least - RESERVE_MS;
    this.forget();
    if (this.firstWindows > 0) return { soonerMs: this.sooner(spareMs), leftOut: 0 };
    if (spareMs < this.frameMs) return NONE;
    this.leftOutAt = now;
    return { soonerMs: 0, leftOut: Math.ceil(Math.floor(spareMs / this.frameMs) / 2) };
  }

  /** There was no frame to show when one was due. */
  missed(now: number): void {
    if (now - this.leftOutAt < 2 * this.windowMs) {
      this.windowMs = Math.min(2 * this.windowMs, WINDOW_MS.last);
      this.leftOutAt = -Infinity;
    }
    this.firstWindows = 0;
    this.forget();
  }

  /** Another source, or another connection, has other times. */
  forget(): void {
    this.from = undefined;
    this.least = Infinity;
  }

  private sooner(spareMs: number): number {
    this.firstWindows -= 1;
    const ms = Math.min(Math.max(spareMs, 0), FIRST.maxMs - this.soonerMs);
    this.soonerMs += ms;
    return ms;
  }
}
