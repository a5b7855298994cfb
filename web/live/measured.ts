/** Figures of a broadcast at the moment: those that are old, or of a run that has ended, are none. */
import type { Stream } from './feed.ts';
import type { Rates } from './status.ts';

/** A Device tells its figures each second. */
const MAX_AGE_MS = 5_000;
/** Peaks of this and less are digital silence. */
const SILENCE_DBFS = -100;
/** Peaks come with each picture too, and those of the last rates may be as old. */
const RATES_PERIOD_MS = 1_000;

/** `now`: milliseconds since 1970 on the server's clock. */
export function measuredNow({ status, rates }: Pick<Stream, 'status' | 'rates'>, now: number): Rates | undefined {
  const isRunning = status.status === 1 || status.status === 2;
  return isRunning && rates !== undefined && now - rates.at <= MAX_AGE_MS ? rates : undefined;
}

/** dBFS; null is no sound. */
export interface Levels {
  left: number | null;
  right: number | null;
}

/**
 * The peaks of a picture or of the rates, whichever are newer. A picture has no sign for sound that nobody measures, as in a copy: the rates
 * tell it. undefined: nothing is known.
 */
export function levelsOf(
  rates: Pick<Rates, 'at' | 'peakLeft' | 'peakRight'> | undefined,
  picture: (Levels & { at: number }) | undefined,
): Levels | 'not-measured' | undefined {
  if (rates === undefined) return undefined;
  const { at, peakLeft, peakRight } = rates;
  if (peakLeft === null || peakRight === null) return 'not-measured';
  if (picture !== undefined && picture.at >= at - RATES_PERIOD_MS) return { left: picture.left, right: picture.right };
  const heard = (peak: number): number | null => (peak <= SILENCE_DBFS ? null : peak);
  return { left: heard(peakLeft), right: heard(peakRight) };
}
