/** What the scheduler's duties are made of: each is something that falls due again and again. */
import type { Clock } from '../domain/clock.ts';
import type { Control } from '../domain/control.ts';
import type { Integrations } from '../domain/integrations.ts';
import type { Log } from '../domain/log.ts';
import type { Ahead } from '../domain/runtime.ts';
import type { Store, Tx } from '../domain/store.ts';

export interface SchedulerParts {
  store: Store;
  clock: Clock;
  log: Log;
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
