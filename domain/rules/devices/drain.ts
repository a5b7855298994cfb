/** A Device is emptied: it gets no more Live streams, and those that it has are moved away. */
import type { Device } from '../../shapes/devices/device.ts';
import { STATUS } from '../../shapes/broadcasts/livestream.ts';
import type { Run } from '../../shapes/broadcasts/run.ts';
import { calledIn, listedIn } from '../../base/sentence.ts';
import type { Tx, View } from '../../ports/store.ts';
import { addEvent } from '../rows/event-log.ts';

/** Runs on air or starting there; during a move also one that waits there. */
export function runsToMove(view: View, deviceId: number): readonly Readonly<Run>[] {
  const status = { in: [STATUS.starting, STATUS.running] };
  const here = view.find('runs', { where: { deviceId, status } }).rows;
  return [...here, ...view.find('runs', { where: { otherDeviceId: deviceId } }).rows];
}

export function beginDrain(tx: Tx, device: Readonly<Device>, now: string, by: string, deadline: string | null): Device {
  const drained = { ...device, enabled: false, updated_at: now, drain: { since: now, deadline, ended_at: null, by } };
  tx.put('devices', drained);
  return drained;
}

export function endDrain(tx: Tx, device: Readonly<Device>, now: string): Device {
  const { drain: _drain, ...row } = device;
  const used = { ...row, enabled: true, updated_at: now };
  tx.put('devices', used);
  return used;
}

/** Notes that the Device is empty, or that its time is over. Answers whether there is nothing more to do. */
export function noteDrained(tx: Tx, device: Readonly<Device>, now: string): boolean {
  const { drain, id: deviceId } = device;
  if (drain === undefined || drain.ended_at !== null) return true;
  const left = runsToMove(tx, deviceId).map(({ id }) => id);
  const isLate = drain.deadline !== null && drain.deadline <= now;
  if (left.length > 0 && !isLate) return false;
  tx.put('devices', { ...device, drain: { ...drain, ended_at: now } });
  const name = calledIn(tx, 'Device', deviceId);
  const staying =
    left.length === 0
      ? 'is empty'
      : `still has Live streams at the deadline, which stay: ${listedIn(tx, 'Live stream', left)}`;
  const data = { deviceId, livestreamIds: left, user: drain.by };
  addEvent(tx, now, null, {
    kind: 'device_drained',
    severity: left.length === 0 ? 'info' : 'warning',
    message: `${name} ${staying}.`,
    data,
  });
  return true;
}
