/** Instants in a time zone, by Intl alone: UTC on the wire, the chosen zone on the screen. */

/** A wall-clock time, as a `datetime-local` field has it. */
export interface WallTime {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formats.set(zone, made);
  return made;
}

/** Throws RangeError for a zone that Intl does not know. */
export function wallTimeOf(instant: number, zone: string): WallTime {
  const parts = new Map(
    formatOf(zone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
  return {
    year: part('year'),
    month: part('month'),
    day: part('day'),
    hour: part('hour'),
    minute: part('minute'),
    second: part('second'),
  };
}

function asUtc({ year, month, day, hour, minute, second }: WallTime): number {
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** The instants that show this time in the zone: none where DST skips it, two where it repeats it, in order. */
export function instantsOf(time: WallTime, zone: string): number[] {
  const target = asUtc(time);
  const DAY = 86_400_000;
  // The zone's offsets on either side of any change near this time.
  const offsets = [target - DAY, target + DAY].map((near) => {
    const whole = Math.floor(near / 1000) * 1000;
    return asUtc(wallTimeOf(whole, zone)) - whole;
  });
  const found = [...new Set(offsets.map((offset) => target - offset))];
  return found.filter((instant) => asUtc(wallTimeOf(instant, zone)) === target).sort((one, other) => one - other);
}

/** `20:14:07` */
export function clockText(instant: number, zone: string): string {
  const { hour, minute, second } = wallTimeOf(instant, zone);
  return [hour, minute, second].map((part) => String(part).padStart(2, '0')).join(':');
}

/** `1:02:14`, `0:44`; whole seconds, never below zero. */
export function durationText(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const pad = (part: number): string => String(part).padStart(2, '0');
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(whole % 60)}` : `${minutes}:${pad(whole % 60)}`;
}

/** `CET`, `GMT+1`, `UTC` */
export function zoneName(instant: number, zone: string): string {
  const parts = new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeZoneName: 'short' }).formatToParts(instant);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? zone;
}

const dates = new Map<string, Intl.DateTimeFormat>();

/** `Wed 25 Nov 2026`, in the language's order. */
export function dateText(instant: number, zone: string, language: string): string {
  const key = `${language} ${zone}`;
  const format =
    dates.get(key) ??
    new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, {
      timeZone: zone,
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      year: 'numeric',
    });
  dates.set(key, format);
  return format.format(instant).replace(/,/gu, '');
}
