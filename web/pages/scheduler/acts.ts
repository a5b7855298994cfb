/** Changes of occurrences and their series. Each rejects with ProblemError. */
import { call, dataIn } from '../../api/call.ts';
import { resourceChanged } from '../../api/query.ts';
import type { SaveOutcome } from '../../api/save-outcome.ts';
import { save } from '../../api/saves.ts';
import type { Occurrence, Schedule } from './data.ts';

const startOf = ({ start }: Pick<Occurrence, 'start'>): string => new Date(start).toISOString();

/** Answers the skip's id, by which it is taken back. One on air ends. */
export async function skip(occurrence: Occurrence): Promise<number> {
  const { scheduleId, state } = occurrence;
  const body = { occurrence_start: startOf(occurrence), confirmStopLive: state === 'on_air' };
  const reply = await call('skipOccurrence', { params: { scheduleId }, body });
  resourceChanged('schedules');
  return (dataIn(reply.body) as { skipId: number }).skipId;
}

/** The skip is looked up where its id is not known. */
export async function restore(occurrence: Occurrence, known?: number): Promise<void> {
  const { scheduleId } = occurrence;
  const skipId = known ?? (await skipOf(occurrence));
  if (skipId === undefined) return;
  await call('restoreSkip', { params: { scheduleId, skipId } });
  resourceChanged('schedules');
}

async function skipOf(occurrence: Occurrence): Promise<number | undefined> {
  const { body } = await call('listScheduleSkips', { params: { scheduleId: occurrence.scheduleId, pageSize: 500 } });
  const { rows } = body as { rows: readonly { skipId: number; occurrence_start: string }[] };
  return rows.find(({ occurrence_start: start }) => Date.parse(start) === occurrence.start)?.skipId;
}

export async function pauseSeries({ id }: Schedule, enabled: boolean, etag: string | undefined): Promise<void> {
  await saved(save({ operation: 'updateSchedule', params: { scheduleId: id }, body: { enabled }, etag }));
}

export async function endSeries(occurrence: Occurrence, etag: string | undefined): Promise<void> {
  const { scheduleId } = occurrence;
  const body = { until: startOf(occurrence) };
  await saved(save({ operation: 'patchScheduleUntil', params: { scheduleId }, body, etag }));
}

async function saved(outcome: Promise<SaveOutcome<unknown>>): Promise<void> {
  const { kind, ...rest } = await outcome;
  if (kind === 'saved') return;
  if ('error' in rest) throw rest.error;
  throw new Error('Somebody else has changed the Schedule meanwhile. Look at it, then do it again.');
}
