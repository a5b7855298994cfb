/** The operator's own means to cut a machine off for certain, such as a power switch or the API of a cloud. */

export interface FencedDevice {
  id: number;
  name: string;
  /** As the Device's row has it. */
  address: string;
}

/** done: nothing that ran on the machine delivers any more. `reason` says in a few words what went wrong. */
export type FenceAnswer = { outcome: 'done' } | { outcome: 'failed' | 'timed_out'; reason: string };

/** It never rejects, and answers within FENCE_MS. */
export type Fence = (device: FencedDevice) => Promise<FenceAnswer>;

export const FENCE_MS = 10_000;
