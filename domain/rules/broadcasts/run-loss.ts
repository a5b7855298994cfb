/** The steps of a run whose Device was lost and that goes on at another one, each inside a commit. */
import { STATUS } from '../../shapes/broadcasts/livestream.ts';
import type { Run } from '../../shapes/broadcasts/run.ts';
import { calledIn } from '../../base/sentence.ts';
import type { Tx, View } from '../../ports/store.ts';
import { addEvent } from '../rows/event-log.ts';
import { enterPlace, wasOnAir, withBeginning, type NewPlace } from './run-again.ts';
import { deviceName } from './run-move.ts';

/** Runs that go on elsewhere when the Device is lost: the first one has the choice among the others. */
export function runsToReturn(view: View, deviceId: number): readonly Readonly<Run>[] {
  const where = { deviceId, desired: 'on', status: { in: [STATUS.starting, STATUS.running] } };
  const { rows } = view.find('runs', { where });
  return rows.filter(({ lease }) => lease === true);
}

/** The run that was there delivers no more, and ends when its Device is back. */
export function goOnElsewhere(tx: Tx, run: Readonly<Run>, now: string, place: NewPlace, since: string): void {
  const lost = { from: run.loss?.from ?? run.deviceId ?? 0, since: run.loss?.since ?? since };
  const next = enterPlace(tx, { ...withBeginning(run, now), loss: lost }, now, place);
  const owner = run.deviceId === null ? undefined : tx.get('deviceLinks', run.deviceId);
  const ended = { livestreamId: run.id, runId: run.runId };
  if (owner !== undefined) tx.put('deviceLinks', { ...owner, given_up: [...(owner.given_up ?? []), ended] });
  const [name, here, there] = namesOf(tx, run, place.deviceId);
  addEvent(tx, now, run.id, {
    kind: 'device_lost',
    severity: 'error',
    message: `${here} is lost and delivers no more; "${name}" begins anew on ${there}.`,
    data: { deviceId: run.deviceId, away_since: lost.since, runId: next.runId, to: place.deviceId },
  });
}

/** No other Device takes it; people are told once. */
export function stayLost(tx: Tx, run: Readonly<Run>, now: string, why: string, since: string): void {
  if (run.loss?.isWaiting === true) return;
  const loss = { from: run.loss?.from ?? run.deviceId ?? 0, since: run.loss?.since ?? since, isWaiting: true } as const;
  tx.put('runs', { ...run, loss });
  const [name, here] = namesOf(tx, run, null);
  addEvent(tx, now, run.id, {
    kind: 'device_lost',
    severity: 'error',
    message: `${here} is lost and delivers no more, and "${name}" cannot go on elsewhere, which is tried again: ${why}`,
    data: { deviceId: run.deviceId, away_since: loss.since, runId: run.runId },
  });
}

/** The Device is heard again, and has what nobody else could take. */
export function noteNotLost(tx: Tx, run: Readonly<Run>): void {
  const present = tx.get('runs', run.id);
  if (present?.runId !== run.runId || present.loss?.isWaiting !== true) return;
  const { loss, ...row } = present;
  const { from, since } = loss;
  // It was on air on another Device, and is not on this one yet.
  const isOff = present.status === STATUS.starting && from !== present.deviceId;
  tx.put('runs', isOff ? { ...row, loss: { from, since } } : row);
}

/** It is on air again. Answers the row as it is from here on. */
export function endLoss(tx: Tx, run: Readonly<Run>, now: string): Run {
  const { loss, ...row } = run;
  if (loss === undefined || !wasOnAir(run)) return row;
  const gap_ms = Math.max(0, Date.parse(now) - Date.parse(loss.since));
  const { from } = loss;
  const [name, there, here] = namesOf(tx, run, from);
  addEvent(tx, now, run.id, {
    kind: 'run_moved',
    severity: 'warning',
    message: `"${name}" goes on at ${there}, because ${here} was lost; at most ${(gap_ms / 1000).toFixed(1)} s without a picture.`,
    data: { runId: run.runId, from, to: run.deviceId, gap_ms, lost: true },
  });
  return row;
}

function namesOf(view: View, run: Readonly<Run>, other: number | null): [string, string, string] {
  const name = view.get('livestreams', run.id)?.name ?? calledIn(view, 'Live stream', run.id);
  return [name, deviceName(view, run.deviceId), deviceName(view, other)];
}
