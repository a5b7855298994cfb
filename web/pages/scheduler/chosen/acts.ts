/** What can be done to one occurrence and to its series; each is saved by the server, or told in its words. */
import { signal } from '@preact/signals';
import { call, dataIn } from '../../../api/call.ts';
import { ProblemError } from '../../../api/problems.ts';
import type { SaveOutcome } from '../../../api/save-outcome.ts';
import { save } from '../../../api/saves.ts';
import type { Conflict } from '../../../resource/saving.ts';
import { notify } from '../../../ui/registry/notices.ts';
import type { OccurrenceRow, ScheduleRow } from '../data/occurrences.ts';
import { words } from '../words.ts';

export const problem = signal<ProblemError | undefined>(undefined);
/** An act is under way. */
export const isBusy = signal(false);

/** The Schedule in the version that the person saw. */
export interface Seen {
  row: ScheduleRow;
  etag: string | undefined;
}

interface Changed {
  name: string;
  conflict: Conflict;
  mine: object;
  /** Whether the act is done all the same. */
  decide: (isKept: boolean) => void;
}

/** The question about a change of somebody else; undefined while there is none. */
export const changed = signal<Changed | undefined>(undefined);

/** Stamps differ after each change and tell nothing. */
function compared({ row }: Seen, body: object): object {
  const { updated_at: _updated, created_at: _created, ...fields } = row;
  return { ...fields, ...body };
}

async function askAgain(conflict: Conflict, seen: Seen, body: object): Promise<boolean> {
  isBusy.value = false;
  const isKept = await new Promise<boolean>((decide) => {
    changed.value = { name: seen.row.name, conflict, mine: compared(seen, body), decide };
  });
  changed.value = undefined;
  isBusy.value = isKept;
  return isKept;
}

type Send<D> = (etag: string | undefined) => Promise<SaveOutcome<D>>;

/** Without `of` the act does not depend on what the Schedule is like. */
async function carryOut<D>(send: Send<D>, of?: { seen: Seen; body: object }): Promise<D | undefined> {
  if (isBusy.peek()) return undefined;
  isBusy.value = true;
  problem.value = undefined;
  try {
    let outcome = await send(of?.seen.etag);
    while (outcome.kind === 'changed' && of !== undefined) {
      const { etag } = outcome;
      if (!(await askAgain({ ...outcome, theirs: outcome.theirs as object }, of.seen, of.body))) return undefined;
      outcome = await send(etag);
    }
    if (outcome.kind === 'refused') problem.value = outcome.error;
    return outcome.kind === 'saved' ? outcome.data : undefined;
  } finally {
    isBusy.value = false;
  }
}

/** The server asks for no version of the Schedule here: what differs from the one that was seen is told before. */
async function isAsSeen(seen: Seen): Promise<boolean> {
  if (isBusy.peek()) return false;
  try {
    const { body, etag } = await call('getScheduleById', { params: { scheduleId: seen.row.id } });
    if (etag === seen.etag) return true;
    return await askAgain({ theirs: dataIn(body) as ScheduleRow, etag, by: undefined }, seen, {});
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    problem.value = error;
    return false;
  } finally {
    isBusy.value = false;
  }
}

/** Says whether it is skipped then. */
export async function skip(row: OccurrenceRow, seen: Seen | undefined, confirmStopLive = false): Promise<boolean> {
  const { scheduleId, start, name } = row;
  const params = { scheduleId };
  const body = { occurrence_start: start, confirmStopLive };
  if (seen !== undefined && !(await isAsSeen(seen))) return false;
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

export async function setEnabled(seen: Seen, enabled: boolean): Promise<void> {
  const { id, name } = seen.row;
  const params = { scheduleId: id };
  const put =
    (to: boolean): Send<unknown> =>
    (etag) =>
      save({ operation: 'updateSchedule', params, body: { enabled: to }, etag });
  const done = await carryOut(put(enabled), { seen, body: { enabled } });
  if (done === undefined) return;
  const w = words.value;
  // Taken back within seconds, whatever else has changed in it.
  notify((enabled ? w.resumedNow : w.pausedNow)(name), () => carryOut(() => put(!enabled)(undefined)));
}

export async function endSeries(row: OccurrenceRow, seen: Seen): Promise<boolean> {
  const params = { scheduleId: row.scheduleId };
  const body = { until: row.start };
  const mine = { recurrence: { ...seen.row.recurrence, ...body } };
  const done = await carryOut((etag) => save({ operation: 'patchScheduleUntil', params, body, etag }), {
    seen,
    body: mine,
  });
  if (done !== undefined) notify(words.value.ended(row.name));
  return done !== undefined;
}
