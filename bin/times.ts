/** Times as people type them, by the wall clock of one zone. */
import { toIso } from '../domain/time/clock.ts';
import { invalidInput } from '../domain/base/errors.ts';
import { localInstant } from '../domain/time/instant.ts';
import { LAST_INSTANT_MS } from '../domain/time/recurrence.ts';
import { instantOf, wallAt, type WallTime } from '../domain/time/zone.ts';

export interface TimeContext {
  nowMs: number;
  /** IANA name of the zone whose clock is meant where the text names none: that of the server. */
  zone: string;
  /** The start of what the time ends: `+90m` then counts from it, and a time of day alone is the first after it. */
  startMs?: number | undefined;
  /** Something that has been is meant: `10m` ago, the last `9:30`, the beginning of a day. */
  isPast?: boolean;
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
  `^(?<word>today|tomorrow|yesterday|${WEEKDAYS.map((day) => `${day.slice(0, 3)}(?:${day.slice(3)})?`).join('|')})(?:\\s+(?<clock>.+))?$`,
  'iu',
);
const SPAN = /^(?<ahead>\+\s*)?(?<parts>(?:\d{1,6}\s*[smhd]\s*)+)(?<ago>ago)?$/iu;

const FORMS = '"tomorrow 20:00", "today 9:30", "friday 8pm", "2026-11-29 10:00", +90m or 2026-11-29T09:00:00Z';
const PAST_FORMS =
  '10m, 9:30, "today 9:30", "yesterday 20:00", "friday 8pm", "2026-11-29 10:00" or 2026-11-29T09:00:00Z';

/**
 * Milliseconds since 1970 of what `text` means: `tomorrow 20:00`, `today 9:30`, `friday 8pm`, `20:00` (the next one), `2026-11-29 10:00`,
 * `+90m`, `+1h30m`, `now`, or ISO 8601, with an offset or without. With `isPast` also `10m` and `yesterday`. Throws AppError invalid_input
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
      message: `must be a time such as ${context.isPast === true ? PAST_FORMS : FORMS}; it was ${JSON.stringify(text)}`,
    },
  ]);
}

function spanned(words: string, { nowMs, startMs = nowMs, isPast = false }: TimeContext): number | undefined {
  if (/^now$/iu.test(words)) return nowMs;
  const { ahead, parts: span, ago } = SPAN.exec(words)?.groups ?? {};
  if (span === undefined || (isPast ? ahead !== undefined : ahead === undefined || ago !== undefined)) return undefined;
  const parts = [...span.matchAll(/(\d+)\s*([smhd])/giu)];
  const spanMs = parts.reduce((ms, [, amount, unit = '']) => ms + Number(amount) * UNIT_MS[unit.toLowerCase()]!, 0);
  return isPast ? nowMs - spanMs : startMs + spanMs;
}

/** A date alone is no time: nobody means midnight by it, but what has been since then. */
function dated(words: string, context: TimeContext): number | undefined {
  const {
    year,
    month,
    day,
    clock = context.isPast === true ? '00:00' : undefined,
    offset,
  } = DATED.exec(words)?.groups ?? {};
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
  const { nowMs, zone, startMs = nowMs, isPast = false } = context;
  const { word, clock = word !== undefined && isPast ? '00:00' : words } = DAYS.exec(words)?.groups ?? {};
  const timeMs = clockMs(clock);
  if (timeMs === undefined) return undefined;
  const at = (day: WallTime): number => meant(day + timeMs, context);
  /** The first after `fromMs`, or the last before it; `day` is today or the first such day after it. */
  const nearest = (day: WallTime, stepMs: number, fromMs: number): number => {
    const isToCome = instantOf(day + timeMs, zone) > fromMs;
    return at(isToCome === isPast ? day + (isPast ? -stepMs : stepMs) : day);
  };
  const name = word?.toLowerCase();
  const today = dayOf(wallAt(name === undefined ? startMs : nowMs, zone));
  if (name === 'today') return at(today);
  if (name === 'tomorrow') return at(today + DAY_MS);
  if (name === 'yesterday') return at(today - DAY_MS);
  if (name === undefined) return nearest(today, DAY_MS, startMs);
  const weekday = WEEKDAYS.findIndex((each) => each.startsWith(name));
  const ahead = (weekday - new Date(today).getUTCDay() + 7) % 7;
  return nearest(today + ahead * DAY_MS, 7 * DAY_MS, nowMs);
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
