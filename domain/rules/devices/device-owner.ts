/** The claims of servers on Devices, as steps of a commit: the order of commits decides who is the owner. */
import type { DeviceMachine, DeviceOwner, RefusedMachine } from '../../shapes/devices/device-owner.ts';
import type { DeviceView } from '../../shapes/devices/device.ts';
import { STATUS } from '../../shapes/broadcasts/livestream.ts';
import type { Tx, View } from '../../ports/store.ts';
import { addEvent } from '../rows/event-log.ts';

export interface Claim {
  memberId: string;
  /** See DeviceOwner.address. */
  address: string | null;
  /** The token is higher than this. */
  above: number;
  now: string;
}

/** Answers the token of the new claim, which is higher than all before, and the runs that are ordered there; undefined when there is no such Device. */
export function claimDevice(
  tx: Tx,
  deviceId: number,
  { memberId, address, above, now }: Claim,
): { token: number; ordered: string[] } | undefined {
  if (tx.get('devices', deviceId) === undefined) return undefined;
  const present = tx.get('deviceLinks', deviceId);
  const token = Math.max(present?.token ?? 0, above) + 1;
  const claim = { id: deviceId, memberId, token, address, claimed_at: now };
  if (present === undefined) tx.insert('deviceLinks', { ...claim, acceptedMemberId: null, acceptedToken: 0 });
  else tx.put('deviceLinks', { ...present, ...claim });
  return { token, ordered: orderedAt(tx, deviceId) };
}

/** The runs that the Device is to have, those that wait there during a move among them. */
export function orderedAt(view: View, deviceId: number): string[] {
  const where = { deviceId, desired: 'on', status: { in: [STATUS.starting, STATUS.running] } };
  const ordered = view.find('runs', { where }).rows.map(({ runId }) => runId);
  const waiting = view.find('runs', { where: { otherDeviceId: deviceId } }).rows;
  return [...ordered, ...waiting.flatMap(({ move }) => move?.runId ?? [])];
}

/** Notes that the Device has confirmed the claim; false when another server has claimed it since. `machine` is left out where nobody asked. */
export function acceptDevice(
  tx: Tx,
  deviceId: number,
  memberId: string,
  token: number,
  machine?: DeviceMachine,
): boolean {
  const present = tx.get('deviceLinks', deviceId);
  if (present === undefined || present.token !== token || present.memberId !== memberId) return false;
  const accepted = { acceptedMemberId: memberId, acceptedToken: token, ...(machine && { machine }) };
  tx.put('deviceLinks', { ...present, ...accepted });
  return true;
}

/** A machine that dials, or is not understood, again and again is one occurrence; it is noted so often that it is there. */
export const NOTED_MS = 30_000;
/** One that was not seen for so long is over. */
export const OVER_MS = 120_000;

export function notOver<T extends { seen_at: string }>(occurrence: T | undefined, nowMs: number): T | undefined {
  return occurrence !== undefined && nowMs - Date.parse(occurrence.seen_at) <= OVER_MS ? occurrence : undefined;
}

/** The machine that is refused now under the key of the Device, as people see it. */
export function refusedMachine(owner: Readonly<DeviceOwner> | undefined, nowMs: number): DeviceView['refused_machine'] {
  const refused = notOver(owner?.refused, nowMs);
  if (refused === undefined) return null;
  const { name, address, reason, since } = refused;
  return { name, address, reason, since };
}

interface NoteRefusedOptions {
  machine: DeviceMachine;
  reason: RefusedMachine['reason'];
  detail: string;
  now: string;
}

/** Notes that a machine with the key of the Device was refused, and tells it once. */
export function noteRefused(tx: Tx, deviceId: number, { machine, reason, detail, now }: NoteRefusedOptions): void {
  const present = tx.get('deviceLinks', deviceId);
  if (present === undefined) return;
  const { refused, acceptedToken: token } = present;
  const age = refused === undefined ? Infinity : Date.parse(now) - Date.parse(refused.seen_at);
  const isSame = refused?.address === machine.address && age < OVER_MS;
  if (isSame && age < NOTED_MS && refused.token === token && refused.reason === reason) return;
  const since = isSame ? refused.since : now;
  tx.put('deviceLinks', { ...present, refused: { ...machine, reason, since, seen_at: now, token } });
  if (isSame) return;
  const { name, address } = machine;
  addEvent(tx, now, null, {
    kind: 'device_refused',
    severity: 'error',
    message: detail,
    data: { deviceId, name, address, reason },
  });
}
