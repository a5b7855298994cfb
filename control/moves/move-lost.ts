/** The runs of a Device that is lost go on at other Devices, as rows inside one commit. */
import { randomUUID } from 'node:crypto';
import { called } from '../../domain/base/sentence.ts';
import { firstToReturn } from '../../domain/rules/broadcasts/priority.ts';
import { fleetHeld } from '../../domain/rules/devices/fleet-hold.ts';
import { isRecordingNow } from '../../domain/rules/devices/device-storage.ts';
import { exchange, callOffMove } from '../../domain/rules/broadcasts/run-move.ts';
import type { NewPlace } from '../../domain/rules/broadcasts/run-again.ts';
import { goOnElsewhere, runsToReturn, stayLost } from '../../domain/rules/broadcasts/run-loss.ts';
import { STATUS } from '../../domain/shapes/broadcasts/livestream.ts';
import type { Run } from '../../domain/shapes/broadcasts/run.ts';
import type { Tx, View } from '../../domain/ports/store.ts';
import { resolveBindings } from '../start/bindings.ts';
import { freeSlot } from '../start/held.ts';
import { inForceOf } from '../start/in-force.ts';
import { reasonsOf } from '../start/assessment.ts';
import { assess, firstAble } from '../start/placement.ts';
import { poolOf } from '../start/pool.ts';

export interface Loss {
  deviceId: number;
  /** When it was last heard. */
  since: string;
  /** Whether a start may be given to the Device. */
  isOnline: (deviceId: number) => boolean;
}

/** One after the other: the places that the first ones take are taken for the next. */
export function moveLost(tx: Tx, now: string, loss: Loss): void {
  if (fleetHeld(tx) !== undefined) return;
  for (const run of firstToReturn(tx, runsToReturn(tx, loss.deviceId))) moveOne(tx, now, run, loss);
}

/** Whether each broadcast of the Device moves, and one of them at least has a place elsewhere. */
export function canMoveLost(view: View, { deviceId, isOnline }: Omit<Loss, 'since'>): boolean {
  const where = { deviceId, desired: 'on', status: { in: [STATUS.starting, STATUS.running] } };
  const { rows } = view.find('runs', { where });
  const hasPlace = (run: Readonly<Run>): boolean =>
    (isWarm(run) && isOnline(run.otherDeviceId ?? 0)) || typeof placeFor(view, run, isOnline) !== 'string';
  return rows.every(({ lease }) => lease === true) && rows.some(hasPlace);
}

function isWarm({ move }: Readonly<Run>): boolean {
  return move?.stage === 'proving' || move?.stage === 'returning';
}

function moveOne(tx: Tx, now: string, run: Readonly<Run>, { deviceId, since, isOnline }: Loss): void {
  const { move, otherDeviceId } = run;
  const why = `${called('Device', { id: deviceId, name: tx.get('devices', deviceId)?.name ?? '' })} was lost`;
  if (isWarm(run) && isOnline(otherDeviceId ?? 0)) return exchange(tx, run, now, why);
  if (move != null) callOffMove(tx, run, now, why);
  const present = tx.get('runs', run.id) ?? run;
  const found = placeFor(tx, present, isOnline);
  if (typeof found === 'string') stayLost(tx, present, now, found, since);
  else goOnElsewhere(tx, present, now, found, since);
}

/** A place elsewhere, or why there is none. */
export function placeFor(view: View, run: Readonly<Run>, isOnline: Loss['isOnline']): NewPlace | string {
  const livestream = view.get('livestreams', run.id);
  const pool = livestream && poolOf(view, livestream, {});
  if (livestream === undefined || pool === undefined) return 'the Live stream is gone.';
  if ('code' in pool) return pool.message;
  const { channelId } = inForceOf(run, livestream);
  const bindings = resolveBindings(view, { ...livestream, channelId });
  const work = [...(run.work ?? [])];
  const wanted = { bindings, work, isRecorded: isRecordingNow(bindings.publishings, run), isLeased: true };
  const others = pool.devices.filter(({ id }) => id !== run.deviceId);
  const best = firstAble(view, isOnline, others, wanted);
  if (best === undefined) {
    const reasons = reasonsOf(others.map((device) => assess(view, isOnline, device, wanted)));
    return reasons === '' ? 'there is no other Device for it.' : reasons;
  }
  const { id: deviceId } = best.device;
  const place = { runId: randomUUID(), deviceId, slot: freeSlot(view, deviceId), cost: best.needed };
  return { ...place, ...(run.work && { work: [...run.work] }) };
}
