/** The clock's hand: what happens by itself because its time has come. */
import type { Clock } from '../domain/clock.ts';
import type { Control } from '../domain/control.ts';
import type { Integrations } from '../domain/integrations.ts';
import type { Ahead } from '../domain/runtime.ts';
import type { Store, Tx } from '../domain/store.ts';
import { PlannedActions } from './planned-actions.ts';
import { Retention } from './retention.ts';
import { Schedules } from './schedules.ts';

export interface SchedulerParts {
  store: Store;
  clock: Clock;
  log: {
    info(facts: object, message: string): void;
    warn(facts: object, message: string): void;
    error(facts: object, message: string): void;
  };
  control: Control;
  integrations: Integrations;
  /** An operation by the one road of all calls. Rejects with AppError. */
  perform(operation: string, args: object, how: Performance): Promise<unknown>;
}

export interface Performance {
  /** Who planned it. */
  username: string;
  idempotencyKey: string;
  /** Written in the commit of what the operation does. */
  alongside?: (tx: Tx, now: string) => void;
  /** Its instant has not come. */
  ahead?: Ahead;
}

/** Something that falls due again and again. */
export interface Duty {
  /** Reads what is stored, and goes on from there. */
  begin(): Promise<void>;
  end(): void;
}

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
