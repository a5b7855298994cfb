import { it } from 'node:test';

const isWhole = process.env['TEST_COUNTS'] === 'whole';

/**
 * The number of repetitions of a test: `everyRun` in `npm test`, and `whole` in `npm run test:long`, which also runs each spec that imports
 * this file.
 */
export function countOf(everyRun: number, whole: number): number {
  return isWhole ? whole : everyRun;
}

/** As many of the cases in `npm test`, spread evenly from the first on; all of them in `npm run test:long`. */
export function someOf<T>(cases: readonly T[], everyRun: number): readonly T[] {
  if (isWhole || everyRun >= cases.length) return cases;
  return Array.from({ length: everyRun }, (_, at) => cases[Math.floor((at * cases.length) / everyRun)]!);
}

/** A test of `npm run test:long` alone, beside others that share its set-up and are in every run. */
export const itLong: typeof it = isWhole ? it : Object.assign((() => Promise.resolve()) as typeof it, it);
