/** Starts the tasks that happen by themselves because their time has come. */
import type { SchedulerParts, SchedulerTask } from './task.ts';
import { PlannedActions } from './planned-actions.ts';
import { Retention } from './retention.ts';
import { Schedules } from './schedules.ts';

export interface Scheduler {
  close(): void;
}

export async function startScheduler(parts: SchedulerParts): Promise<Scheduler> {
  const tasks: SchedulerTask[] = tasksOf(parts);
  for (const task of tasks) await task.begin();
  return {
    close() {
      for (const task of tasks) task.end();
    },
  };
}

function tasksOf(parts: SchedulerParts): SchedulerTask[] {
  return [new Schedules(parts), new PlannedActions(parts), new Retention(parts)];
}
