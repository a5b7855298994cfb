/** The times at which cues can take effect: the newest frame of the leading track, and the keyframes that are due after it. */
import type { LadderPlan } from '../../media/ladder/ladder-plan.ts';
import { TICKS_PER_SECOND } from '../../media/mpeg-ts/mpeg-ts.ts';

/** Changes of a running broadcast take effect within 2 s: a cue is given at most so much before its time. */
const MAX_AHEAD_SECONDS = 2;
/** A splicer needs a few frames to get ready. */
const USUAL_AHEAD_SECONDS = 0.5;
/** A cue for an instant takes the nearest keyframe up to this distance: where keyframes are 2 s apart, there always is one. */
const MAX_OFF_SECONDS = 1;

export class SplicePoints {
  private readonly keyframeTicks: number | undefined;
  private newest: number | undefined;
  private keys: { last: number; distance: number | undefined } | undefined;

  constructor({ copy, hasVideo, keyframeSeconds }: Pick<LadderPlan, 'copy' | 'hasVideo' | 'keyframeSeconds'>) {
    this.keyframeTicks = copy || !hasVideo ? undefined : keyframeSeconds * TICKS_PER_SECOND;
  }

  /** A frame of the leading track leaves now; `pts` in unwrapped 90 kHz ticks. */
  note(pts: number, isKey: boolean): void {
    if (isKey) this.keys = { last: pts, distance: this.keys === undefined ? undefined : pts - this.keys.last };
    // B frames come out of order; the stream's time never goes back.
    this.newest = Math.max(this.newest ?? 0, pts);
  }

  /** The newest frame that has left, in unwrapped 90 kHz ticks; undefined before the first. */
  get newestTicks(): number | undefined {
    return this.newest;
  }

  /** There has been one keyframe so far, or none. */
  get isInFirstGroup(): boolean {
    return this.keys?.distance === undefined;
  }

  /** The part of the stream that a joiner gets at once, in seconds. */
  get secondsSinceKeyframe(): number {
    return this.newest === undefined || this.keys === undefined ? 0 : (this.newest - this.keys.last) / TICKS_PER_SECOND;
  }

  /**
   * The time, in ticks, at which a cue that is given now takes effect: at a keyframe, where segments can begin and splicers can cut, or
   * shortly when none is near; always later than `after`. A cue that is meant for the instant `wanted`, and given in time, is at the
   * keyframe nearest to it, or at the instant itself when none is near. Undefined before the first frame.
   */
  spliceTicks(after = -Infinity, wanted = -Infinity): number | undefined {
    if (this.newest === undefined) return undefined;
    const from = Math.max(this.newest, after);
    const ready = this.newest + USUAL_AHEAD_SECONDS * TICKS_PER_SECOND;
    const earliest = Math.max(ready, from + 1);
    if (wanted >= earliest) return Math.round(this.keyNear(wanted, earliest) ?? wanted);
    const distance = this.keyDistance;
    if (this.keys !== undefined && distance !== undefined) {
      const { last } = this.keys;
      const next = last + (Math.floor((from - last) / distance + 1e-6) + 1) * distance;
      const latest = from + MAX_AHEAD_SECONDS * TICKS_PER_SECOND;
      const calm = next + Math.max(0, Math.ceil((ready - next) / distance)) * distance;
      if (calm <= latest) return Math.round(calm);
      if (next <= latest) return Math.round(next);
    }
    return Math.round(earliest);
  }

  private get keyDistance(): number | undefined {
    return this.keyframeTicks ?? this.keys?.distance;
  }

  private keyNear(wanted: number, earliest: number): number | undefined {
    const distance = this.keyDistance;
    if (this.keys === undefined || distance === undefined) return undefined;
    const { last } = this.keys;
    const nearest = last + Math.round((wanted - last) / distance) * distance;
    const key = nearest >= earliest ? nearest : nearest + distance;
    return Math.abs(key - wanted) <= MAX_OFF_SECONDS * TICKS_PER_SECOND ? key : undefined;
  }
}
