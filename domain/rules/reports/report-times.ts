/** Times and lengths as the words of a report say them. */
import { toIso } from '../../time/clock.ts';
import { wallAt } from '../../time/zone.ts';

export type Words = (at: string | number) => string;

/** `20:14:02`, with the day where it is another one than that of `from`. */
export function timesOf(from: string, zone: string): Words {
  const day = (ms: number): string => toIso(wallAt(ms, zone)).slice(0, 10);
  const first = day(Date.parse(from));
  return (at) => {
    const ms = typeof at === 'number' ? at : Date.parse(at);
    const time = toIso(wallAt(ms, zone)).slice(11, 19);
    return day(ms) === first ? time : `${day(ms)} ${time}`;
  };
}

/** `2026-01-31 20:14:02`. */
export function dayAndTime(at: string, zone: string): string {
  return toIso(wallAt(Date.parse(at), zone))
    .slice(0, 19)
    .replace('T', ' ');
}

/** `0.4 s`, `34 s`, `12 min 30 s`, `1 h 59 min`. */
export function lengthOf(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return whole % 60 === 0 ? `${minutes} min` : `${minutes} min ${whole % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
