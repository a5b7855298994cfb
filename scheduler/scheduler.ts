/** Starts the duties that happen by themselves because their time has come. */
import type { Duty, SchedulerParts } from './duty.ts';
import { PlannedActions } from './planned-actions.ts';
import { Retention } from './retention.ts';
import { Schedules } from './schedules.ts';

export interface Scheduler {
  close(): void;
}

export async function startScheduler(parts: SchedulerParts): Promise<Scheduler> {
  const duties: Duty[] = dutiesOf(parts);
  for (const duty of duties) await duty.begin();
  return {
    close() {
      for (const duty of duties) duty.end();
    },
  };
}

function dutiesOf(parts: SchedulerParts): Duty[] {
  return [new Schedules(parts), new PlannedActions(parts), new Retention(parts)];
}
