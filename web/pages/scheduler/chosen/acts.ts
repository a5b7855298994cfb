/** What can be done to one occurrence and to its series; each is saved by the server, or told in its words. */
import { signal } from '@preact/signals';
import { call } from '../../../api/call.ts';
import type { ProblemError } from '../../../api/problems.ts';
import type { SaveOutcome } from '../../../api/save-outcome.ts';
import { save } from '../../../api/saves.ts';
import { notify } from '../../../ui/registry/notices.ts';
import type { OccurrenceRow, ScheduleRow } from '../data/occurrences.ts';
import { words } from '../words.ts';

export const problem = signal<ProblemError | undefined>(undefined);
/** An act is under way. */
export const isBusy = signal(false);

async function carryOut<D>(send: () => Promise<SaveOutcome<D>>): Promise<D | undefined> {
  if (isBusy.peek()) return undefined;
  isBusy.value = true;
  problem.value = undefined;
  try {
    let outcome = await send();
    // What is done to the whole row does not depend on what somebody else has changed in it.
    if (outcome.kind === 'changed') outcome = await send();
    if (outcome.kind === 'refused') problem.value = outcome.error;
    return outcome.kind === 'saved' ? outcome.data : undefined;
  } finally {
    isBusy.value = false;
  }
}

/** Says whether it is skipped then. */
export async function skip(row: OccurrenceRow, confirmStopLive = false): Promise<boolean> {
  const { scheduleId, start, name } = row;
  const params = { scheduleId };
  const body = { occurrence_start: start, confirmStopLive };
  const done = await carryOut(() => save({ operation: 'skipOccurrence', params, body }));
  if (done === undefined) return false;
  const { skipId } = done;
  const undo = (): unknown => carryOut(() => save({ operation: 'restoreSkip', params: { scheduleId, skipId } }));
  notify(words.value.skipped(name), confirmStopLive ? undefined : undo);
  return true;
}

export async function restore(row: OccurrenceRow): Promise<void> {
  const { scheduleId, start, name } = row;
  const done = await carryOut(async () => {
    const { body } = await call('listScheduleSkips', { params: { scheduleId, search: start } });
    const found = (body as { rows: { skipId: number; occurrence_start: string }[] }).rows;
    const skipId = found.find(({ occurrence_start }) => occurrence_start === start)?.skipId ?? 0;
    return save({ operation: 'restoreSkip', params: { scheduleId, skipId } });
  });
  if (done === undefined) return;
  const body = { occurrence_start: start, confirmStopLive: false };
  const undo = (): unknown => carryOut(() => save({ operation: 'skipOccurrence', params: { scheduleId }, body }));
  notify(words.value.restored(name), undo);
}

async function enable(schedule: ScheduleRow, enabled: boolean): Promise<boolean> {
  const params = { scheduleId: schedule.id };
  const done = await carryOut(async () => {
    const { etag } = await call('getScheduleById', { params });
    return save({ operation: 'updateSchedule', params, body: { enabled }, etag });
  });
  return done !== undefined;
}

export async function setEnabled(schedule: ScheduleRow, enabled: boolean): Promise<void> {
  if (!(await enable(schedule, enabled))) return;
  const w = words.value;
  notify((enabled ? w.resumedNow : w.pausedNow)(schedule.name), () => enable(schedule, !enabled));
}

export async function endSeries(row: OccurrenceRow): Promise<boolean> {
  const params = { scheduleId: row.scheduleId };
  const done = await carryOut(async () => {
    const { etag } = await call('getScheduleById', { params });
    return save({ operation: 'patchScheduleUntil', params, body: { until: row.start }, etag });
  });
  if (done !== undefined) notify(words.value.ended(row.name));
  return done !== undefined;
}
