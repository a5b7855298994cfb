import { systemClock, type Clock } from '../domain/time/clock.ts';
import { AppError } from '../domain/base/errors.ts';
import { SCHEMA_VERSION, type Store } from '../domain/ports/store.ts';
import type { KeptMs } from './history/history.ts';
import { openLowdb } from './embedded/lowdb.ts';
import { memoryDurability } from './embedded/memory.ts';
import { MIGRATIONS, type Migrations, type Schema } from './tables/migration.ts';
import type { ServerFacts } from './shared/membership.ts';
import type { Waits } from './shared/database/patience.ts';
import { messageOf } from './tables/refusal.ts';
import { TableStore } from './embedded/table-store.ts';
import { Tables } from './tables/tables.ts';

export interface OpenOptions {
  /**
   * lowdb: durable, in `dir`, which is made when it does not exist. memory: nothing outlives the process. postgres: in the database at `url`,
   * which several processes share.
   */
  readonly kind: 'lowdb' | 'memory' | 'postgres';
  readonly dir?: string;
  readonly url?: string;
  /** Left out, a store in a database goes by the clock of that. */
  readonly clock?: Clock;
  readonly schemaVersion?: number;
  /** Steps forward from older schema versions. */
  readonly migrations?: Migrations;
  /** Milliseconds that rows of history are kept; those of domain/ports/collections.ts where left out. */
  readonly keptMs?: KeptMs;
  /** Version of the program, for the words of refusals. */
  readonly program?: string;
  /** Called with the schema version of an older store, before anything of it is changed; when it rejects, nothing is. */
  readonly beforeMigration?: (found: number) => Promise<void>;
  /** Reports what an administrator should know, though nothing failed; a process warning when left out. */
  readonly warn?: (message: string) => void;
  /** How long a store in a database waits for others, where it is not as servers do. */
  readonly waits?: Partial<Waits>;
  /** A server beside a database: who it is among those that share it. */
  readonly server?: ServerFacts;
  /** Called with the reason each time that the database is not there yet; the start then waits without end, and else for 15 s. */
  readonly onWaiting?: (reason: string) => void;
  /** Called when a process that shares its store cannot go on and has to be started anew; every later call is refused. */
  readonly onEnd?: (reason: string) => void;
}

/**
 * Throws AppError unavailable when another process has the folder, when it is damaged (the message names file and line, and
 * nothing is changed) or when its schema version is not known.
 */
export async function openStore(options: OpenOptions): Promise<Store> {
  const {
    kind,
    dir,
    clock = systemClock,
    schemaVersion = SCHEMA_VERSION,
    migrations = MIGRATIONS,
    program,
    keptMs,
    beforeMigration = () => Promise.resolve(),
    warn = (message) => process.emitWarning(message),
  } = options;
  if (kind === 'postgres' && options.url === undefined) throw new TypeError('A store of kind postgres needs `url`.');
  const schema: Schema = { version: schemaVersion, migrations, program };
  if (kind === 'memory') {
    const tables = new Tables();
    return new TableStore(tables, memoryDurability(tables, clock), clock, schema);
  }
  if (options.url !== undefined) {
    // The driver is a fifth of what a start of the embedded store would read.
    const { openPostgres } = await import('./shared/open.ts');
    return openPostgres({
      url: options.url,
      schema,
      clock: options.clock,
      keptMs,
      warn,
      beforeMigration,
      onEnd: options.onEnd,
      onWaiting: options.onWaiting,
      server: options.server,
      waits: options.waits,
    });
  }
  if (dir === undefined) throw new TypeError('A store of kind lowdb needs `dir`.');
  try {
    return await openLowdb({ dir, clock, schema, keptMs, warn, beforeMigration });
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError(
      'unavailable',
      `The data folder ${dir} cannot be used: ${messageOf(cause)}. Make room or give access, then start again.`,
      { cause },
    );
  }
}
