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
  /** The machine that has confirmed that claim; left out in rows of earlier versions. */
  machine?: DeviceMachine;
  /** Since when nothing was heard of the Device; left out while its owner hears it. */
  away_since?: string;
  /** Set once it has been away for so long that it counts as lost. */
  lost?: true;
  /** Runs of it that were given up, and that end there when it is back. */
  given_up?: { livestreamId: number; runId: string }[];
  /** The machine that was last refused under the key of the Device. */
  refused?: RefusedMachine;
  /** Set when it has said what no Device says, so that its connection was closed. */
  not_understood?: NotUnderstoodDevice;
}

/** A machine with the key of a Device, as it names itself. */
export interface DeviceMachine {
  /** Host name. */
  name: string | null;
  /** The address that its connection comes from. */
  address: string;
  /** New at each boot of the machine. */
  boot_id: string | null;
  /** New at each start of its agent. */
  agent_id: string | null;
  /** Names the key by which it came, so that a new pairing begins anew. */
  key_id: string;
}

export interface RefusedMachine extends DeviceMachine {
  /** present: another machine with the key is there. former: it does not know what the Device's machine was told last, as a copy does not. */
  reason: 'present' | 'former';
  since: string;
  seen_at: string;
  /** Number of the claim that counted then. */
  token: number;
}

export interface NotUnderstoodDevice {
  reason: string;
  since: string;
  seen_at: string;
}

/** A Device that is silent for so long is lost: nobody knows whether its broadcasts are on air. */
export const LOST_MS = 15_000;

/** A server that has its store alone. */
export const LONE_MEMBER = 'server';

/** Each call over the network carries the token of its server; a call without it counts as 0. */
export const OWNER_HEADER = 'x-onair-owner';
