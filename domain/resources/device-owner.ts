/** The claims of servers on Devices, as steps of a commit: the order of commits decides who is the owner. */
import type { Tx } from '../store.ts';

export interface Claim {
  memberId: string;
  /** See DeviceOwner.address. */
  address: string | null;
  /** The token is higher than this. */
  above: number;
  now: string;
}

/** Answers the token of the new claim, which is higher than all before; undefined when there is no such Device. */
export function claimDevice(tx: Tx, deviceId: number, { memberId, address, above, now }: Claim): number | undefined {
  if (tx.get('devices', deviceId) === undefined) return undefined;
  const present = tx.get('deviceLinks', deviceId);
  const token = Math.max(present?.token ?? 0, above) + 1;
  const claim = { id: deviceId, memberId, token, address, claimed_at: now };
  if (present === undefined) tx.insert('deviceLinks', { ...claim, acceptedMemberId: null, acceptedToken: 0 });
  else tx.put('deviceLinks', { ...present, ...claim });
  return token;
}

/** Notes that the Device has confirmed the claim; false when another server has claimed it since. */
export function acceptDevice(tx: Tx, deviceId: number, memberId: string, token: number): boolean {
  const present = tx.get('deviceLinks', deviceId);
  if (present === undefined || present.token !== token || present.memberId !== memberId) return false;
  tx.put('deviceLinks', { ...present, acceptedMemberId: memberId, acceptedToken: token });
  return true;
}
