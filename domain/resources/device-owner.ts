/** The claims of servers on Devices, as steps of a commit: the order of commits decides who is the owner. */
import type { DeviceOwner } from '../device-owner.ts';
import type { Tx, View } from '../store.ts';

function ownerOf(view: View, deviceId: number): Readonly<DeviceOwner> | undefined {
  return view.get('deviceLinks', deviceId);
}

/** Answers the token of the new claim, which is higher than `above` and than all claims before; undefined when there is no such Device. */
export function claimDevice(
  tx: Tx,
  deviceId: number,
  { memberId, above, now }: { memberId: string; above: number; now: string },
): number | undefined {
  if (tx.get('devices', deviceId) === undefined) return undefined;
  const present = ownerOf(tx, deviceId);
  const token = Math.max(present?.token ?? 0, above) + 1;
  const claim = { id: deviceId, memberId, token, claimed_at: now };
  if (present === undefined) tx.insert('deviceLinks', { ...claim, acceptedMemberId: null, acceptedToken: 0 });
  else tx.put('deviceLinks', { ...present, ...claim });
  return token;
}

/** Notes that the Device has confirmed the claim; false when another server has claimed it since. */
export function acceptDevice(tx: Tx, deviceId: number, memberId: string, token: number): boolean {
  const present = ownerOf(tx, deviceId);
  if (present === undefined || present.token !== token || present.memberId !== memberId) return false;
  tx.put('deviceLinks', { ...present, acceptedMemberId: memberId, acceptedToken: token });
  return true;
}
