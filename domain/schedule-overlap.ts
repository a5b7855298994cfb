/** Whether two Schedules would ever want the same Live stream at once. */
import { occurrencesIn, shortestPeriodDays, type Occurrence, type Series } from './recurrence.ts';

const DAY_MS = 86_400_000;
/** Both edges of daylight saving, twice. */
const TWO_YEARS_DAYS = 2 * 366;

/** A series, and the starts of those occurrences that do not happen: skipped, or over. */
export interface Planned {
  series: Series;
  without: ReadonlySet<number>;
}

/**
 * The first occurrences of the two that overlap and are not over at `fromMs`. Days repeat after the product of both intervals at the
 * latest; what two zones only make of it on a rare meeting of their daylight saving may lie beyond that, and is not looked for.
 */
export function firstOverlap(a: Planned, b: Planned, fromMs: number): [Occurrence, Occurrence] | undefined {
  const beginMs = Math.max(fromMs, a.series.startMs, b.series.startMs);
  const longestMs = Math.max(lengthOf(a.series), lengthOf(b.series)) + DAY_MS;
  // What has begun before may still be on.
  const window = [beginMs - longestMs, beginMs + horizonDays(a.series, b.series) * DAY_MS] as const;
  const [left, right] = [happening(a, ...window), happening(b, ...window)];
  let [x, y] = [left.next(), right.next()];
  while (!x.done && !y.done) {
    const [one, two] = [x.value, y.value];
    const end = Math.min(one.endMs, two.endMs);
    if (one.startMs < two.endMs && two.startMs < one.endMs && end > fromMs) return [one, two];
    // Who ends first cannot meet what the other still has.
    if (one.endMs === end) x = left.next();
    else y = right.next();
  }
  return undefined;
}

function* happening({ series, without }: Planned, fromMs: number, toMs: number): Generator<Occurrence> {
  for (const occurrence of occurrencesIn(series, fromMs, toMs)) if (!without.has(occurrence.startMs)) yield occurrence;
}

function lengthOf({ startMs, endMs }: Series): number {
  return endMs - startMs;
}

function horizonDays(a: Series, b: Series): number {
  const days = [a, b].map(({ type, interval }) => (type === 'daily' ? interval : 7 * interval));
  // One that comes once is looked at where it is, however far that lies.
  if ([a, b].some(({ type, interval }) => shortestPeriodDays(type, interval) === Infinity)) return TWO_YEARS_DAYS;
  return TWO_YEARS_DAYS + days[0]! * days[1]!;
}
