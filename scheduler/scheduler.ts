/** Starts the tasks that happen by themselves because their time has come. */
import { HeldLease } from '../domain/ports/held-lease.ts';
import type { SchedulerDeps, SchedulerTask } from './task.ts';
import { HistoryArchive } from './archive/history-archive.ts';
import { LostRecordings } from './lost-recordings.ts';
import { MailRules } from './mail-rules.ts';
import { PlannedActions } from './planned-actions.ts';
import { Retention } from './retention.ts';
import { Schedules } from './schedules.ts';
import { staggeredClock } from './staggered-clock.ts';

export interface Scheduler {
  close(): void;
}

/** Two servers would send each backup, each mail and each part of the archive twice. */
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

/** Housekeeping is the duty of one server at a time: each of them would do and send the same. */
async function keepHouse(deps: SchedulerDeps): Promise<() => void> {
  const { log } = deps;
  let duties: readonly SchedulerTask[] = [];
  let began = Promise.resolve();
  const lease = new HeldLease(deps, HOUSEKEEPING, (isHeld) => {
    for (const duty of duties) duty.end();
    duties = isHeld ? housekeeping(deps) : [];
    began = Promise.all(duties.map((duty) => duty.begin())).then(() => undefined);
    began.catch((error: unknown) => log.error({ err: error }, 'Housekeeping could not begin.'));
  });
  await began;
  return () => lease.end();
}

function housekeeping(deps: SchedulerDeps): readonly SchedulerTask[] {
  return [new Retention(deps), new MailRules(deps), new HistoryArchive(deps), new LostRecordings(deps)];
}
