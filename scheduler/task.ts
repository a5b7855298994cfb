/** The parts that the scheduler's tasks share, and the terms on which they call operations. */
import type { Clock } from '../domain/time/clock.ts';
import type { Control } from '../domain/ports/control.ts';
import type { System } from '../domain/shapes/installation/system.ts';
import type { Integrations } from '../domain/shapes/installation/integrations.ts';
import type { Log } from '../domain/base/log.ts';
import type { ArchivePlace } from './archive/history-archive.ts';
import type { Ahead } from '../domain/shapes/changes/live-change.ts';
import type { Store, Tx } from '../domain/ports/store.ts';

export interface SchedulerDeps {
  store: Store;
  clock: Clock;
  log: Log;
  control: Control;
  integrations: Integrations;
  /** Addresses of this server for mails. */
  links: System['links'];
  /** This server among those that share the store. */
  memberId: string;
  /** Left out: history is not archived. */
  archive?: ArchivePlace | undefined;
  /** Calls an operation through the dispatcher, as every other call. Rejects with AppError. */
  perform(operation: string, args: object, how: CallTerms): Promise<unknown>;
}

export interface CallTerms {
  /** The user who planned it. */
  username: string;
  idempotencyKey: string;
  /** Writes in the commit of the operation. */
  alongside?: (tx: Tx, now: string) => void;
  /** Set while the instant of the planned action has not come. */
  ahead?: Ahead;
}

/** A task carries out what falls due, from its begin to its end. */
export interface SchedulerTask {
  /** Reads what is stored, and goes on from there. */
  begin(): Promise<void>;
  end(): void;
}
