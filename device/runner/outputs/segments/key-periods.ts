/**
 * The content keys of one Destination along its time: those of a period begin with a keyframe, in all tracks and on both paths at once. Keys
 * that do not come in time leave the former ones in use.
 */
import type { OutputDrm } from '../../../../domain/shapes/broadcasts/run-spec.ts';
import { protectionOf, type Protection } from '../../../media/manifests/protection.ts';

export interface KeyPeriodsDeps {
  /** The keys that there are; more come on air. */
  drm(): OutputDrm;
  /** Returns milliseconds since 1970 at a time of the stream, in seconds. */
  wallMs(seconds: number): number;
  /** Media is encrypted with the keys of another period from now on. */
  onReplaced(index: number): void;
  /** There are no keys for the period that has begun. */
  onMissing(index: number): void;
}

interface Since {
  seconds: number;
  index: number;
  protection: Protection;
}

/** Keyframes that belong together are no farther apart (keyframeSlack). */
const SLACK_SECONDS = 0.25;
/** Tracks are not so far apart that one still asks for keys before these. */
const KEPT = 4;

export class KeyPeriods {
  private readonly deps: KeyPeriodsDeps;
  private since: Since[] = [];
  /** Times at which it was decided, and that were asked for, up to now. */
  private decided = -Infinity;
  private newest = -Infinity;
  private missing = -1;

  constructor(deps: KeyPeriodsDeps) {
    this.deps = deps;
  }

  /** The keys of media that begins there. Throws TypeError for keys that do not fit together. */
  at(seconds: number): Protection {
    if (seconds > this.decided + SLACK_SECONDS) this.decide(seconds);
    this.newest = Math.max(this.newest, seconds);
    return (this.since.findLast((one) => one.seconds <= seconds) ?? this.since[0]!).protection;
  }

  /** Keys by which what is to be encrypted can be checked, and no more. Throws TypeError likewise. */
  get any(): Protection {
    return this.since.at(-1)?.protection ?? protectionOf(this.deps.drm());
  }

  /** Tells whether media behind the second time has other keys than media from the first time on. */
  isCut(fromSeconds: number, toSeconds: number): boolean {
    return this.at(fromSeconds) !== this.at(toSeconds);
  }

  private decide(seconds: number): void {
    const { rotation, ...first } = this.deps.drm();
    const present = this.since.at(-1);
    // Of the same keyframe some tracks begin a little earlier.
    const from = Math.max(seconds - SLACK_SECONDS, (seconds + this.newest) / 2);
    this.decided = seconds;
    if (rotation === undefined) {
      if (present === undefined) this.since = [{ seconds: from, index: 0, protection: protectionOf(first) }];
      return;
    }
    const wanted = Math.floor(this.deps.wallMs(seconds) / rotation.periodMs);
    const { periods } = rotation;
    const { index, ...keys } = periods.findLast((one) => one.index <= wanted) ?? periods[0]!;
    // A clock that was set back does not bring earlier keys back.
    if (present === undefined || index > present.index) {
      const protection = protectionOf({ ...first, ...keys });
      this.since = [...this.since, { seconds: from, index, protection }].slice(-KEPT);
      if (present !== undefined) this.deps.onReplaced(index);
    }
    if (this.since.at(-1)!.index >= wanted || this.missing >= wanted) return;
    this.missing = wanted;
    this.deps.onMissing(wanted);
  }
}
