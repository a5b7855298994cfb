/** Times as people type them, by the wall clock of one zone. */
import { toIso } from '../domain/clock.ts';
import { invalidInput } from '../domain/errors.ts';
import { localInstant } from '../domain/instant.ts';
import { LAST_INSTANT_MS } from '../domain/recurrence.ts';
import { instantOf, wallAt, type WallTime } from '../domain/zone.ts';

export interface TimeContext {
  nowMs: number;
  /** IANA name of the zone whose clock is meant where the text names none: that of the server. */
  zone: string;
  /** The start of what the time ends: `+90m` then counts from it, and a time of day alone is the first after it. */
  startMs?: number | undefined;
  /** The name of the value, for the refusal. */
  field?: string;
}

const DAY_MS = 86_400_000;
const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: DAY_MS };
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

const PARTS = String.raw`(?:(?<hour>\d{1,2})[:.](?<minute>\d\d)(?::(?<second>\d\d))?|(?<whole>\d{1,2})(?=\s*[ap]m))\s*(?<half>[ap]m)?`;
const CLOCK = new RegExp(`^(?:at\\s+)?${PARTS}$`, 'iu');
const DATED =
  /^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)(?:[t\s]\s*(?<clock>.*?))?(?<offset>\s*z|\s*[+-]\d\d:?\d\d)?$/iu;
const DAYS = new RegExp(
  `^(?<word>today|tomorrow|${WEEKDAYS.map((day) => `${day.slice(0, 3)}(?:${day.slice(3)})?`).join('|')})\\s+(?<clock>.+)$`,
  'iu',
);
const SPAN = /^\+\s*((?:\d{1,6}\s*[smhd]\s*)+)$/iu;

/**
 * Milliseconds since 1970 of what `text` means: `tomorrow 20:00`, `today 9:30`, `friday 8pm`, `20:00` (the next one), `2026-11-29 10:00`,
 * `+90m`, `+1h30m`, `now`, or ISO 8601, with an offset or without. Throws AppError invalid_input
 * that names the forms, and for a time that the zone's clock skips or shows twice what may be meant.
 */
export function parseTime(text: string, context: TimeContext): number {
  const words = text.trim().replace(/\s+/gu, ' ');
  const ms = spanned(words, context) ?? dated(words, context) ?? spoken(words, context);
  if (ms !== undefined && ms >= 0 && ms <= LAST_INSTANT_MS) return ms;
  throw invalidInput([
    {
      field: context.field ?? 'time',
      code: 'invalid_value',
      message: `must be a time such as "tomorrow 20:00", "today 9:30", "friday 8pm", "2026-11-29 10:00", +90m or 2026-11-29T09:00:00Z; it was ${JSON.stringify(text)}`,
    },
  ]);
}

function spanned(words: string, { nowMs, startMs = nowMs }: TimeContext): number | undefined {
  if (/^now$/iu.test(words)) return nowMs;
  const span = SPAN.exec(words)?.[1];
  if (span === undefined) return undefined;
  const parts = [...span.matchAll(/(\d+)\s*([smhd])/giu)];
  return parts.reduce((ms, [, amount, unit = '']) => ms + Number(amount) * (UNIT_MS[unit.toLowerCase()] ?? 0), startMs);
}

/** A date alone is no time: nobody means midnight by it. */
function dated(words: string, context: TimeContext): number | undefined {
  const { year, month, day, clock, offset } = DATED.exec(words)?.groups ?? {};
  if (year === undefined || clock === undefined) return undefined;
  const dayMs = Date.UTC(Number(year), Number(month) - 1, Number(day));
  // The 30th of February would be the 2nd of March.
  if (!toIso(dayMs).startsWith(`${year}-${month}-${day}`)) return undefined;
  const timeMs = clockMs(clock.replace(/\.\d+$/u, ''));
  if (timeMs === undefined) return undefined;
  if (offset === undefined) return meant(dayMs + timeMs, context);
  const zoned = Date.parse(`${toIso(dayMs + timeMs).replace(/Z$/u, '')}${offset.trim().toUpperCase()}`);
  return Number.isNaN(zoned) ? undefined : zoned;
}

function spoken(words: string, context: TimeContext): number | undefined {
  const { nowMs, zone, startMs } = context;
  const { word, clock = words } = DAYS.exec(words)?.groups ?? {};
  const timeMs = clockMs(clock);
  if (timeMs === undefined) return undefined;
  const today = dayOf(wallAt(nowMs, zone));
  if (word === undefined) {
    const fromMs = startMs ?? nowMs;
    const day = dayOf(wallAt(fromMs, zone));
    return meant(instantOf(day + timeMs, zone) > fromMs ? day + timeMs : day + DAY_MS + timeMs, context);
  }
  const name = word.toLowerCase();
  if (name === 'today' || name === 'tomorrow') return meant(today + (name === 'today' ? 0 : DAY_MS) + timeMs, context);
  const weekday = WEEKDAYS.findIndex((day) => day.startsWith(name));
  const ahead = (weekday - new Date(today).getUTCDay() + 7) % 7;
  const first = today + ahead * DAY_MS + timeMs;
  return meant(instantOf(first, zone) > nowMs ? first : first + 7 * DAY_MS, context);
}

/** Throws AppError invalid_input for a time that the clock skips or shows twice. */
function meant(wall: WallTime, { zone, field = 'time' }: TimeContext): number {
  const found = localInstant(wall, zone);
  if (typeof found === 'number') return found;
  throw invalidInput([{ field, ...found }]);
}

function dayOf(wall: WallTime): WallTime {
  return Math.floor(wall / DAY_MS) * DAY_MS;
}

/** Milliseconds since midnight on the clock. */
function clockMs(text: string): number | undefined {
  const { hour, whole, minute = '0', second = '0', half } = CLOCK.exec(text.trim())?.groups ?? {};
  const shown = Number(hour ?? whole ?? Number.NaN);
  if (Number.isNaN(shown) || Number(minute) > 59 || Number(second) > 59) return undefined;
  if (half === undefined ? shown > 23 : shown < 1 || shown > 12) return undefined;
  const hours = half === undefined ? shown : (shown % 12) + (half.toLowerCase() === 'pm' ? 12 : 0);
  return ((hours * 60 + Number(minute)) * 60 + Number(second)) * 1000;
}

/** `Sun 29 Nov 2026, 10:00 (Europe/Zurich)`: an answer states the zone, for the reader may live in another. */
export function sayTime(ms: number, zone: string): string {
  const wall = new Date(wallAt(ms, zone));
  const [, weekday, day, month, year, time = ''] = /^(\w+), (\d+) (\w+) (\d+) ([\d:]+)/u.exec(wall.toUTCString()) ?? [];
  const shown = time.endsWith(':00') ? time.slice(0, 5) : time;
  return `${weekday} ${Number(day)} ${month} ${year}, ${shown} (${zone})`;
}
