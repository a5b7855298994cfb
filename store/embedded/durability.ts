import type { Shortage } from '../../domain/ports/store.ts';

/** The part in which stores with tables in memory differ: how a commit comes to outlive the process. */
import type { Archive } from '../history/history.ts';

export interface Durability {
  /** History that is no longer in the tables. */
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
  /** From here until the returned function is called, a crash marks the folder as incomplete, and a start refuses it. */
  beginImport(): Promise<() => Promise<void>>;
  /** Waits for writes under way and releases the folder. */
  close(): Promise<void>;
}
