import type { Shortage } from '../domain/store.ts';

/** What differs between the stores that keep their tables in memory: how a commit comes to outlive the process. */
import type { Archive } from './history/history.ts';

export interface Durability {
  /** Where the history is that is not in the tables any more. */
  readonly archive: Archive;
  /**
   * Takes the commits staged in the tables; resolves when they are durable and the tables have acknowledged them. Rejects with
   * AppError unavailable when they never will be, after the tables went back to what was acknowledged.
   */
  write(): Promise<void>;
  /** The outcome of the youngest write under way; undefined when all that is in memory is durable. */
  pending(): Promise<void> | undefined;
  /** Why writes are refused, or null. */
  problem(): string | null;
  /** Set while the disk is nearly full. */
  shortage(): Shortage | undefined;
  checkpoint(): Promise<void>;
  /** From here to the end, which it answers, a start finds out when it was cut short, and refuses what there is. */
  beginImport(): Promise<() => Promise<void>>;
  /** Waits for what is under way and lets go of the folder. */
  close(): Promise<void>;
}
