/** Wall clocks: the time that a clock shows in an IANA zone, and the instant that it means. */

/** A day and a time of day without a zone: milliseconds since 1970 as if the zone were UTC. */
export type WallTime = number;

const DAY_MS = 86_400_000;
const formats = new Map<string, Intl.DateTimeFormat>();

/** Throws RangeError for a zone that does not exist. */
function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formats.set(zone, format);
  }
  return format;
}

/** The wall time at an instant. Throws RangeError for a zone that does not exist. */
export function wallAt(instantMs: number, zone: string): WallTime {
  return instantMs + offsetAt(instantMs, zone);
}

/** Formats the instant, which costs microseconds. */
function shownAt(instantMs: number, zone: string): WallTime {
  const parts: Record<string, number> = {};
  for (const { type, value } of formatOf(zone).formatToParts(instantMs)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  // Date.UTC takes a year before 100 for one of the twentieth century; the calendar repeats itself every 400 years.
  const wholeSeconds = Date.UTC(year + 400, month - 1, day, hour, minute, second) - 146_097 * DAY_MS;
  // The format knows no milliseconds, and no zone is offset by a part of a second.
  return wholeSeconds + (((instantMs % 1000) + 1000) % 1000);
}

/** The instants at which the clock shows `wall`, in order: none for a time that it skips, two for one that comes twice. */
export function instantsOf(wall: WallTime, zone: string): number[] {
  return [...new Set(offsetsAround(wall, zone).map((offset) => wall - offset))]
    .filter((instant) => wallAt(instant, zone) === wall)
    .sort((a, b) => a - b);
}

/** Zones change their offset at most once within two days. */
function offsetsAround(wall: WallTime, zone: string): [before: number, after: number] {
  return [offsetAt(wall - DAY_MS, zone), offsetAt(wall + DAY_MS, zone)];
}

/**
 * The instant at which the clock shows `wall`: the first of a time that comes twice, and the first instant after the gap for one that is
 * skipped.
 */
export function instantOf(wall: WallTime, zone: string): number {
  const [before, after] = offsetsAround(wall, zone);
  return before === after ? wall - before : (instantsOf(wall, zone)[0] ?? nextInstant(wall, zone));
}

/** The offset that the zone has all the time from one instant to the other; undefined where it changes. */
export function steadyOffset(fromMs: number, toMs: number, zone: string): number | undefined {
  const offset = offsetAt(fromMs, zone);
  for (let day = Math.floor(fromMs / DAY_MS) * DAY_MS; day < toMs; day += DAY_MS)
    if (offsetAt(day + DAY_MS, zone) !== offset) return undefined;
  return offset;
}

/** The first instant after the gap in which `wall` lies. */
export function nextInstant(wall: WallTime, zone: string): number {
  const [before, after] = offsetsAround(wall, zone);
  let [low, high] = [wall - Math.max(before, after), wall - Math.min(before, after)];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle, zone) === before) low = middle;
    else high = middle;
  }
  return high;
}

/** Offsets at the beginning of each UTC day, by zone: nearly every day has one offset from end to end. */
const midnights = new Map<string, Map<number, number>>();
/** The days of a schedule for 27 years; 10,000 Schedules of a dozen zones look at a few hundred days each. */
const MAX_DAYS = 10_000;

function offsetAt(instantMs: number, zone: string): number {
  let days = midnights.get(zone);
  if (days === undefined || days.size > MAX_DAYS) midnights.set(zone, (days = new Map<number, number>()));
  const day = Math.floor(instantMs / DAY_MS);
  const atBegin = offsetAtMidnight(day, zone, days);
  return atBegin === offsetAtMidnight(day + 1, zone, days) ? atBegin : shownAt(instantMs, zone) - instantMs;
}

function offsetAtMidnight(day: number, zone: string, days: Map<number, number>): number {
  let offset = days.get(day);
  if (offset === undefined) days.set(day, (offset = shownAt(day * DAY_MS, zone) - day * DAY_MS));
  return offset;
}

/** An offset such as +01:00 is no zone, because it knows no daylight saving. */
export function isTimezone(zone: string): boolean {
  if (!/^[a-z]/iu.test(zone)) return false;
  try {
    formatOf(zone);
    return true;
  } catch {
    // The answer is that Node knows no such zone.
    return false;
  }
}
