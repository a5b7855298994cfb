/**
 * Planned actions that go with a Schedule. One row stands for all occurrences: `execute_at` is the next time, which moves with the Schedule
 * and its skips in the commit that changes them, so that the scheduler sees one instant, as it does of every other action.
 */
import { toIso } from '../../time/clock.ts';
import { ruleViolated } from '../../base/errors.ts';
import { called } from '../../base/sentence.ts';
import { occurrencesIn, type Occurrence } from '../../time/recurrence.ts';
import {
  beginsAtMs,
  isTimed,
  MAX_RUNS,
  type ActionOffset,
  type ActionRun,
  type PlannedAction,
} from '../../shapes/schedules/planned-action.ts';
import { seriesOf, type Schedule } from '../../shapes/schedules/schedule.ts';
import type { Tx, View } from '../../ports/store.ts';

const DAY_MS = 86_400_000;

/** The instant at one occurrence, in milliseconds since 1970. */
function instantAt({ from, seconds }: ActionOffset, { startMs, endMs }: Occurrence): number {
  return (from === 'start' ? startMs : endMs) + seconds * 1000;
}

interface Execution {
  occurrence_start: string;
  execute_at: string;
}

/** The times at which it is done at the occurrences that are left, from an instant on, in order; most series have no end. */
function* executions(view: View, schedule: Readonly<Schedule>, at: ActionOffset, fromMs: number): Generator<Execution> {
  const series = seriesOf(schedule);
  const { rows } = view.find('scheduleSkips', { where: { scheduleId: schedule.id } });
  const skipped = new Set(rows.map(({ occurrence_start }) => occurrence_start));
  const longestMs = series.endMs - series.startMs + DAY_MS;
  const reachMs = Math.max(0, at.seconds * 1000 + (at.from === 'end' ? longestMs : 0));
  for (const occurrence of occurrencesIn(series, fromMs - reachMs, Infinity)) {
    const occurrence_start = toIso(occurrence.startMs);
    const atMs = instantAt(at, occurrence);
    if (atMs >= fromMs && !skipped.has(occurrence_start)) yield { occurrence_start, execute_at: toIso(atMs) };
  }
}

/** The first of them at an occurrence behind `last`. */
function nextExecution(
  view: View,
  { schedule, at, fromMs, last }: { schedule: Readonly<Schedule>; at: ActionOffset; fromMs: number; last: string },
): Execution | undefined {
  for (const each of executions(view, schedule, at, fromMs)) if (each.occurrence_start > last) return each;
  return undefined;
}

type NextRun = Pick<PlannedAction, 'execute_at' | 'occurrence_start'>;

/** The next time after `nowMs`, at an occurrence at which it was not done yet; null where none is to come. */
export function nextRun(
  view: View,
  { scheduleId, at, last_occurrence }: { scheduleId: number; at: ActionOffset; last_occurrence: string | null },
  nowMs: number,
): NextRun {
  const schedule = view.get('schedules', scheduleId);
  const last = last_occurrence ?? '';
  const next = schedule?.enabled === true ? nextExecution(view, { schedule, at, fromMs: nowMs + 1, last }) : undefined;
  return next ?? { execute_at: null, occurrence_start: null };
}

/** The action at its next time; one that does not go with a Schedule as it is. */
export function retimed(view: View, action: Readonly<PlannedAction>, nowMs: number): PlannedAction {
  const { scheduleId, at, last_occurrence = null } = action;
  if (scheduleId == null || at == null) return action;
  return { ...action, ...nextRun(view, { scheduleId, at, last_occurrence }, nowMs) };
}

/**
 * The action when it was done, or has failed, at the time that it has. One that goes with a Schedule waits for the next occurrence, and one
 * that an outage has passed over is next too: it fails by its own rule, and is told.
 */
export function afterRun(
  view: View,
  action: Readonly<PlannedAction>,
  status: 'executed' | 'failed',
  error: string | null,
): PlannedAction {
  const { scheduleId, at, execute_at, occurrence_start: done } = action;
  const schedule = scheduleId == null ? undefined : view.get('schedules', scheduleId);
  if (schedule === undefined || at == null || execute_at === null || done == null) return { ...action, status, error };
  const after = { ...action, last_occurrence: done };
  const next = nextExecution(view, { schedule, at, fromMs: Date.parse(execute_at) + 1, last: done });
  if (next === undefined) return { ...after, status, error };
  return schedule.enabled ? { ...after, ...next } : { ...after, execute_at: null, occurrence_start: null };
}

/**
 * Runs inside the commit that changes a Schedule or its skips. An action that is being carried out goes on at the time that it has. Throws
 * AppError rule_violated where the Schedule has another Live stream now, of which the actions are not.
 */
export function retimeActions(tx: Tx, now: string, schedule: Readonly<Schedule>): void {
  const nowMs = Date.parse(now);
  const { rows } = tx.find('plannedActions', {
    where: { scheduleId: schedule.id, status: { in: ['pending', 'disabled'] } },
  });
  const others = rows.filter(({ livestreamId }) => livestreamId !== schedule.livestreamId);
  if (others.length > 0) {
    const message = `${called('Schedule', schedule)} has planned actions of its Live stream (${others.map(({ id }) => id).join(', ')}); delete them first with deletePlannedAction`;
    throw ruleViolated(`livestreamId: ${message}.`, [{ field: 'livestreamId', code: 'in_use', message }]);
  }
  for (const action of rows) {
    if (action.status === 'pending' && isTimed(action) && beginsAtMs(action) <= nowMs) continue;
    const row = retimed(tx, action, nowMs);
    if (row.execute_at !== action.execute_at || row.occurrence_start !== action.occurrence_start)
      tx.put('plannedActions', { ...row, updated_at: now });
  }
}

/** The times of a relative action that are still to come within [fromMs, toMs). */
export function runsToCome(
  view: View,
  action: Readonly<PlannedAction>,
  { nowMs, fromMs, toMs }: { nowMs: number; fromMs: number; toMs: number },
): ActionRun[] {
  const { scheduleId, at, status, last_occurrence: last } = action;
  const schedule = scheduleId == null ? undefined : view.get('schedules', scheduleId);
  if (schedule?.enabled !== true || at == null || (status !== 'pending' && status !== 'disabled')) return [];
  const runs: ActionRun[] = [];
  for (const each of executions(view, schedule, at, Math.max(nowMs, fromMs))) {
    if (Date.parse(each.execute_at) >= toMs || runs.length === MAX_RUNS) break;
    if (last == null || each.occurrence_start > last) runs.push({ ...each, status, error: null });
  }
  return runs;
}
