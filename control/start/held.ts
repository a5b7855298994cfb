/** The promises of a Device: the runs that start or run there, and those that wait there during a move. */
import {
  capacityOf,
  factorsNow,
  type DeviceCapacity,
  type Factors,
  type WorkCosts,
} from '../../domain/shapes/encodings/capacity.ts';
import type { Device } from '../../domain/shapes/devices/device.ts';
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

export function factorsOf(view: View, { id, encoding_trial }: Readonly<Device>): Factors {
  return factorsNow(view.get('workCosts', id), encoding_trial?.factor);
}

interface Known {
  costs: Readonly<WorkCosts> | undefined;
  changes: number;
  factors: Factors;
  capacity: DeviceCapacity;
}

/** Kept by the row of the Device, which is another one once it changes. A start looks at every Device that there is. */
const known = new WeakMap<Readonly<Device>, Known>();

/** The capacity of a Device, and the factors that it is reckoned with. */
export function capacityNow(view: View, device: Readonly<Device>): Pick<Known, 'capacity' | 'factors'> {
  const { id } = device;
  const costs = view.get('workCosts', id);
  const changes = view.changesOf('runs', 'deviceId', id) + view.changesOf('runs', 'otherDeviceId', id);
  const before = known.get(device);
  if (before?.costs === costs && before?.changes === changes) return before;
  const factors = factorsOf(view, device);
  const now = { costs, changes, factors, capacity: capacityOf(device, heldBy(view, id), factors) };
  known.set(device, now);
  return now;
}
