/** The text of a `datetime-local` field and the instants that it means. */
import { instantsOf, wallTimeOf } from '../../../zone.ts';

export function wallText(instant: string, zone: string): string {
  const ms = Date.parse(instant);
  if (Number.isNaN(ms) || !instant.endsWith('Z')) return instant;
  const { year, month, day, hour, minute } = wallTimeOf(ms, zone);
  const two = (number: number): string => String(number).padStart(2, '0');
  return `${year}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}`;
}

/** undefined: it is no whole time yet; none: DST skips it; two: DST repeats it. */
export function readWall(text: string, zone: string): number[] | undefined {
  const [year = 0, month = 0, day = 0, hour = 0, minute] = text.split(/\D/u).map(Number);
  if (minute === undefined || year < 1000) return undefined;
  return instantsOf({ year, month, day, hour, minute, second: 0 }, zone);
}

/** The same wall clock in another zone. */
export function inZone(instant: string, from: string, to: string): string {
  const [found] = readWall(wallText(instant, from), to) ?? [];
  return found === undefined ? instant : new Date(found).toISOString();
}

export function isZone(name: string): boolean {
  try {
    return Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '' && /^[A-Z]/u.test(name);
  } catch {
    return false;
  }
}
