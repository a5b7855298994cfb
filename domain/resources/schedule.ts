import { z } from 'zod/v3';
import { toIso } from '../clock.ts';
import { ruleViolated, wrongState } from '../errors.ts';
import { nextOccurrence } from '../recurrence.ts';
import { defineResource } from '../resource.ts';
import {
  scheduleCreate,
  scheduleOutput,
  seriesOf,
  type Firing,
  type Schedule,
  type ScheduleView,
} from '../schedule.ts';
import { mergePatch, reference } from '../schema.ts';
import type { Tx, View } from '../store.ts';
import { closeFiring, openFirings, runOf } from './schedule-firings.ts';
import { assertFits, assertNoOverlap, assertStartAhead } from './schedule-rules.ts';

type Fields = z.infer<z.ZodObject<typeof scheduleCreate>>;
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
  present: ({ effective_from: _own, ...row }): ScheduleView => row,
});

interface Making {
  now: string;
  /** The service's. */
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

/** As draftSchedule; wrong_state for another Live stream while it is on air. */
export function changeSchedule(
  tx: Tx,
  present: Readonly<Schedule>,
  patch: Patch,
  { now, timezone }: { now: string; timezone: string },
): Schedule {
  const merged = mergePatch(present as Schedule, patch);
  const row = { ...normal(merged), timezone: merged.timezone ?? timezone, updated_at: now };
  const isOther = timingOf(row) !== timingOf(present);
  if (isOther) {
    row.effective_from = now;
    if (row.start !== present.start) assertStartAhead(row, now);
    assertFits(tx, row, now, present);
    assertNoOverlap(tx, row, now);
    for (const firing of openFirings(tx, { scheduleId: row.id })) followChange(tx, firing, row);
  }
  tx.put('schedules', row);
  return row;
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

/** What is on air stays there until its end, which may have moved; what is not is tried again only where it is still planned. */
function followChange(tx: Tx, firing: Readonly<Firing>, row: Schedule): void {
  const isLive = runOf(tx, firing) !== undefined;
  if (isLive && row.livestreamId !== firing.livestreamId) {
    const detail =
      `Schedule ${row.id} is on air with Live stream ${firing.livestreamId}; another one can be bound when it is over. ` +
      'End it first with stopLivestream.';
    throw wrongState(detail, 'on_air', ['planned', 'done']);
  }
  const startMs = Date.parse(firing.occurrence_start);
  const same = nextOccurrence(seriesOf(row), startMs);
  if (same?.startMs === startMs) {
    tx.put('firings', { ...firing, livestreamId: row.livestreamId, occurrence_end: toIso(same.endMs) });
  } else if (!isLive) closeFiring(tx, firing);
}

/** Ends a series from an instant onward; null: it has no end any more. Throws AppError rule_violated or conflict. */
export function endSeries(
  tx: Tx,
  present: Readonly<Schedule>,
  until: string | null,
  at: { now: string; timezone: string },
): Schedule {
  const refuse = (message: string): never => {
    throw ruleViolated(`until: ${message}.`, [{ field: 'until', code: 'order', message }]);
  };
  if (present.recurrence.type === 'none')
    refuse(`Schedule ${present.id} happens once; move its end with updateSchedule, or delete it with deleteSchedule`);
  if (until !== null && Date.parse(until) < Date.parse(at.now))
    refuse(`${until} is past, it is ${at.now} now; what is on air is ended by stopLivestream`);
  if (until !== null && Date.parse(until) <= Date.parse(present.start))
    refuse(`${until} is not after the first start, ${present.start}; use deleteSchedule to have none of it`);
  return changeSchedule(tx, present, { recurrence: { ...present.recurrence, until } }, at);
}

/** Deletes a Schedule with its skips. What it has had on air stays in the record of the Live stream. */
export function removeSchedule(tx: Tx, { id }: Readonly<Schedule>): void {
  for (const firing of openFirings(tx, { scheduleId: id })) closeFiring(tx, firing);
  for (const skip of tx.find('scheduleSkips', { where: { scheduleId: id } }).rows) tx.delete('scheduleSkips', skip.id);
  tx.delete('schedules', id);
}

/** Every path of its Destinations is off at the next start, until somebody switches one on in startConfig. */
export function switchDestinationsOff(tx: Tx, livestreamId: number): void {
  const run = tx.get('runs', livestreamId);
  if (run === undefined) return;
  const startConfig = run.startConfig.map((entry) => ({ ...entry, primary: false, backup: false }));
  tx.put('runs', { ...run, startConfig });
}
