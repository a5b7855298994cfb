/**
 * The number of repetitions of a test: `everyRun` in `npm test`, and `whole` in `npm run test:long`, which also runs each spec that calls this
 * function.
 */
export function countOf(everyRun: number, whole: number): number {
  return process.env['ONAIR_TEST_COUNTS'] === 'whole' ? whole : everyRun;
}
