/** Above the time line stand days, or hours, and the instants between them. */
import { clockText, wallTimeOf } from '../../../zone.ts';
import { hoursOf } from '../data/days.ts';
import { ZOOMS, type Zoom } from '../data/state.ts';
import { dayText } from './rows.ts';

export interface Tick {
  label: string;
  share: number;
}

const MINUTE_MS = 60_000;
const WEEK_DAYS = 7;
const HOURS = [0, 3, 6, 9, 12, 15, 18, 21];
/** Hours between those of the head, by the zoom: 24 px each at least. */
const TICK_HOURS: Partial<Record<Zoom, number>> = { '1d': 1, '3d': 3, '7d': 6 };
/** Minutes from one to the next, in the head and below it. */
const MINUTES: Partial<Record<Zoom, { head: number; tick: number }>> = {
  '1h': { head: 15, tick: 5 },
  '6h': { head: 60, tick: 30 },
};

const twoDigits = (hour: number): string => String(hour).padStart(2, '0');

export function headOf(zoom: Zoom, edges: readonly number[], zone: string): { head: Tick[]; ticks: Tick[] } {
  const [first, last] = [edges[0]!, edges.at(-1)!];
  const share = (at: number): number => (at - first) / (last - first);
  const minutes = MINUTES[zoom];
  if (minutes !== undefined) return minutesOf(minutes, { first, last, zone });
  const days = edges.slice(0, -1);
  if (zoom === ZOOMS.at(-1)) {
    const at = (day: number): Tick => ({ label: String(wallTimeOf(day, zone).day), share: share(day) });
    return {
      head: days
        .filter((_day, place) => place % WEEK_DAYS === 0)
        .map((day) => ({ label: dayText(day, zone), share: share(day) })),
      ticks: days.filter((_day, place) => place % WEEK_DAYS > 0).map(at),
    };
  }
  return {
    head: days.map((day) => ({ label: dayText(day, zone), share: share(day) })),
    ticks: days
      .flatMap((day) => hoursOf(day, zone, TICK_HOURS[zoom] ?? 6))
      .map(({ hour, at }) => ({ label: twoDigits(hour), share: share(at) })),
  };
}

/** A row of the week is a day. */
export function headOfDay(): Tick[] {
  return HOURS.map((hour) => ({ label: `${twoDigits(hour)}:00`, share: hour / 24 }));
}

function minutesOf(
  { head, tick }: { head: number; tick: number },
  { first, last, zone }: { first: number; last: number; zone: string },
): { head: Tick[]; ticks: Tick[] } {
  const stepMs = tick * MINUTE_MS;
  const count = Math.ceil((last - first) / stepMs);
  const all = Array.from({ length: count }, (_, place) => Math.ceil(first / stepMs) * stepMs + place * stepMs)
    .filter((at) => at < last)
    .map((at) => {
      const time = clockText(at, zone).slice(0, 5);
      // Without the day nobody knows which one it is.
      const label = at === first || time === '00:00' ? `${dayText(at, zone)} ${time}` : time;
      return { at, label, minute: time.slice(3), share: (at - first) / (last - first) };
    });
  const isHead = ({ at, minute }: (typeof all)[number]): boolean => at === first || Number(minute) % head === 0;
  return {
    head: all.filter(isHead).map(({ label, share }) => ({ label, share })),
    ticks: all.filter((each) => !isHead(each)).map(({ minute, share }) => ({ label: minute, share })),
  };
}
