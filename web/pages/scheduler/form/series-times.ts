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

/** Moved by as much on the wall clock as `from` is from `to`. */
export function movedInstant(instant: string, { from, to }: { from: string; to: string }, zone: string): string {
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

/**
 * whole: all of it moves. onward: it has begun and this is its next one, so that it starts anew with it. split: others come before this one;
 * they stay, and a new series begins with this one.
 */
export type SeriesMove = 'whole' | 'onward' | 'split';

export function seriesMove(series: Times, { start }: Times, comingStarts: readonly string[], now: number): SeriesMove {
  if (Date.parse(series.start) > now) return 'whole';
  return comingStarts.some((each) => each < start) ? 'split' : 'onward';
}

/** The first times of a series of which all moves. */
export function seriesTimes(series: Times & { timezone: string }, occurrence: Times, times: Times): Times {
  const { timezone } = series;
  return {
    start: movedInstant(series.start, { from: occurrence.start, to: times.start }, timezone),
    end: movedInstant(series.end, { from: occurrence.end, to: times.end }, timezone),
  };
}
