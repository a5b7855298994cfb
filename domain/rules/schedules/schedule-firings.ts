/** Keeps the firings of occurrences up to date; callers that start, stop or move a run use it in the same commit. */
import { toIso } from '../../time/clock.ts';
import type { LivestreamStatus } from '../../shapes/broadcasts/livestream.ts';
import type { Run } from '../../shapes/broadcasts/run.ts';
import type { Firing } from '../../shapes/schedules/schedule.ts';
import type { Tx, View } from '../../ports/store.ts';

/** A Device that restarts is back within seconds; a real obstacle needs a person to remove it. */
const FIRST_PAUSE_MS = 5000;
const QUICK_TRIES = 3;
const PAUSE_MS = 20_000;
/**
 * A closed firing stays in memory this long, so that an occurrence is known to have happened although the clock is set back; a clock that
 * is wrong for longer is noticed.
 */
const RECENT_MS = 7 * 86_400_000;
/** Reasons that one occurrence reports; a text that changes each time must not fill the event log. */
const MAX_REASONS = 10;

export function openFirings(view: View, where: { scheduleId: number } | { livestreamId: number }): Readonly<Firing>[] {
  return view.find('firings', { where: { ...where, open: true } }).rows;
}

/** The firing of one occurrence; undefined when it was never taken up. */
export function firingOf(view: View, scheduleId: number, occurrence_start: string): Readonly<Firing> | undefined {
  return view.find('firings', { where: { scheduleId, occurrence_start }, limit: 1 }).rows[0];
}

/** The run of an open occurrence; undefined when it is neither on air nor about to be. */
export function runOf(view: View, { livestreamId, runId, open }: Readonly<Firing>): Readonly<Run> | undefined {
  const run = view.get('runs', livestreamId);
  const isLive = run !== undefined && (run.status === 1 || run.status === 2);
  return open && isLive && run.runId === runId ? run : undefined;
}

/** Closes the firing, so that nothing starts it again. An occurrence that no viewer has seen is not done, whoever ended it. */
export function closeFiring(tx: Tx, firing: Readonly<Firing>): Firing {
  const state = firing.aired ? 'done' : firing.state === 'on_air' ? 'failed' : firing.state;
  const closed: Firing = { ...firing, state, open: false, retry_at: null };
  tx.put('firings', closed);
  return closed;
}

/** Its start or its run has failed, and it is tried again. Answers whether the reason is a new one. */
export function failFiring(tx: Tx, firing: Readonly<Firing>, reason: string, nowMs: number, pauseMs?: number): boolean {
  const attempts = firing.attempts + 1;
  const pause = pauseMs ?? (attempts <= QUICK_TRIES ? FIRST_PAUSE_MS : PAUSE_MS);
  const isNew = !firing.reasons.includes(reason) && firing.reasons.length < MAX_REASONS;
  const reasons = isNew ? [...firing.reasons, reason] : firing.reasons;
  const retry_at = toIso(nowMs + pause);
  tx.put('firings', { ...firing, state: 'failed', attempts, retry_at, reasons });
  return isNew;
}

/**
 * Moves firings of a Schedule that are closed and past to history, up to `limit` of them, and answers their number. The last one stays,
 * because the search for due occurrences begins there; a deleted Schedule has none that are due.
 */
export function retireFirings(tx: Tx, scheduleId: number, now: string, limit: number): number {
  const isGone = tx.version('schedules', scheduleId) === 0;
  const before = toIso(Date.parse(now) - RECENT_MS);
  const where = { scheduleId, open: false, ...(!isGone && { occurrence_end: { lt: before } }) };
  const sort = { field: 'occurrence_end', descending: false };
  const { rows } = tx.find('firings', { where, sort, limit: isGone ? limit : limit + 1 });
  const retired = isGone ? rows : rows.slice(0, -1);
  for (const { id, open: _closed, aired: _seen, retry_at: _none, ...row } of retired) {
    tx.delete('firings', id);
    tx.insert('pastFirings', { ...row, at: now });
  }
  return retired.length;
}

/** The Schedules with firings that retireFirings would move. */
export function retirableSchedules(view: View, now: string): number[] {
  const before = toIso(Date.parse(now) - RECENT_MS);
  const past = new Map<number, number>();
  for (const { scheduleId, occurrence_end } of view.find('firings', { where: { open: false } }).rows) {
    const isGone = view.version('schedules', scheduleId) === 0;
    const weight = isGone ? 2 : occurrence_end < before ? 1 : 0;
    past.set(scheduleId, (past.get(scheduleId) ?? 0) + weight);
  }
  return [...past].flatMap(([scheduleId, weight]) => (weight > 1 ? [scheduleId] : []));
}

/** The run of an occurrence has entered another status. */
export function followRun(tx: Tx, { id, runId }: Readonly<Run>, status: LivestreamStatus, now: string): void {
  const firing = openFirings(tx, { livestreamId: id }).find((candidate) => candidate.runId === runId);
  if (firing === undefined) return;
  if (status === 2) tx.put('firings', { ...firing, state: 'on_air', aired: true });
  // The event log has the reason already.
  if (status === 3) failFiring(tx, firing, tx.get('runs', id)?.errorstatus ?? '', Date.parse(now));
}
