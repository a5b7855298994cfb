/** A ladder for somebody who has not chosen one: renditions no larger than the source. */

export interface Rung {
  height: number;
  /** kbit/s. */
  bitrate: number;
}

const STEPS = [720, 360];
const MAX_HEIGHT = 1080;
/** Two renditions that differ by less than this look alike, and each costs an encoder. */
const MIN_RATIO = 1.25;
/** H.264 needs this for 1080 lines at 30 frames a second; the rate grows more slowly than the number of pixels. */
const RATE_AT_1080 = 5000;
const RATE_EXPONENT = 1.4;
const MIN_RATE = 100;

/** The best first. Without a height, that of the source is not known, and the ladder is one that most machines carry. */
export function usualLadder(height: number | null): Rung[] {
  const top = even(Math.min(height ?? 720, MAX_HEIGHT));
  return [top, ...STEPS.filter((step) => top >= step * MIN_RATIO)].map((lines) => ({
    height: lines,
    bitrate: Math.max(MIN_RATE, Math.round((RATE_AT_1080 * (lines / MAX_HEIGHT) ** RATE_EXPONENT) / 100) * 100),
  }));
}

function even(lines: number): number {
  return Math.max(16, Math.floor(lines / 2) * 2);
}
