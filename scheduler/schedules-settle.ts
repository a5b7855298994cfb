/** One turn of one Schedule: it does everything that is due in one commit, and answers when the next is due. */
import { toIso } from '../domain/time/clock.ts';
import { openFirings } from '../domain/rules/schedules/schedule-firings.ts';
import { isHeld, isPastRestore } from '../domain/rules/installation/store-eras.ts';
import type { Firing, Schedule } from '../domain/shapes/schedules/schedule.ts';
import type { Tx } from '../domain/ports/store.ts';
import { begin, end, leave, miss, startOf, addScheduleEvent, type Turn } from './schedules-occurrence.ts';
import { pendingOf, type Pending } from './schedules-pending.ts';

/** Long enough to repair a source or to free a Device, short enough to be true for the start. */
export const LOOK_AHEAD_MS = 300_000;
/** Bound for one commit after a long outage, because the store has others to serve. */
const MAX_AT_ONCE = 100;

export interface Settled {
  /** undefined when nothing of it is to come. */
  dueMs: number | undefined;
  /** Start of the occurrence whose start was checked beforehand. */
  lookedAtMs: number | undefined;
}

export function settle(
  tx: Tx,
  nowMs: number,
  control: Turn['control'],
  scheduleId: number,
  lookedAtMs: number | undefined,
): Settled | 'held' {
  const turn = { tx, nowMs, now: toIso(nowMs), control };
  const present = tx.get('schedules', scheduleId);
  // It is attended to again once a person has looked at the restored store.
  if (present !== undefined && isHeld(tx, present)) return 'held';
  for (const firing of openFirings(tx, { scheduleId })) attend(turn, firing);
  const schedule = tx.get('schedules', scheduleId);
  const next = schedule?.enabled === true ? dealWithDue(turn, schedule) : undefined;
  const due = openFirings(tx, { scheduleId }).map((firing) => nextOf(firing, schedule));
  if (schedule === undefined || next === undefined) return { dueMs: earliest(due), lookedAtMs };
  const lookMs = Math.max(next.startMs - LOOK_AHEAD_MS, nowMs);
  if (lookMs > nowMs) return { dueMs: earliest([...due, lookMs]), lookedAtMs };
  if (next.startMs !== lookedAtMs && next.startMs > nowMs) look(turn, schedule, next);
  return { dueMs: earliest([...due, next.startMs]), lookedAtMs: next.startMs };
}

function attend(turn: Turn, firing: Readonly<Firing>): void {
  if (firing.occurrence_end <= turn.now) return end(turn, firing);
  const schedule = turn.tx.get('schedules', firing.scheduleId);
  const isDue = firing.retry_at !== null && firing.retry_at <= turn.now;
  if (isDue && schedule?.enabled === true) startOf(turn, schedule, firing);
}

/** Answers the first occurrence that is not due; one that is left for the next turn is due at once. */
function dealWithDue(turn: Turn, schedule: Readonly<Schedule>): Pending | undefined {
  const due: Pending[] = [];
  let next: Pending | undefined;
  for (const pending of pendingOf(turn.tx, schedule, turn.nowMs)) {
    if (pending.startMs > turn.nowMs || due.length === MAX_AT_ONCE) {
      next = pending;
      break;
    }
    due.push(pending);
  }
  for (const pending of due) {
    if (isPastRestore(turn.tx, schedule, pending.startMs)) leave(turn, schedule, pending);
    else if (pending.endMs <= turn.nowMs) miss(turn, schedule, pending);
    else begin(turn, schedule, pending);
  }
  return next;
}

function nextOf({ occurrence_end, retry_at }: Readonly<Firing>, schedule: Readonly<Schedule> | undefined): number {
  const isTried = retry_at !== null && schedule?.enabled === true;
  return Date.parse(isTried && retry_at < occurrence_end ? retry_at : occurrence_end);
}

function earliest(instants: readonly number[]): number | undefined {
  return instants.length === 0 ? undefined : Math.min(...instants);
}

/** Reports once what would be in the way of the start that is near, as things are now. It asks nobody outside and starts nothing. */
function look(turn: Turn, schedule: Readonly<Schedule>, { startMs }: Pending): void {
  const { tx, nowMs, control } = turn;
  const { id: scheduleId, livestreamId, idEncoderGroup, name } = schedule;
  const run = tx.get('runs', livestreamId);
  if (run?.status === 1 || run?.status === 2) return;
  const { reasons } = control.checkStart(tx, livestreamId, { idEncoderGroup });
  if (reasons.length === 0) return;
  const occurrence_start = toIso(startMs);
  const seconds = Math.round((startMs - nowMs) / 1000);
  const message = `Schedule "${name}" is to start it in ${seconds} s, which would fail as things are: ${reasons.map((reason) => reason.message).join(' ')}`;
  addScheduleEvent(turn, { livestreamId, scheduleId, occurrence_start }, 'schedule_warning', 'warning', message);
}
