/** Occurrences of a Schedule that have not been dealt with yet. */
import { toIso } from '../domain/time/clock.ts';
import { occurrencesIn, type Occurrence } from '../domain/time/recurrence.ts';
import { firingOf } from '../domain/rules/schedules/schedule-firings.ts';
import { seriesOf, type Firing, type Schedule } from '../domain/shapes/schedules/schedule.ts';
import type { View } from '../domain/ports/store.ts';

const DAY_MS = 86_400_000;

export interface Pending extends Occurrence {
  /** A record that a clock set back has overtaken: an occurrence that was missed is still to come. */
  record: Readonly<Firing> | undefined;
}

/** Yields in order of time, from the first that was not over when the Schedule got its present form; most series have no end. */
export function* pendingOf(view: View, schedule: Readonly<Schedule>, nowMs: number): Generator<Pending> {
  const { id: scheduleId } = schedule;
  const series = seriesOf(schedule);
  // A clock that was set back must not hide what is on now.
  const effectiveMs = Math.min(Date.parse(schedule.effective_from), nowMs);
  const maxLengthMs = series.endMs - series.startMs + DAY_MS;
  const fromMs = Math.max(effectiveMs - maxLengthMs, lastDealtWith(view, schedule, nowMs) + 1);
  const retiredMs = fromMs === effectiveMs - maxLengthMs ? retiredBefore(view, schedule, nowMs) : -Infinity;
  const skips = view.find('scheduleSkips', { where: { scheduleId, occurrence_start: { gte: toIso(fromMs) } } }).rows;
  const skipped = new Set(skips.map((skip) => Date.parse(skip.occurrence_start)));
  for (const { startMs, endMs } of occurrencesIn(series, fromMs, Infinity)) {
    if (endMs <= effectiveMs || skipped.has(startMs) || (startMs < retiredMs && endMs <= nowMs)) continue;
    const record = firingOf(view, scheduleId, toIso(startMs));
    const isDealtWith = record !== undefined && (record.state !== 'missed' || endMs <= nowMs);
    if (!isDealtWith) yield { startMs, endMs, record };
  }
}

/** Start of the last recorded occurrence that is over. Occurrences are dealt with in order, so none before it is left. */
function lastDealtWith(view: View, { id: scheduleId, effective_from }: Readonly<Schedule>, nowMs: number): number {
  const where = { scheduleId, occurrence_end: { lt: toIso(nowMs + 1) } };
  const sort = { field: 'occurrence_end', descending: true };
  const [last] = view.find('firings', { where, sort, limit: 1 }).rows;
  // A record from before an edit says nothing about the series that the edit has made.
  return last === undefined || last.created_at < effective_from ? -Infinity : Date.parse(last.occurrence_start);
}

/**
 * Start before which everything that is over has been dealt with, although no record of it is left here. A record with a later time than
 * now shows that the clock was set back, and those before it may be in history.
 */
function retiredBefore(view: View, { id: scheduleId, effective_from }: Readonly<Schedule>, nowMs: number): number {
  const now = toIso(nowMs);
  const where = { scheduleId, occurrence_end: { gte: now } };
  const sort = { field: 'occurrence_end', descending: false };
  const { rows } = view.find('firings', { where, sort });
  const first = rows.find(({ created_at }) => created_at > now && created_at >= effective_from);
  return first === undefined ? -Infinity : Date.parse(first.occurrence_start);
}
