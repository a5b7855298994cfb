/** The parts that a shared store is made of. */
import type { Clock } from '../../domain/time/clock.ts';
import type { KeptMs } from '../history/history.ts';
import type { Schema } from '../tables/migration.ts';
import type { Tables } from '../tables/tables.ts';
import type { PostgresAddress } from './database/address.ts';
import type { Connection } from './database/connection.ts';
import type { DatabaseClock } from './database/database-clock.ts';
import type { Loaded } from './database/load.ts';
import type { ServerFacts } from './membership.ts';
import type { Waits } from './database/patience.ts';

export interface PostgresOptions {
  readonly url: string;
  readonly schema: Schema;
  /** Left out: the clock of the database. */
  readonly clock?: Clock | undefined;
  readonly keptMs?: KeptMs | undefined;
  readonly warn: (message: string) => void;
  readonly beforeMigration: (found: number) => Promise<void>;
  /** Left out: those of servers. */
  readonly waits?: Partial<Waits> | undefined;
  /** Called with the reason each time that the database is not there yet at the start, which then waits without end. */
  readonly onWaiting?: ((reason: string) => void) | undefined;
  /** Set by a server. */
  readonly server?: ServerFacts | undefined;
  /** Called when the process cannot go on with what it has in memory and has to be started anew. */
  readonly onEnd?: ((reason: string) => void) | undefined;
}

/** Connections by what they are for. No other query may come between those of a transaction that holds the head. */
export interface Connections {
  readonly commit: Connection;
  readonly side: Connection;
  readonly feed: Connection;
  /** Called with what the database tells on a channel. */
  readonly heard: { listener: (channel: string, payload: string) => void };
}

export interface SharedStoreDeps extends PostgresOptions, Connections {
  readonly address: PostgresAddress;
  readonly tables: Tables;
  readonly loaded: Loaded & { readonly clock: DatabaseClock };
  readonly memberId: string;
  readonly waits: Waits;
}
