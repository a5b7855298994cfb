/** Days of a zone as instants. A day has 23 or 25 hours where clocks change. */
import { instantsOf, wallTimeOf, type WallTime } from '../../zone.ts';

/** The first instant of the day that `days` lie after the day of `instant`. */
export function dayStart(instant: number, zone: string, days = 0): number {
  const { year, month, day } = wallTimeOf(instant, zone);
  const date = new Date(Date.UTC(year, month - 1, day + days));
  const wall = { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
  // Some zones skip midnight: their day begins at the first hour there is.
  for (const hour of [0, 1, 2]) {
    const [found] = instantsOf({ ...wall, hour, minute: 0, second: 0 }, zone);
    if (found !== undefined) return found;
  }
  return date.getTime();
}

/** As a `datetime-local` field has it: `2026-11-23T19:00`. */
export function wallText(instant: number, zone: string): string {
  const { year, month, day, hour, minute } = wallTimeOf(instant, zone);
  const pad = (part: number): string => String(part).padStart(2, '0');
  return `${String(year).padStart(4, '0')}-${pad(month)}-${pad(day)}T${pad(hour)}:${pad(minute)}`;
}

function wallIn(text: string): WallTime | undefined {
  const found = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)/u.exec(text);
  if (found === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = found.slice(1).map(Number);
  return { year, month, day, hour, minute, second: 0 };
}

/** The instants that a typed time names: none where clocks skip it, two where they repeat it; undefined: it is no time, or no zone. */
export function instantsIn(text: string, zone: string): number[] | undefined {
  const wall = wallIn(text);
  if (wall === undefined) return undefined;
  try {
    return instantsOf(wall, zone);
  } catch {
    return undefined;
  }
}

/** The first instant after a time that clocks skip. */
export function nextInstant(text: string, zone: string): number {
  const start = Date.parse(`${text}Z`);
  for (let minutes = 1; minutes <= 180; minutes += 1) {
    const later = new Date(start + minutes * 60_000).toISOString().slice(0, 16);
    const [found] = instantsIn(later, zone) ?? [];
    if (found !== undefined) return found;
  }
  return start;
}

export function isZone(zone: string): boolean {
  try {
    wallTimeOf(0, zone);
    return zone !== '';
  } catch {
    return false;
  }
}
