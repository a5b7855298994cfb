/** Occurrences of a Schedule, by the wall clock of its zone. */
import { instantOf, wallAt, type WallTime } from './zone.ts';

export const RECURRENCE_TYPES = ['none', 'daily', 'weekly', 'workdays', 'weekend'] as const;
export type RecurrenceType = (typeof RECURRENCE_TYPES)[number];

/** Instants are milliseconds since 1970. */
export interface Series {
  /** Start of the first occurrence; days before it have none. */
  startMs: number;
  endMs: number;
  type: RecurrenceType;
  /** Distance in days (daily) or weeks (all others), from 1; weeks begin on Monday. */
  interval: number;
  /** Occurrences that would begin at this instant or later do not happen; null for no end. */
  untilMs: number | null;
  /** IANA name. */
  timezone: string;
}

export interface Occurrence {
  startMs: number;
  endMs: number;
}

const DAY_MS = 86_400_000;
/** A caller could not send back an instant with a year of five digits. */
export const LAST_INSTANT_MS = Date.UTC(10_000, 0, 1) - 1;
/** 1970-01-01 was a Thursday; weekdays count from Monday = 0. */
const EPOCH_WEEKDAY = 3;

/** Yields those that begin in [fromMs, toMs), in order; it is a generator because a series may last to the year 9999. */
export function* occurrencesIn(series: Series, fromMs: number, toMs: number): Generator<Occurrence> {
  for (const occurrence of from(series, fromMs)) {
    if (occurrence.startMs >= toMs) return;
    yield occurrence;
  }
}

/** The first that begins at `fromMs` or later; undefined when the series is over. */
export function nextOccurrence(series: Series, fromMs: number): Occurrence | undefined {
  return from(series, fromMs).next().value as Occurrence | undefined;
}

/** The least number of days between two occurrences, which bounds their length. Infinity for a single one. */
export function minPeriodDays(type: RecurrenceType, interval: number): number {
  if (type === 'none') return Infinity;
  if (type === 'daily') return interval;
  return type === 'weekly' ? 7 * interval : 1;
}

/** A series, and what its wall clock shows at the first occurrence: looking that up costs more than an occurrence. */
export interface PreparedSeries extends Series {
  firstWall: WallTime;
  /** It is that of the wall clock, or where that has nothing left of it, the time. */
  lengthMs: number;
}

export function prepared(series: Series): PreparedSeries {
  const firstWall = wallAt(series.startMs, series.timezone);
  const lengthMs = wallAt(series.endMs, series.timezone) - firstWall;
  return { ...series, firstWall, lengthMs: lengthMs > 0 ? lengthMs : series.endMs - series.startMs };
}

/**
 * Calls `keep` with those that end after `afterMs` and begin before `toMs`, in order. The zone has that offset from a day before the first
 * of them to `toMs`: nothing of a calendar is asked for then.
 */
export function eachSteady(
  series: PreparedSeries,
  offsetMs: number,
  afterMs: number,
  toMs: number,
  keep: (startMs: number, endMs: number) => void,
): void {
  const { startMs: firstMs, type, untilMs, firstWall, lengthMs } = series;
  if (type === 'none') {
    if (firstMs < toMs && series.endMs > afterMs) keep(firstMs, series.endMs);
    return;
  }
  const firstDay = dayOf(firstWall);
  const endMs = Math.min(toMs, untilMs ?? Infinity, LAST_INSTANT_MS - lengthMs + 1);
  for (let day = Math.max(firstDay, dayOf(afterMs - lengthMs + offsetMs)); ; day += 1) {
    day += daysToGo(series, firstDay, day);
    const startMs = firstWall + (day - firstDay) * DAY_MS - offsetMs;
    if (!(startMs < endMs)) return;
    if (startMs + lengthMs > afterMs && startMs >= firstMs) keep(startMs, startMs + lengthMs);
  }
}

function* from(series: Series, fromMs: number): Generator<Occurrence> {
  const { startMs, endMs, type, untilMs, timezone } = series;
  const isOver = (beginMs: number): boolean => untilMs !== null && beginMs >= untilMs;
  if (type === 'none') {
    if (startMs >= fromMs && !isOver(startMs)) yield { startMs, endMs };
    return;
  }
  const firstWall = wallAt(startMs, timezone);
  const lengthMs = wallAt(endMs, timezone) - firstWall;
  const firstDay = dayOf(firstWall);
  // The search begins a day early, because a gap may move a start past midnight.
  const earliest = dayOf(wallAt(Math.max(fromMs, startMs), timezone)) - 1;
  for (let day = Math.max(firstDay, earliest); ; day += 1) {
    const wait = daysToGo(series, firstDay, day);
    day += wait;
    const wall = firstWall + (day - firstDay) * DAY_MS;
    const occurrence = occurrenceAt(wall, lengthMs, endMs - startMs, timezone);
    // The value is NaN where the calendar of the machine ends.
    if (isOver(occurrence.startMs) || !(occurrence.endMs <= LAST_INSTANT_MS)) return;
    if (occurrence.startMs >= Math.max(fromMs, startMs)) yield occurrence;
  }
}

/** The end keeps its wall clock as well; where a clock change leaves nothing of the occurrence, its length is kept instead. */
function occurrenceAt(wall: WallTime, lengthMs: number, nominalMs: number, zone: string): Occurrence {
  const startMs = instantOf(wall, zone);
  const endMs = instantOf(wall + lengthMs, zone);
  return { startMs, endMs: endMs > startMs ? endMs : startMs + nominalMs };
}

/** Days from `day` to the next one that the rule names, 0 for `day` itself. */
function daysToGo({ type, interval }: Series, firstDay: number, day: number): number {
  if (type === 'daily') return (interval - ((day - firstDay) % interval)) % interval;
  if (type === 'weekly') return (7 * interval - ((day - firstDay) % (7 * interval))) % (7 * interval);
  const isNamed = (candidate: number): boolean => {
    const isWeekend = weekdayOf(candidate) >= 5;
    return isWeekend === (type === 'weekend') && (weekOf(candidate) - weekOf(firstDay)) % interval === 0;
  };
  let wait = 0;
  while (!isNamed(day + wait)) {
    // A long interval skips to the next week that counts at once.
    const weeks = (weekOf(day + wait) - weekOf(firstDay)) % interval;
    wait += weeks === 0 ? 1 : (interval - weeks) * 7 - weekdayOf(day + wait);
  }
  return wait;
}

function dayOf(wall: WallTime): number {
  return Math.floor(wall / DAY_MS);
}

function weekdayOf(day: number): number {
  return (((day + EPOCH_WEEKDAY) % 7) + 7) % 7;
}

/** Number of the Monday-to-Sunday week. */
function weekOf(day: number): number {
  return Math.floor((day + EPOCH_WEEKDAY) / 7);
}
