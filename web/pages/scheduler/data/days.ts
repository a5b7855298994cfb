/** Days of a zone: none of them is known to have 24 hours. */
import { instantsOf, wallTimeOf } from '../../../zone.ts';

const DAY_MS = 86_400_000;

/** Midnight of the day that is `days` after the one with this instant; where DST skips midnight, the first instant after it. */
export function dayStart(instant: number, zone: string, days = 0): number {
  const { year, month, day } = wallTimeOf(instant, zone);
  const moved = new Date(Date.UTC(year, month - 1, day + days));
  const date = { year: moved.getUTCFullYear(), month: moved.getUTCMonth() + 1, day: moved.getUTCDate() };
  for (let minute = 0; minute <= 180; minute += 30) {
    const time = { ...date, hour: Math.floor(minute / 60), minute: minute % 60, second: 0 };
    const [found] = instantsOf(time, zone);
    if (found !== undefined) return found;
  }
  return moved.getTime();
}

/** Begins of so many days and the end of the last. */
export function dayStarts(from: number, zone: string, count: number): number[] {
  return Array.from({ length: count + 1 }, (_, index) => dayStart(from, zone, index));
}

/** Every so many hours by the clock of the zone, within the day that begins at `day`; one that DST skips is left out. */
export function hoursOf(day: number, zone: string, step: number): { hour: number; at: number }[] {
  const date = { ...wallTimeOf(day, zone), minute: 0, second: 0 };
  return Array.from({ length: Math.ceil(24 / step) - 1 }, (_, index) => (index + 1) * step).flatMap((hour) => {
    const [at] = instantsOf({ ...date, hour }, zone);
    return at === undefined ? [] : [{ hour, at }];
  });
}

/** Noon is in the same day in every zone's reckoning of DST. */
export function movedByDays(instant: number, zone: string, days: number): number {
  return dayStart(dayStart(instant, zone) + DAY_MS / 2, zone, days);
}
