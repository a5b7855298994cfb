/** Finds out whether two Schedules would ever need the same Live stream at once. */
import { occurrencesIn, minPeriodDays, type Occurrence, type Series } from '../../time/recurrence.ts';

const DAY_MS = 86_400_000;
/** The window contains both edges of daylight saving, twice. */
const TWO_YEARS_DAYS = 2 * 366;

/** A series, and the starts of its occurrences that do not happen because they are skipped or over. */
export interface Planned {
  series: Series;
  without: ReadonlySet<number>;
}

/**
 * The first overlapping occurrences of the two that are not over at `fromMs`. Days repeat after the product of both intervals at the
 * latest; a rare meeting of two zones' daylight saving may lie beyond that and is not searched.
 */
export function firstOverlap(a: Planned, b: Planned, fromMs: number): [Occurrence, Occurrence] | undefined {
  const beginMs = Math.max(fromMs, a.series.startMs, b.series.startMs);
  const maxLengthMs = Math.max(lengthOf(a.series), lengthOf(b.series)) + DAY_MS;
  // An occurrence that began earlier may still be on.
  const window = [beginMs - maxLengthMs, beginMs + horizonDays(a.series, b.series) * DAY_MS] as const;
  const [left, right] = [happening(a, ...window), happening(b, ...window)];
  let [x, y] = [left.next(), right.next()];
  while (!x.done && !y.done) {
    const [one, two] = [x.value, y.value];
    const end = Math.min(one.endMs, two.endMs);
    if (one.startMs < two.endMs && two.startMs < one.endMs && end > fromMs) return [one, two];
    // The occurrence that ends first cannot meet later ones of the other series.
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
  // A single occurrence is examined at its own time, however far away that is.
  if ([a, b].some(({ type, interval }) => minPeriodDays(type, interval) === Infinity)) return TWO_YEARS_DAYS;
  return TWO_YEARS_DAYS + days[0]! * days[1]!;
}
