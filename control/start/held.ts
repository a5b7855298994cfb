/** The promises of a Device: the runs that start or run there, and those that wait there during a move. */
import { waitingRun } from '../../domain/rules/broadcasts/run-move.ts';
import type { Run } from '../../domain/shapes/broadcasts/run.ts';
import type { View } from '../../domain/ports/store.ts';

export function heldBy(view: View, deviceId: number): readonly Readonly<Run>[] {
  const here = view.find('runs', { where: { deviceId, status: { in: [1, 2] } } }).rows;
  const { rows: others } = view.find('runs', { where: { otherDeviceId: deviceId } });
  return [...here, ...others.flatMap((run) => waitingRun(run) ?? [])];
}

export function freeSlot(view: View, deviceId: number): number {
  const taken = new Set(heldBy(view, deviceId).map((run) => run.slot));
  let slot = 1;
  while (taken.has(slot)) slot += 1;
  return slot;
}
