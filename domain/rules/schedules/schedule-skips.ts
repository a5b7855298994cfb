/** Leaves occurrences out of a series, and takes them back into it. */
import { toIso } from '../../time/clock.ts';
import { AppError, ruleViolated, wrongState } from '../../base/errors.ts';
import { nextOccurrence, occurrencesIn, type Occurrence, type Series } from '../../time/recurrence.ts';
import {
  seriesOf,
  type Firing,
  type Schedule,
  type ScheduleSkip,
  type SkipView,
} from '../../shapes/schedules/schedule.ts';
import type { Tx, View } from '../../ports/store.ts';
import { instantOf, wallAt } from '../../time/zone.ts';
import { closeFiring, firingOf, runOf } from './schedule-firings.ts';
import { retimeActions } from './relative-actions.ts';
import { assertNoOverlap } from './schedule-rules.ts';
import { called, calledIn } from '../../base/sentence.ts';

const DAY_MS = 86_400_000;

export function presentSkip({ id, occurrence_start, created_by }: Readonly<ScheduleSkip>): SkipView {
  return { skipId: id, occurrence_start, created_by };
}

interface Asked {
  now: string;
  created_by: string;
  confirmStopLive: boolean;
}

/**
 * `isLive` means that the occurrence is on air, and the caller has to order the stop. Throws AppError rule_violated, conflict, wrong_state
 * or confirmation_required.
 */
export function addSkip(
  tx: Tx,
  schedule: Readonly<Schedule>,
  startMs: number,
  { now, created_by, confirmStopLive }: Asked,
): { skip: Readonly<ScheduleSkip>; isLive: boolean } {
  const { id: scheduleId } = schedule;
  const occurrence_start = toIso(startMs);
  if (schedule.recurrence.type === 'none') {
    const message = `${called('Schedule', schedule)} happens once; pause it with updateSchedule (enabled: false), or delete it`;
    throw ruleViolated(`${message}.`, [{ field: 'scheduleId', code: 'not_recurring', message }]);
  }
  const present = findSkip(tx, scheduleId, occurrence_start);
  if (present !== undefined) {
    throw new AppError('conflict', `The occurrence of ${occurrence_start} is skipped already, by skip ${present.id}.`, {
      facts: { field: 'occurrence_start', value: occurrence_start, id: present.id },
    });
  }
  const firing = firingOf(tx, scheduleId, occurrence_start);
  const occurrence_end = firing?.occurrence_end ?? endOf(schedule, startMs);
  assertToCome(occurrence_start, occurrence_end, firing, now);
  const isLive = firing !== undefined && runOf(tx, firing) !== undefined;
  if (isLive && !confirmStopLive) {
    const streamText = calledIn(tx, 'Live stream', schedule.livestreamId);
    const detail =
      `The occurrence of ${occurrence_start} is on air; to skip it takes ${streamText} off air. ` +
      'Repeat the call with confirmStopLive: true.';
    throw new AppError('confirmation_required', detail, { facts: { flag: 'confirmStopLive' } });
  }
  if (firing !== undefined && !isLive) closeFiring(tx, firing);
  const row = { created_at: now, scheduleId, occurrence_start, occurrence_end, created_by };
  const skip = tx.insert('scheduleSkips', row);
  retimeActions(tx, now, schedule);
  return { skip, isLive };
}

/** Throws AppError rule_violated that names the nearest occurrence. */
function endOf(schedule: Readonly<Schedule>, startMs: number): string {
  const next = nextOccurrence(seriesOf(schedule), startMs);
  if (next?.startMs === startMs) return toIso(next.endMs);
  const hint = next === undefined ? 'The series is over by then' : `The next one begins at ${toIso(next.startMs)}`;
  const message = `no occurrence begins at ${toIso(startMs)}. ${hint}; getScheduleOccurrences lists them`;
  throw ruleViolated(`occurrence_start: ${message}.`, [{ field: 'occurrence_start', code: 'not_found', message }]);
}

function assertToCome(start: string, end: string, firing: Readonly<Firing> | undefined, now: string): void {
  const state = firing === undefined ? 'over' : firing.state;
  if (firing === undefined ? end > now : firing.open) return;
  throw wrongState(
    `The occurrence of ${start} is over (${state}); only one that is to come or on air can be skipped.`,
    state,
    ['planned', 'on_air'],
    'Choose an occurrence that is to come or on air.',
  );
}

const PLAN_ANEW = 'Its time is over: plan a new Schedule instead.';

/** Takes the occurrence back into the series. Throws AppError wrong_state or conflict. */
export function removeSkip(tx: Tx, schedule: Readonly<Schedule>, skip: Readonly<ScheduleSkip>, now: string): void {
  const { occurrence_start: start, occurrence_end: end } = skip;
  const firing = firingOf(tx, schedule.id, start);
  if (firing !== undefined && (firing.aired || firing.state === 'done'))
    throw wrongState(
      `The occurrence of ${start} has run already and cannot be restored.`,
      'done',
      ['skipped'],
      PLAN_ANEW,
    );
  if (end <= now)
    throw wrongState(
      `The occurrence of ${start} would have been over at ${end}; it cannot be restored.`,
      'over',
      ['skipped'],
      PLAN_ANEW,
    );
  tx.delete('scheduleSkips', skip.id);
  retimeActions(tx, now, schedule);
  if (firing !== undefined) tx.put('firings', { ...firing, open: true, retry_at: now });
  // Its time may have been given to another Schedule meanwhile.
  assertNoOverlap(tx, schedule, now);
}

/** Throws AppError not_found. */
export function getSkip(view: View, scheduleId: number, skipId: number): Readonly<ScheduleSkip> {
  const skip = view.get('scheduleSkips', skipId);
  if (skip?.scheduleId === scheduleId) return skip;
  throw new AppError(
    'not_found',
    `${calledIn(view, 'Schedule', scheduleId)} has no skip ${skipId}; listScheduleSkips tells those it has.`,
    {
      facts: { resource: 'skip', id: skipId },
    },
  );
}

/**
 * A series that is moved keeps the skips that are still ahead: each applies to its occurrence at that instant, else on that day by the
 * clock of its zone. `until` is ignored, so that a second move does not bring back an occurrence that was left out.
 */
export function carrySkips(tx: Tx, present: Readonly<Schedule>, moved: Readonly<Schedule>, now: string): void {
  const series = { ...seriesOf(moved), untilMs: null };
  const { rows } = tx.find('scheduleSkips', { where: { scheduleId: moved.id, occurrence_end: { gte: now } } });
  for (const skip of rows) {
    const occurrence = counterpart(series, Date.parse(skip.occurrence_start), present.timezone);
    const other = occurrence && findSkip(tx, moved.id, toIso(occurrence.startMs));
    if (occurrence === undefined || (other !== undefined && other.id !== skip.id)) tx.delete('scheduleSkips', skip.id);
    else {
      const times = { occurrence_start: toIso(occurrence.startMs), occurrence_end: toIso(occurrence.endMs) };
      tx.put('scheduleSkips', { ...skip, ...times });
    }
  }
}

function findSkip(view: View, scheduleId: number, occurrence_start: string): Readonly<ScheduleSkip> | undefined {
  return view.find('scheduleSkips', { where: { scheduleId, occurrence_start }, limit: 1 }).rows[0];
}

function counterpart(series: Series, startMs: number, before: string): Occurrence | undefined {
  const same = nextOccurrence(series, startMs);
  if (same?.startMs === startMs) return same;
  const wall = wallAt(startMs, before);
  const midnight = wall - (((wall % DAY_MS) + DAY_MS) % DAY_MS);
  const [fromMs, toMs] = [midnight, midnight + DAY_MS].map((edge) => instantOf(edge, series.timezone));
  return occurrencesIn(series, fromMs!, toMs!).next().value as Occurrence | undefined;
}
