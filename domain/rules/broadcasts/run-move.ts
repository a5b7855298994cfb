/** The steps of a move of a run on air, each inside a commit. At every moment the row says which of the two runs may deliver. */
import type { Gate, MoveStage, RunMove } from '../../shapes/broadcasts/run-move.ts';
import type { Run } from '../../shapes/broadcasts/run.ts';
import { calledIn, ended } from '../../base/sentence.ts';
import type { Tx, View } from '../../ports/store.ts';
import { recordBack, recordOn } from './recording-runs.ts';
import { addEvent } from '../rows/event-log.ts';
import { openFirings } from '../schedules/schedule-firings.ts';

const SHUTTING: readonly (MoveStage | undefined)[] = ['switching', 'returning'];
const LENDING: readonly (MoveStage | undefined)[] = ['lending', 'lent', 'reclaiming'];

/** The gate that the run on air is to have. */
export function wantedGate({ move, epoch = 0 }: Readonly<Run>): Gate {
  const isOpen = !SHUTTING.includes(move?.stage);
  return { primary: isOpen, backup: isOpen && !LENDING.includes(move?.stage), epoch };
}

/** The gate of the run that waits: it gets the backup paths once the run on air has answered that it delivers them no more. */
export function waitingGate({ move, epoch = 0 }: Readonly<Run>): Gate {
  const hasBackups = move?.stage === 'lent' || (move?.stage === 'switching' && move.lent !== undefined);
  return { primary: false, backup: hasBackups, epoch };
}

/** The next step of a move that goes through the backup paths. */
export function enterStage(
  tx: Tx,
  run: Readonly<Run>,
  now: string,
  { stage, ...facts }: Pick<RunMove, 'lent' | 'why'> & { stage: 'lending' | 'lent' | 'reclaiming' },
): void {
  const { move, epoch = 0 } = run;
  if (move == null) return;
  // The run on air has answered this epoch with its gate as it stays.
  const next = stage === 'lent' ? epoch : epochAfter(run);
  tx.put('runs', { ...run, epoch: next, move: { ...move, ...facts, stage, since: now } });
}

/** The run that waits, as a row of its own; undefined where none does. */
export function waitingRun(run: Readonly<Run>): Run | undefined {
  const { move, otherDeviceId } = run;
  if (move == null || otherDeviceId == null) return undefined;
  const { runId, slot, cost, work, lastEventSeq } = move;
  const { behind: _behind, measured: _measured, work: _work, ...rest } = run;
  const place = { runId, deviceId: otherDeviceId, slot, cost, lastEventSeq, ...(work && { work }) };
  return { ...rest, ...place, move: null, otherDeviceId: null };
}

/** Whether the place has the run that waits. */
export function isWaitingAt(run: Readonly<Run> | undefined, runId: string, deviceId: number): boolean {
  return run?.move?.runId === runId && run.otherDeviceId === deviceId;
}

export function beginMove(tx: Tx, run: Readonly<Run>, deviceId: number, move: RunMove): Run {
  const begun: Run = { ...run, epoch: epochAfter(run), otherDeviceId: deviceId, move };
  tx.put('runs', begun);
  return begun;
}

/** The run on air is to shut its gate: for the run that waits, or because the move does not hold. */
export function shutGate(
  tx: Tx,
  run: Readonly<Run>,
  { stage, idle, now }: { stage: 'switching' | 'returning'; idle: boolean; now: string },
): void {
  const { move } = run;
  if (move == null) return;
  const shut: RunMove = { ...move, stage, since: now, shut_at: move.shut_at ?? now, ...(idle && { idle }) };
  tx.put('runs', { ...run, epoch: epochAfter(run), move: shut });
}

/**
 * The run that waits takes the place of the one on air, which delivers no more. `why` is set where the move does not hold: it goes back to where
 * it came from, and that is the end of it.
 */
export function exchange(tx: Tx, run: Readonly<Run>, now: string, why?: string): void {
  const { move } = run;
  const next = waitingRun(run);
  if (move == null || next === undefined) return;
  const { runId, slot, cost, work, lastEventSeq } = run;
  const former = { runId, slot, cost, lastEventSeq, ...(work && { work: [...work] }) };
  const { work: _work, ...rest } = move;
  const isBack = move.stage === 'proving' || move.stage === 'returning';
  const proving: RunMove = { ...rest, ...former, stage: 'proving', since: now };
  const entered: Run = { ...next, epoch: epochAfter(run) };
  tx.put('runs', isBack ? entered : { ...entered, otherDeviceId: run.deviceId, move: proving });
  for (const firing of openFirings(tx, { livestreamId: run.id }))
    if (firing.runId === runId) tx.put('firings', { ...firing, runId: next.runId });
  if (isBack) recordBack(tx, next, runId);
  else recordOn(tx, run, next.runId);
  if (isBack) endMove(tx, entered, now, { move, from: entered.deviceId, to: run.deviceId, error: why ?? NO_PICTURE });
}

const NO_PICTURE = 'nothing was delivered from there';

/** The run on air stays where it is. What waits ends. */
export function callOffMove(tx: Tx, run: Readonly<Run>, now: string, why: string): void {
  const { move } = run;
  if (move == null) return;
  const stays = { ...run, epoch: epochAfter(run) };
  endMove(tx, stays, now, { move, from: run.deviceId, to: run.otherDeviceId ?? null, error: why });
}

/** The run on air delivers from its new place. */
export function settleMove(tx: Tx, run: Readonly<Run>, now: string, isThrough = true): void {
  const { move } = run;
  if (move == null) return;
  const { idle, shut_at, lent } = move;
  const isKnown = isThrough && idle !== true && shut_at !== undefined;
  // One path of each Destination has delivered at every moment.
  const gap_ms = isKnown ? (lent === 'all' ? 0 : Date.parse(now) - Date.parse(shut_at)) : null;
  endMove(tx, run, now, { move, from: run.otherDeviceId ?? null, to: run.deviceId, error: null, gap_ms });
}

interface End {
  move: RunMove;
  from: number | null;
  to: number | null;
  error: string | null;
  gap_ms?: number | null;
}

function endMove(tx: Tx, run: Readonly<Run>, now: string, { move, from, to, error, gap_ms = null }: End): void {
  const moved = { id: move.id, at: now, from: from ?? 0, to: to ?? 0, gap_ms, error };
  tx.put('runs', { ...run, move: null, otherDeviceId: null, moved });
  const [name, there, here] = [tx.get('livestreams', run.id)?.name, deviceName(tx, to), deviceName(tx, from)];
  const gap =
    gap_ms === null
      ? ''
      : move.lent === 'all'
        ? ', with a path to each Destination at every moment'
        : `, ${(gap_ms / 1000).toFixed(1)} s without a picture`;
  addEvent(tx, now, run.id, {
    kind: 'run_moved',
    severity: error === null ? 'info' : 'warning',
    message:
      error === null
        ? `"${name}" moved from ${here} to ${there}${gap}.`
        : `"${name}" stays on ${here}; it has not moved to ${there}: ${ended(error)}`,
    data: { runId: run.runId, from, to, gap_ms, user: move.by, ...(error !== null && { error }) },
  });
}

export function epochAfter({ epoch = 0 }: Readonly<Run>): number {
  return epoch + 1;
}

export function deviceName(view: Pick<View, 'get'>, deviceId: number | null): string {
  if (deviceId === null) return 'its Device';
  return view.get('devices', deviceId)?.name ?? calledIn(view, 'Device', deviceId);
}
