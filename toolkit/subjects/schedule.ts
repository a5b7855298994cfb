/** The shared parts of the workflows around Schedules: times as people write and hear them. */
import { z } from 'zod/v3';
import { toIso } from '../../domain/time/clock.ts';
import { occurrencesIn, type Series } from '../../domain/time/recurrence.ts';
import type { Schedule } from '../../domain/shapes/schedules/schedule.ts';
import type { StoppedSchedule } from '../../domain/rules/schedules/schedule-stop.ts';
import { wallAt } from '../../domain/time/zone.ts';
import { say, sentence, type Sentence } from '../sentence.ts';

export const occurrenceOutput = z
  .object({
    start: z.string(),
    end: z.string(),
    local: z.string().describe('Start as it is spoken.'),
  })
  .strict();

/** `Friday 2 January at 20:00`; with its year where that is not the present one. */
export function spokenTime(ms: number, timeZone: string, nowMs: number): string {
  const yearOf = (instantMs: number): number => new Date(wallAt(instantMs, timeZone)).getUTCFullYear();
  const year = yearOf(ms) === yearOf(nowMs) ? {} : ({ year: 'numeric' } as const);
  const day = { weekday: 'long', day: 'numeric', month: 'long', ...year } as const;
  const date = new Intl.DateTimeFormat('en-GB', { ...day, timeZone }).format(ms).replace(',', '');
  return `${date} at ${clockTime(ms, timeZone)}`;
}

/** When a Schedule is on air, in a sentence. */
export function spokenSeries(row: Readonly<Schedule> | undefined, nowMs: number): string {
  if (row === undefined) return '';
  const [from, to] = [row.start, row.end].map((instant) => spokenTime(Date.parse(instant), row.timezone, nowMs));
  const again = row.recurrence.type === 'none' ? 'once' : row.recurrence.type;
  return `On air from ${from} to ${to}, ${again}, by the clock of ${row.timezone}.`;
}

/** `20:00`. */
export function clockTime(ms: number, timeZone: string): string {
  return new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone }).format(ms);
}

/** The first `limit` occurrences that are on at `fromMs`, which is now, or come after it. */
export function nextOccurrences(series: Series, fromMs: number, limit: number): z.infer<typeof occurrenceOutput>[] {
  const occurrences: z.infer<typeof occurrenceOutput>[] = [];
  for (const { startMs, endMs } of occurrencesIn(series, fromMs - (series.endMs - series.startMs), Infinity)) {
    if (occurrences.length === limit) break;
    if (endMs <= fromMs) continue;
    occurrences.push({ start: toIso(startMs), end: toIso(endMs), local: spokenTime(startMs, series.timezone, fromMs) });
  }
  return occurrences;
}

export const stoppedScheduleOutput = z
  .object({
    scheduleId: z.number().int(),
    name: z.string(),
    cancelled: z.boolean().describe('true: it was for this once; false: only this occurrence ends.'),
    next_start: z.string().nullable().describe('Start of its next occurrence.'),
  })
  .strict();

export function stoppedScheduleBody(
  stopped: StoppedSchedule | undefined,
): z.infer<typeof stoppedScheduleOutput> | null {
  if (stopped === undefined) return null;
  const { schedule, isOnce, nextStart } = stopped;
  return { scheduleId: schedule.id, name: schedule.name, cancelled: isOnce, next_start: nextStart };
}

/** The sentence holds for a planned stop and for one that was made. */
export function sayAfterStop(
  { schedule: { name, timezone }, isOnce, nextStart }: StoppedSchedule,
  nowMs: number,
): Sentence {
  if (isOnce) return sentence`With it the Schedule ${say(name)}, which was for this once, is cancelled.`;
  if (nextStart === null) return sentence`Only this occurrence of the Schedule ${say(name)} ends; no other is planned.`;
  const next = spokenTime(Date.parse(nextStart), timezone, nowMs);
  return sentence`Only this occurrence of the Schedule ${say(name)} ends; the next one is on ${next}.`;
}
