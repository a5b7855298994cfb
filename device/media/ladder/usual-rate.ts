/** Chooses the frame rate of a programme from what is measured of its source. */
import type { SourceFacts } from '../ffmpeg-output/source-facts.ts';

/** The rates of the field. A rate within a hundredth of one of them is that one: counted over a few frames no rate is exact. */
export const RATES: readonly number[] = [10, 12, 12.5, 15, 20, 23.976, 24, 25, 29.97, 30, 48, 50, 59.94, 60];
const HIGHEST = 60;
/** It holds where nothing is known of a source. */
export const DEFAULT_RATE = 25;

/** Returns the rate of the field that this one is; half of it where it is a camera's slow motion, of which every second picture is enough. */
export function usualRate(fps: number): number | undefined {
  return nearest(fps) ?? (fps > HIGHEST ? nearest(fps / 2) : undefined);
}

/** Returns the lowest rate of the field that has an instant for each picture; the highest where there is none. */
export function rateFor(fps: number): number {
  return usualRate(fps) ?? RATES.find((rate) => rate >= fps) ?? HIGHEST;
}

/**
 * Returns the rate of a source as ffmpeg has described it; undefined where it says nothing. ffmpeg names two: `fps`, the mean of a file and
 * the word of a live source, and `tbr`, measured: the lowest rate that has an instant for each timestamp. In pictures of two fields that may
 * be the rate of the fields. A source of varying rate gets that lowest rate, or else its mean rounded up.
 */
export function rateOf({ video, hasLength }: SourceFacts): number | undefined {
  const { fps, tbr, interlaced } = video ?? {};
  const mean = fps === undefined ? undefined : usualRate(fps);
  const measured = tbr === undefined ? undefined : usualRate(tbr);
  const isOfFields = interlaced === true && mean !== undefined && measured !== undefined && measured > 1.5 * mean;
  if (mean !== undefined && (hasLength || isOfFields)) return mean;
  return measured ?? mean ?? (fps === undefined ? undefined : rateFor(fps));
}

function nearest(fps: number): number | undefined {
  const best = nearestRate(fps, RATES);
  return Math.abs(best - fps) <= fps / 100 ? best : undefined;
}

export function nearestRate(fps: number, rates: readonly number[]): number {
  return rates.reduce((best, rate) => (Math.abs(rate - fps) < Math.abs(best - fps) ? rate : best));
}
