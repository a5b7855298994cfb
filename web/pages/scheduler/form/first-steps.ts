/** Steps that make room for the Schedule of a form just before it is saved, and are taken back where it is not. */
import { call } from '../../../api/call.ts';
import { save } from '../../../api/saves.ts';
import type { First } from '../../../resource/open-form.ts';
import type { OccurrenceRow, ScheduleRow } from '../data/occurrences.ts';
import { movedInstant } from './series-times.ts';

/** The occurrence does not happen. */
export async function skipFirst({ scheduleId, start }: OccurrenceRow): Promise<First> {
  const body = { occurrence_start: start, confirmStopLive: false };
  const outcome = await save({ operation: 'skipOccurrence', params: { scheduleId }, body });
  if (outcome.kind === 'refused') return outcome;
  const { skipId } = outcome.kind === 'saved' ? outcome.data : { skipId: 0 };
  return { undo: () => save({ operation: 'restoreSkip', params: { scheduleId, skipId } }) };
}

/** The series ends before the occurrence. */
export async function endFirst({ scheduleId, start }: OccurrenceRow, { recurrence }: ScheduleRow): Promise<First> {
  const params = { scheduleId };
  const outcome = await save({ operation: 'patchScheduleUntil', params, body: { until: start } });
  if (outcome.kind === 'refused') return outcome;
  return { undo: () => save({ operation: 'updateSchedule', params, body: { recurrence } }) };
}

interface Carry {
  /** The old series and the occurrence that the new one begins with. */
  occurrence: OccurrenceRow;
  /** Start of the new series. */
  start: string;
  timezone: string;
  to: number;
}

/** Occurrences left out of the old series stay left out of the new one. Answers how many could not be. */
export async function carrySkips({ occurrence, start, timezone, to }: Carry): Promise<number> {
  const { scheduleId } = occurrence;
  const { body } = await call('listScheduleSkips', { params: { scheduleId, pageSize: 500 } });
  const later = (body as { rows: { occurrence_start: string }[] }).rows.filter(
    ({ occurrence_start }) => occurrence_start > occurrence.start,
  );
  let lost = 0;
  for (const { occurrence_start } of later) {
    const moved = movedInstant(occurrence_start, { from: occurrence.start, to: start }, timezone);
    const skip = { occurrence_start: moved, confirmStopLive: false };
    const outcome = await save({ operation: 'skipOccurrence', params: { scheduleId: to }, body: skip });
    if (outcome.kind !== 'saved') lost += 1;
  }
  return lost;
}
