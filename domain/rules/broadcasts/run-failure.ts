/** Ends a run that has failed and of which nothing is left: its Live stream can be changed, which is how most failures are mended. */
import { STATUS } from '../../shapes/broadcasts/livestream.ts';
import type { Run } from '../../shapes/broadcasts/run.ts';
import type { Tx } from '../../ports/store.ts';
import { addEvent } from '../rows/event-log.ts';

/** The place of a run that is nowhere any more. */
export const UNPLACED = { deviceId: null, cloudAccountId: null, slot: null, cost: 0, otherDeviceId: null, move: null };

export function isEndedFailure(run: Readonly<Run> | undefined): boolean {
  return run?.status === STATUS.failed && run.ended === true;
}

/** Notes that nothing of the run is left at its place. */
export function noteEnd(tx: Tx, runId: string, livestreamId: number): void {
  const run = tx.get('runs', livestreamId);
  if (run?.runId === runId && run.status === STATUS.failed && run.ended !== true)
    tx.put('runs', { ...run, ended: true });
}

/** The row of a run that is over: nothing of it holds a place. */
export function endedRun({ loss: _loss, again: _again, ...run }: Readonly<Run>, now: string): Run {
  return {
    ...run,
    ...UNPLACED,
    status: STATUS.stopped,
    errorstatus: null,
    started_at: null,
    scheduleId: null,
    since: now,
  };
}

/** Runs inside the commit that changes its Live stream, because the failure says nothing about the next start. */
export function clearFailure(tx: Tx, livestreamId: number, now: string, username: string): void {
  const run = tx.get('runs', livestreamId);
  if (run?.status !== STATUS.failed) return;
  tx.put('runs', { ...endedRun(run, now), desired: 'off' });
  const message = `${username} changed "${tx.get('livestreams', livestreamId)?.name ?? livestreamId}"; its failure is cleared.`;
  const facts = { change: 'failure_cleared', user: username, runId: run.runId, errorstatus: run.errorstatus };
  addEvent(tx, now, livestreamId, { kind: 'runtime_changed', severity: 'info', message, data: facts });
}
