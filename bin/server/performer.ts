/** Calls of the scheduler, which nobody made at that moment. */
import { randomBytes, randomUUID } from 'node:crypto';
import { profileByName } from '../../profiles/profiles.ts';
import type { SchedulerDeps } from '../../scheduler/task.ts';
import type { Dispatcher } from '../../toolkit/dispatch.ts';

/**
 * A planned action was authorised when it was planned. It is carried out with the rights of day-to-day work, even when its planner has
 * left since.
 */
export function performer(dispatcher: Dispatcher): SchedulerDeps['perform'] {
  // No operation that can be planned answers a secret, so nobody ever opens what this key seals.
  const sealKey = randomBytes(32);
  return async (operation, args, { username, ...how }) => {
    const caller = { userId: 0, username, role: 2, api: false, tokenKid: null, sealKey } as const;
    const call = { operation, args, caller, ...how, requestId: randomUUID(), via: 'schedule' } as const;
    return (await dispatcher.dispatch({ ...call, profile: profileByName('full') })).body;
  };
}
