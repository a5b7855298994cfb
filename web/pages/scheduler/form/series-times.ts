/** The first times of a series one of whose occurrences is moved: by as much on the wall clock, so that DST between the two changes nothing. */
import { instantsOf, wallTimeOf } from '../../../zone.ts';

interface Times {
  start: string;
  end: string;
}

const utcOf = (instant: number, zone: string): number => {
  const { year, month, day, hour, minute, second } = wallTimeOf(instant, zone);
  return Date.UTC(year, month - 1, day, hour, minute, second);
};

function moved(instant: string, from: string, to: string, zone: string): string {
  const by = utcOf(Date.parse(to), zone) - utcOf(Date.parse(from), zone);
  const wall = new Date(utcOf(Date.parse(instant), zone) + by);
  const [found] = instantsOf(
    {
      year: wall.getUTCFullYear(),
      month: wall.getUTCMonth() + 1,
      day: wall.getUTCDate(),
      hour: wall.getUTCHours(),
      minute: wall.getUTCMinutes(),
      second: 0,
    },
    zone,
  );
  return new Date(found ?? Date.parse(instant) + by).toISOString();
}

/** A series that has begun starts anew with the occurrence that is moved: the server takes no start that is past. */
export function seriesTimes(series: Times & { timezone: string }, occurrence: Times, times: Times, now: number): Times {
  const { timezone } = series;
  const start = moved(series.start, occurrence.start, times.start, timezone);
  if (Date.parse(start) < now) return times;
  return { start, end: moved(series.end, occurrence.end, times.end, timezone) };
}
