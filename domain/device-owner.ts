/**
 * Which server orders what a Device does. A server claims a Device with a number that is higher than all before; the Device writes it down
 * and refuses calls with a lower one for ever, so that a server that was paused or cut off orders nothing once another has taken over.
 */
export interface DeviceOwner {
  /** Id of the Device. */
  id: number;
  /** The server that has claimed it last. */
  memberId: string;
  /** Number of that claim. */
  token: number;
  /** The server whose claim the Device has last confirmed; null before the first. */
  acceptedMemberId: string | null;
  acceptedToken: number;
  /** host:port at which the other servers reach the one that has claimed it; null where it takes none. */
  address: string | null;
  claimed_at: string;
}

/** A server that has its store alone. */
export const LONE_MEMBER = 'server';

/** Each call over the network carries the token of its server; a call without it counts as 0. */
export const OWNER_HEADER = 'x-onair-owner';
