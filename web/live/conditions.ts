/** Which conditions of the figures hold, each since when; those of the source are in the status. */

const MIN_SPEED = 0.97;
const MIN_FPS_SHARE = 0.95;

/** Since when each measured condition holds without a break; left out: it does not hold. */
export interface Conditions {
  slow?: number | undefined;
  low_fps?: number | undefined;
  dropped?: number | undefined;
}

/** The figures of one second beside those of the last minute. */
export interface Sample {
  at: number;
  fps: number;
  /** Mean of the last minute; 0 before there is one. */
  usualFps: number;
  /** The lowest speed of the encodings; undefined without any. */
  speed: number | undefined;
  /** Frames dropped since the sample before. */
  dropped: number;
}

/** Which conditions hold at a sample, each with the instant since when it has held. */
export function conditionsAfter(before: Conditions, sample: Sample): Conditions {
  const { at, fps, usualFps, speed, dropped } = sample;
  const hold = (since: number | undefined, holds: boolean): number | undefined => (holds ? (since ?? at) : undefined);
  return {
    slow: hold(before.slow, speed !== undefined && speed < MIN_SPEED),
    low_fps: hold(before.low_fps, usualFps > 0 && fps < usualFps * MIN_FPS_SHARE),
    dropped: hold(before.dropped, dropped > 0),
  };
}
