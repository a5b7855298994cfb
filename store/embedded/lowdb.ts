/** The embedded store: `Low` over the journaling adapter, in a folder that this process alone may write. */
import { Low } from 'lowdb';
import type { Clock } from '../../domain/time/clock.ts';
import type { Store } from '../../domain/ports/store.ts';
import type { Durability } from './durability.ts';
import { makeFolder } from '../files/files.ts';
import type { KeptMs } from '../history/history.ts';
import { JournalAdapter } from './journal-adapter.ts';
import { lockFolder, type FolderLock } from '../files/lock.ts';
import type { Schema } from '../tables/migration.ts';
import { TableStore } from './table-store.ts';
import { Tables } from '../tables/tables.ts';

interface LowdbOptions {
  readonly dir: string;
  readonly clock: Clock;
  readonly schema: Schema;
  readonly keptMs?: KeptMs | undefined;
  readonly warn: (message: string) => void;
  readonly beforeMigration: (found: number) => Promise<void>;
}

export async function openLowdb({ dir, clock, schema, keptMs, warn, beforeMigration }: LowdbOptions): Promise<Store> {
  await makeFolder(dir);
  const lock = await lockFolder(dir);
  try {
    const adapter = new JournalAdapter({
      dir,
      clock,
      schema,
      keptMs,
      warn,
      beforeMigration,
      forbidden: () => lock.lost(),
    });
    const low = new Low(adapter, new Tables());
    await low.read();
    return new TableStore(low.data, durabilityOf(low, adapter, lock), clock, schema);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

function durabilityOf(low: Low<Tables>, adapter: JournalAdapter, lock: FolderLock): Durability {
  return {
    archive: adapter.history,
    write: () => low.write(),
    pending: () => adapter.pending(),
    problem: () => adapter.problem(),
    shortage: () => adapter.shortage(),
    checkpoint: () => adapter.checkpoint(),
    beginImport: () => adapter.beginImport(),
    close: () => adapter.close().finally(() => lock.release()),
  };
}
