/** Whether two Schedules would ever want the same Live stream at once. */
import { occurrencesIn, type Occurrence, type Series } from './recurrence.ts';

/** All rules repeat within a year but for the days that daylight saving moves; two of them show every combination. */
const HORIZON_MS = 2 * 366 * 86_400_000;

/** The first occurrences of the two that overlap, from `fromMs` on; undefined: none within two years. */
export function firstOverlap(a: Series, b: Series, fromMs: number): [Occurrence, Occurrence] | undefined {
  const beginMs = Math.max(fromMs, Math.min(a.startMs, b.startMs));
  const longestMs = Math.max(a.endMs - a.startMs, b.endMs - b.startMs) + 86_400_000;
  // What has begun before may still be on.
  const window = [beginMs - longestMs, Math.max(beginMs, a.startMs, b.startMs) + HORIZON_MS] as const;
  const [left, right] = [occurrencesIn(a, ...window), occurrencesIn(b, ...window)];
  let [x, y] = [left.next(), right.next()];
  while (!x.done && !y.done) {
    const [one, two] = [x.value, y.value];
    if (one.startMs < two.endMs && two.startMs < one.endMs) {
      if (Math.min(one.endMs, two.endMs) > fromMs) return [one, two];
    }
    // Who ends first cannot meet what the other still has.
    if (one.endMs <= two.endMs) x = left.next();
    else y = right.next();
  }
  return undefined;
}
