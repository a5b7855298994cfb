/** Times within a Recording as `h:mm:ss.cc`, and as people type them. */

/** mediaTime comes in whole microseconds. */
const MICROSECONDS = 1e-5;

/**
 * Hundredths are cut off and never rounded up: the frame at 66.7 ms is meant by 0.06, while a cut from 0.07 on would begin with the one
 * after it.
 */
function centiseconds(seconds: number): number {
  return Math.max(0, Math.floor((seconds + MICROSECONDS) * 100));
}

/** `0:12:04.20` */
export function timeCode(seconds: number): string {
  const all = centiseconds(seconds);
  const pad = (value: number): string => String(value).padStart(2, '0');
  const whole = Math.floor(all / 100);
  return `${Math.floor(whole / 3600)}:${pad(Math.floor(whole / 60) % 60)}:${pad(whole % 60)}.${pad(all % 100)}`;
}

/** Reads `0:12:04.20`, `12:04`, `724.2` and `724,2`; undefined for anything else. */
export function parseTimeCode(text: string): number | undefined {
  const match = /^(?:(?:(\d{1,4}):)?(\d{1,2}):)?(\d{1,8})(?:[.,](\d{1,6}))?$/u.exec(text.trim());
  if (match === null) return undefined;
  const [, hours = '0', minutes, seconds = '0', fraction = '0'] = match;
  // Beside minutes there are at most 59 seconds; alone they may be many.
  if (minutes !== undefined && (Number(seconds) > 59 || seconds.length > 2)) return undefined;
  if (match[1] !== undefined && Number(minutes) > 59) return undefined;
  const whole = Number(hours) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds);
  return whole + Number(`0.${fraction}`);
}
