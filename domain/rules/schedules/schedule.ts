import { z } from 'zod/v3';
import { toIso } from '../../time/clock.ts';
import { ruleViolated, wrongState } from '../../base/errors.ts';
import { nextOccurrence } from '../../time/recurrence.ts';
import { defineResource } from '../../ports/resource.ts';
import {
  scheduleCreate,
  scheduleOutput,
  seriesOf,
  type Firing,
  type Schedule,
  type ScheduleView,
} from '../../shapes/schedules/schedule.ts';
import type { Timed } from '../../shapes/schedules/schedule-times.ts';
import { mergePatch, reference } from '../../base/schema.ts';
import type { Tx, View } from '../../ports/store.ts';
import { addEvent } from '../rows/event-log.ts';
import { closeFiring, openFirings, runOf } from './schedule-firings.ts';
import { assertFits, assertNoOverlap, assertNotOver, assertStartAhead, MAX_PAST_MS } from './schedule-rules.ts';
import { called, calledIn } from '../../base/sentence.ts';
import { retimeActions } from './relative-actions.ts';
import { carrySkips } from './schedule-skips.ts';

type Fields = Timed<z.infer<z.ZodObject<typeof scheduleCreate>>>;
type Patch = { [F in keyof Fields]?: Fields[F] | undefined };

export const scheduleResource = defineResource({
  collection: 'schedules',
  noun: 'Schedule',
  idParam: 'scheduleId',
  shape: scheduleCreate,
  output: scheduleOutput,
  shortFields: ['id', 'name', 'livestreamId', 'start', 'end', 'recurrence', 'timezone', 'enabled'],
  filters: {
    livestreamId: reference('Live stream').optional(),
    idEncoderGroup: reference('Device group').optional(),
    enabled: z.boolean().optional().describe('Only those that are in force, or those that are paused.'),
  },
  // A row that was stored before Schedules had descriptions has none.
  present: ({ effective_from: _own, ...row }): ScheduleView => ({ ...row, description: row.description ?? null }),
});

interface Making {
  now: string;
  /** Zone of the service. */
  timezone: string;
  created_by: string;
}

/** The row as it would be stored. Throws AppError invalid_input, rule_violated or conflict. */
export function draftSchedule(view: View, fields: Fields, { now, timezone, created_by }: Making): Omit<Schedule, 'id'> {
  const stamps = { created_at: now, updated_at: now, effective_from: now, created_by };
  const row = normal({ ...fields, ...stamps, timezone: fields.timezone ?? timezone });
  assertStartAhead(row, now);
  assertFits(view, row, now);
  assertNoOverlap(view, row, now);
  return row;
}

interface Changing {
  now: string;
  /** Zone of the service. */
  timezone: string;
  username: string;
}

/** Throws as draftSchedule does, and wrong_state for another Live stream while it is on air. */
export function changeSchedule(tx: Tx, present: Readonly<Schedule>, patch: Patch, by: Changing): Schedule {
  const { now } = by;
  const merged = once(mergePatch(present as Schedule, patch), patch.recurrence);
  const row = { ...normal(merged), timezone: merged.timezone ?? by.timezone, updated_at: now };
  const isOther = timingOf(row) !== timingOf(present);
  if (isOther) {
    row.effective_from = now;
    if (row.start !== present.start) assertStartAhead(row, now);
    assertNotOver(tx, row, now, present);
    for (const firing of openFirings(tx, { scheduleId: row.id })) followChange(tx, firing, row, by);
    assertFits(tx, row, now, present);
    if (isMoved(row, present)) carrySkips(tx, present, row, now);
    assertNoOverlap(tx, row, now);
  }
  tx.put('schedules', row);
  if (isOther) retimeActions(tx, now, row);
  return row;
}

/** Makes a series a single occurrence: its interval and its end are dropped, unless they are sent and are to be checked. */
function once(row: Schedule, sent: Partial<Schedule['recurrence']> = {}): Schedule {
  if (row.recurrence.type !== 'none') return row;
  return { ...row, recurrence: { interval: 1, until: null, ...sent, type: 'none' } };
}

/** True when its occurrences are at other times; the end of the series does not matter. */
function isMoved(row: Schedule, present: Readonly<Schedule>): boolean {
  const rule = ({ start, end, timezone, recurrence: { type, interval } }: Readonly<Schedule>): string =>
    JSON.stringify([start, end, timezone, type, interval]);
  return rule(row) !== rule(present);
}

/** Instants are kept in one form, so that they sort as text. */
function normal<S extends Pick<Schedule, 'start' | 'end' | 'recurrence'>>(row: S): S {
  const { start, end, recurrence } = row;
  const until = recurrence.until === null ? null : toIso(Date.parse(recurrence.until));
  const instants = { start: toIso(Date.parse(start)), end: toIso(Date.parse(end)) };
  return { ...row, ...instants, recurrence: { ...recurrence, until } };
}

function timingOf({ livestreamId, start, end, recurrence, timezone, enabled, idEncoderGroup }: Schedule): string {
  return JSON.stringify([livestreamId, start, end, recurrence, timezone, enabled, idEncoderGroup]);
}

/** An occurrence on air stays there until its end, which may have moved; another one is tried again only where it is still planned. */
function followChange(tx: Tx, firing: Readonly<Firing>, row: Schedule, by: Changing): void {
  const isLive = runOf(tx, firing) !== undefined;
  if (isLive && row.livestreamId !== firing.livestreamId) {
    const detail =
      `${called('Schedule', row)} is on air with ${calledIn(tx, 'Live stream', firing.livestreamId)}; another one can be bound when it is over. ` +
      'End it first with stopLivestream.';
    throw wrongState(detail, 'on_air', ['planned', 'done']);
  }
  const startMs = Date.parse(firing.occurrence_start);
  const same = nextOccurrence(seriesOf(row), startMs);
  if (same?.startMs === startMs) {
    const occurrence_end = toIso(same.endMs);
    if (isLive && occurrence_end !== firing.occurrence_end) moveEnd(tx, firing, row, occurrence_end, by);
    tx.put('firings', { ...firing, livestreamId: row.livestreamId, occurrence_end });
  } else if (!isLive) closeFiring(tx, firing);
}

/** Viewers lose a broadcast by a stop that somebody orders, never by a time that is past. */
function moveEnd(tx: Tx, firing: Readonly<Firing>, row: Schedule, end: string, { now, username }: Changing): void {
  const { livestreamId, occurrence_start, occurrence_end } = firing;
  if (end <= now) {
    const orSkip =
      row.recurrence.type === 'none' ? '' : ', or skip this occurrence with skipOccurrence (confirmStopLive: true)';
    const message = `what is on air would have ended at ${end}, and it is ${now} now; end it with stopLivestream${orSkip}`;
    throw ruleViolated(`end: ${message}.`, [{ field: 'end', code: 'past', message }]);
  }
  const message = `${username} moved the end of what Schedule "${row.name}" has on air from ${occurrence_end} to ${end}.`;
  const facts = { scheduleId: row.id, occurrence_start, user: username };
  addEvent(tx, now, livestreamId, {
    kind: 'runtime_changed',
    severity: 'info',
    message,
    data: { change: 'end', ...facts },
  });
}

/** Ends a series from an instant onward, or from now where that has just passed. Throws AppError rule_violated or conflict. */
export function endSeries(tx: Tx, present: Readonly<Schedule>, until: string, by: Changing): Schedule {
  const refuse = (message: string): never => {
    throw ruleViolated(`until: ${message}.`, [{ field: 'until', code: 'order', message }]);
  };
  if (present.recurrence.type === 'none')
    refuse(
      `${called('Schedule', present)} happens once; move its end with updateSchedule, or delete it with deleteSchedule`,
    );
  const untilMs = Date.parse(until);
  const nowMs = Date.parse(by.now);
  if (untilMs < nowMs - MAX_PAST_MS)
    refuse(`${until} is past, it is ${by.now} now; what is on air is ended by stopLivestream`);
  if (untilMs <= Date.parse(present.start))
    refuse(`${until} is not after the first start, ${present.start}; use deleteSchedule to have none of it`);
  const ended = toIso(Math.max(untilMs, nowMs));
  return changeSchedule(tx, present, { recurrence: { ...present.recurrence, until: ended } }, by);
}
