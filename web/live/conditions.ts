/** Which conditions of the figures hold, each since when; those of the source are in the status. */

const MIN_SPEED = 0.97;

/** Since when each measured condition holds without a break; left out: it does not hold. */
export interface Conditions {
  slow?: number | undefined;
  dropped?: number | undefined;
}

/** The figures of one second. */
export interface Sample {
  at: number;
  /** The lowest speed of the encodings; undefined without any. */
  speed: number | undefined;
  /** Frames dropped since the sample before. */
  dropped: number;
}

/** Which conditions hold at a sample, each with the instant since when it has held. */
export function conditionsAfter(before: Conditions, sample: Sample): Conditions {
  const { at, speed, dropped } = sample;
  const hold = (since: number | undefined, holds: boolean): number | undefined => (holds ? (since ?? at) : undefined);
  return {
    slow: hold(before.slow, speed !== undefined && speed < MIN_SPEED),
    dropped: hold(before.dropped, dropped > 0),
  };
}
