/** Which measured conditions hold, each since when. */
import { FLAGS } from './status.ts';

const MIN_SPEED = 0.97;
const MIN_FPS_SHARE = 0.95;

/** Since when each measured condition holds without a break; left out: it does not hold. */
export interface Conditions {
  slow?: number | undefined;
  low_fps?: number | undefined;
  dropped?: number | undefined;
  black?: number | undefined;
  frozen?: number | undefined;
  silent?: number | undefined;
}

/** The figures of one second beside those of the last minute. */
export interface Sample {
  at: number;
  fps: number;
  /** Mean of the last minute; 0 before there is one. */
  usualFps: number;
  /** The lowest speed of the encodings; undefined without any. */
  speed: number | undefined;
  flags: number;
  /** Frames dropped since the sample before. */
  dropped: number;
}

/** Which conditions hold at a sample, each with the instant since when it has held. */
export function conditionsAfter(before: Conditions, sample: Sample): Conditions {
  const { at, fps, usualFps, speed, flags, dropped } = sample;
  // While blackout or slate is ours, the picture is dark and still because somebody wants it so.
  const isOurs = (flags & (FLAGS.blackout | FLAGS.slate)) !== 0;
  const hold = (since: number | undefined, holds: boolean): number | undefined => (holds ? (since ?? at) : undefined);
  return {
    slow: hold(before.slow, speed !== undefined && speed < MIN_SPEED),
    low_fps: hold(before.low_fps, usualFps > 0 && fps < usualFps * MIN_FPS_SHARE),
    dropped: hold(before.dropped, dropped > 0),
    black: hold(before.black, !isOurs && (flags & FLAGS.black) !== 0),
    frozen: hold(before.frozen, !isOurs && (flags & FLAGS.frozen) !== 0),
    silent: hold(before.silent, !isOurs && (flags & FLAGS.silent) !== 0),
  };
}
