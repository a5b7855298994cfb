/** Starts the tasks that happen by themselves because their time has come. */
import { HeldLease } from '../domain/ports/held-lease.ts';
import type { SchedulerDeps, SchedulerTask } from './task.ts';
import { PlannedActions } from './planned-actions.ts';
import { Retention } from './retention.ts';
import { Schedules } from './schedules.ts';
import { staggeredClock } from './staggered-clock.ts';

export interface Scheduler {
  close(): void;
}

/** Two servers would send each backup twice. */
const HOUSEKEEPING = { name: 'housekeeping', ttlMs: 60_000, isKeptWithoutStore: false };

export async function startScheduler(deps: SchedulerDeps): Promise<Scheduler> {
  const { store } = deps;
  const staggered = { ...deps, clock: staggeredClock(deps.clock, () => store.rank()) };
  const tasks: SchedulerTask[] = [new Schedules(staggered), new PlannedActions(staggered)];
  for (const task of tasks) await task.begin();
  const endHousekeeping = await keepHouse(deps);
  return {
    close() {
      for (const task of tasks) task.end();
      endHousekeeping();
    },
  };
}

/** Retention is the duty of one server at a time: a backup would be sent by each of them. */
async function keepHouse(deps: SchedulerDeps): Promise<() => void> {
  const { log } = deps;
  let retention: Retention | undefined;
  let began = Promise.resolve();
  const lease = new HeldLease(deps, HOUSEKEEPING, (isHeld) => {
    retention?.end();
    retention = isHeld ? new Retention(deps) : undefined;
    began = retention?.begin() ?? Promise.resolve();
    began.catch((error: unknown) => log.error({ err: error }, 'Retention could not begin.'));
  });
  await began;
  return () => lease.end();
}
