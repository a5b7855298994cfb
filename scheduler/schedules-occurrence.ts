/** The life of one occurrence: it is begun, tried again, handed over, ended or missed, each inside the commit of its turn. */
import { toIso } from '../domain/time/clock.ts';
import type { Control } from '../domain/ports/control.ts';
import { AppError } from '../domain/base/errors.ts';
import type { EventKind, Severity } from '../domain/shapes/installation/event.ts';
import { occurrencesIn, type Occurrence, type Series } from '../domain/time/recurrence.ts';
import { addEvent } from '../domain/rules/rows/event-log.ts';
import { closeFiring, failFiring, openFirings, retireFirings } from '../domain/rules/schedules/schedule-firings.ts';
import type { Run } from '../domain/shapes/broadcasts/run.ts';
import { seriesOf, type Firing, type Schedule } from '../domain/shapes/schedules/schedule.ts';
import type { Tx } from '../domain/ports/store.ts';
import { addAudit } from '../toolkit/audit.ts';
import { pendingOf, type Pending } from './schedules-pending.ts';

export interface Turn {
  tx: Tx;
  nowMs: number;
  now: string;
  control: Pick<Control, 'orderStart' | 'orderStop' | 'checkStart'>;
}

const DAY_MS = 86_400_000;
/** Past firings that a new one moves out of memory; more than one, so that none of a long outage are left in the end. */
const RETIRED_WITH_ONE = 4;

export function begin(turn: Turn, schedule: Readonly<Schedule>, pending: Pending): void {
  startOf(turn, schedule, record(turn, schedule, pending, 'failed'));
}

export function miss(turn: Turn, schedule: Readonly<Schedule>, pending: Pending): void {
  const firing = record(turn, schedule, pending, 'missed');
  const message = `Schedule "${schedule.name}" has missed its time from ${firing.occurrence_start} to ${firing.occurrence_end}: the service was not running.`;
  addScheduleEvent(turn, firing, 'schedule_missed', 'error', message);
}

/** It fell due before a person had looked at the restored store. What is on air anyway belongs to it; nothing is started late. */
export function leave(turn: Turn, schedule: Readonly<Schedule>, pending: Pending): void {
  const run = turn.tx.get('runs', schedule.livestreamId);
  const isOnAir = run?.desired === 'on' && (run.status === 1 || run.status === 2);
  if (isOnAir && pending.endMs > turn.nowMs) return begin(turn, schedule, pending);
  const firing = closeFiring(turn.tx, record(turn, schedule, pending, 'failed'));
  const message = `Schedule "${schedule.name}" did not start it for ${firing.occurrence_start} to ${firing.occurrence_end}: the restored store waited for a person then. Start it by hand where it is still wanted.`;
  addScheduleEvent(turn, firing, 'schedule_missed', 'error', message);
}

function record(
  { tx, now }: Turn,
  { id: scheduleId, livestreamId }: Readonly<Schedule>,
  { startMs, endMs, record: before }: Pending,
  state: 'failed' | 'missed',
): Readonly<Firing> {
  const row = {
    created_at: now,
    scheduleId,
    livestreamId,
    occurrence_start: toIso(startMs),
    occurrence_end: toIso(endMs),
    state,
    open: state === 'failed',
    aired: false,
    runId: null,
    attempts: 0,
    retry_at: null,
    reasons: [],
  };
  retireFirings(tx, scheduleId, now, RETIRED_WITH_ONE);
  if (before === undefined) return tx.insert('firings', row);
  tx.put('firings', { ...row, id: before.id });
  return { ...row, id: before.id };
}

/** The first start of an occurrence, or another one after a failure. */
export function startOf(turn: Turn, schedule: Readonly<Schedule>, firing: Readonly<Firing>): void {
  const { tx, now, nowMs, control } = turn;
  const { id: scheduleId, livestreamId, created_by: username } = schedule;
  const present = tx.get('runs', livestreamId);
  if (present?.desired === 'on' && (present.status === 1 || present.status === 2))
    return takeOver(turn, schedule, firing, present);
  try {
    const request = { idEncoderGroup: schedule.idEncoderGroup };
    const { run } = control.orderStart(tx, now, livestreamId, request, { username, scheduleId });
    tx.put('firings', { ...firing, state: 'on_air', runId: run?.runId ?? null, retry_at: null });
    audit(turn, schedule, firing, 'startLivestream', 'ok');
    const message = `Schedule "${schedule.name}" has started it; it ends at ${firing.occurrence_end}.`;
    if (firing.runId === null) addScheduleEvent(turn, firing, 'schedule_started', 'info', message);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { retryAfterSeconds } = error.extras;
    const pauseMs = retryAfterSeconds === undefined ? undefined : retryAfterSeconds * 1000;
    const isNew = failFiring(tx, firing, error.message, nowMs, pauseMs);
    // A run that is still being stopped is no failure: it is a matter of seconds.
    if (!isNew || pauseMs !== undefined) return;
    audit(turn, schedule, firing, 'startLivestream', error.code);
    const message = `Schedule "${schedule.name}" could not start it: ${error.message} It is tried again until ${firing.occurrence_end}.`;
    addScheduleEvent(turn, firing, 'start_failed', 'error', message);
  }
}

/**
 * The Live stream is on air already, started early by somebody or handed on by the occurrence before; from here on it belongs to this one.
 */
function takeOver(turn: Turn, schedule: Readonly<Schedule>, firing: Readonly<Firing>, run: Readonly<Run>): void {
  const { tx, nowMs } = turn;
  const before = openFirings(tx, { livestreamId: run.id }).find(
    ({ id, runId }) => id !== firing.id && runId === run.runId,
  );
  const holder = before && tx.get('schedules', before.scheduleId);
  if (before !== undefined && !isHandedOver(holder, schedule)) {
    endRun(turn, before);
    failFiring(tx, firing, 'It is to run elsewhere than the one before, which is being stopped.', nowMs, 1000);
    return;
  }
  if (before !== undefined) close(turn, before, schedule.name);
  tx.put('runs', { ...run, scheduleId: schedule.id });
  const aired = firing.aired || run.status === 2;
  tx.put('firings', { ...firing, state: 'on_air', aired, runId: run.runId, retry_at: null });
  const started = before === undefined ? `${run.requested_by} had started it already` : 'It was on air already';
  const message = `${started}; Schedule "${schedule.name}" has taken it over and ends it at ${firing.occurrence_end}.`;
  addScheduleEvent(turn, firing, 'schedule_started', 'info', message);
}

/** Back to back, a broadcast goes on without a gap, unless the next one has to run elsewhere. */
function isHandedOver(before: Readonly<Schedule> | undefined, next: Readonly<Schedule>): boolean {
  return next.idEncoderGroup === null || next.idEncoderGroup === before?.idEncoderGroup;
}

/** The time of the occurrence is over: its run is stopped, or handed to the occurrence that begins now. */
export function end(turn: Turn, firing: Readonly<Firing>): void {
  const { tx } = turn;
  const schedule = tx.get('schedules', firing.scheduleId);
  const run = tx.get('runs', firing.livestreamId);
  const isOwn = run?.runId === firing.runId && run.desired === 'on' && run.status !== 0;
  const successor = isOwn && run.status !== 3 ? successorOf(turn, schedule, firing) : undefined;
  if (successor !== undefined) return begin(turn, successor.schedule, successor.pending);
  if (isOwn) endRun(turn, firing);
  else close(turn, firing);
}

function endRun(turn: Turn, firing: Readonly<Firing>): void {
  const { tx, now, control } = turn;
  const { livestreamId, scheduleId } = firing;
  const schedule = tx.get('schedules', scheduleId);
  close(turn, firing);
  control.orderStop(tx, now, livestreamId, { username: schedule?.created_by ?? '', scheduleId });
  if (schedule !== undefined) audit(turn, schedule, firing, 'stopLivestream', 'ok');
}

/** `heir` is the name of the Schedule that continues its run. */
function close(turn: Turn, firing: Readonly<Firing>, successor?: string): void {
  const { state, scheduleId, reasons, occurrence_end } = closeFiring(turn.tx, firing);
  const name = turn.tx.get('schedules', scheduleId)?.name ?? scheduleId;
  if (state === 'done') {
    const after = successor === undefined ? ` since ${occurrence_end}` : `; ${successor} goes on with what is on air`;
    addScheduleEvent(turn, firing, 'schedule_stopped', 'info', `Schedule "${name}" is over${after}.`);
  } else {
    const message = `Schedule "${name}" is over and was never on air. ${reasons.at(-1) ?? ''}`.trim();
    addScheduleEvent(turn, firing, 'schedule_missed', 'error', message);
  }
}

function successorOf(
  { tx, nowMs }: Turn,
  before: Readonly<Schedule> | undefined,
  { livestreamId }: Readonly<Firing>,
): { schedule: Readonly<Schedule>; pending: Pending } | undefined {
  for (const schedule of tx.find('schedules', { where: { livestreamId, enabled: true } }).rows) {
    // A Live stream may have hundreds of Schedules, so the records of those that are not on now are not read.
    if (!isHandedOver(before, schedule) || !hasOccurrenceAt(seriesOf(schedule), nowMs)) continue;
    for (const pending of pendingOf(tx, schedule, nowMs)) {
      if (pending.startMs > nowMs) break;
      if (isOn(pending, nowMs)) return { schedule, pending };
    }
  }
  return undefined;
}

function hasOccurrenceAt(series: Series, nowMs: number): boolean {
  for (const occurrence of occurrencesIn(series, nowMs - (series.endMs - series.startMs) - DAY_MS, nowMs + 1))
    if (isOn(occurrence, nowMs)) return true;
  return false;
}

function isOn({ startMs, endMs }: Occurrence, nowMs: number): boolean {
  return startMs <= nowMs && nowMs < endMs;
}

export function addScheduleEvent(
  { tx, now }: Turn,
  { livestreamId, scheduleId, occurrence_start }: Pick<Firing, 'livestreamId' | 'scheduleId' | 'occurrence_start'>,
  kind: EventKind,
  severity: Severity,
  message: string,
): void {
  addEvent(tx, now, livestreamId, { kind, severity, message, data: { scheduleId, occurrence_start } });
}

/** Writes the audit entry as if the Schedule's maker had called the operation. */
function audit(
  { tx, now }: Turn,
  { created_by: user, livestreamId: resource_id }: Readonly<Schedule>,
  { scheduleId, occurrence_start }: Readonly<Firing>,
  operation: string,
  outcome: string,
): void {
  const resource = 'Live streams';
  const who = { at: now, user, token_kid: null, via: 'schedule' as const };
  const request_id = `schedule-${scheduleId}-${occurrence_start}`;
  addAudit(tx, { ...who, operation, resource, resource_id, outcome, request_id, changed: [] });
}
