/** The store port. lowdb with a journal, the in-memory twin and PostgreSQL implement it; one suite of tests runs on all. */
import type { Clock } from '../time/clock.ts';
import type { CollectionName, CollectionRows, ResidentName } from './collections.ts';
import type { Sharing, StoreMember } from '../shapes/installation/member.ts';
import type { IdempotencyEntry } from '../shapes/installation/security.ts';

export type Scalar = string | number | boolean | null;

/** A condition on one declared field. Ranges are half-open: gte ≤ value < lt. */
export type Condition =
  | Scalar
  | { in: readonly Scalar[] }
  | { notIn: readonly Scalar[] }
  | { gte?: string | number; lt?: string | number }
  | { prefix: string };

export interface Query {
  where?: Record<string, Condition | undefined>;
  /** Substring of `name`, case-insensitive. */
  search?: string;
  /** Ties and the default are by id, ascending. */
  sort?: { field: string; descending: boolean };
  /** Rows to skip and to answer; from the first row, and all of them, when left out. */
  offset?: number;
  limit?: number;
}

export interface Versioned<T> {
  row: Readonly<T>;
  /** Starts at 1, grows with each put. */
  version: number;
}

export interface Found<T> {
  rows: Readonly<T>[];
  /** Number of rows that match, pages aside. */
  total: number;
}

/**
 * The synchronous view that a plan reads. Rows are frozen or copies, never a live reference. History is not in it, because that is in
 * files.
 */
export interface View {
  get<C extends ResidentName>(collection: C, id: number): Readonly<CollectionRows[C]> | undefined;
  /** 0 when there is no such row. */
  version(collection: ResidentName, id: number): number;
  find<C extends ResidentName>(collection: C, query: Query): Found<CollectionRows[C]>;
  /**
   * A number that is another one once a row with this value in the field has come, gone or been replaced: what was made of those rows is good
   * while it stays. `field` is one of the collection's counted ones. It counts for rows of this process's memory alone.
   */
  changesOf(collection: ResidentName, field: string, value: Scalar): number;
}

export interface Tx extends View {
  /**
   * Allots the id, unless the row brings one, which history accepts from no caller. Throws AppError conflict when a unique set is taken
   * (facts: field, value, id).
   */
  insert<C extends CollectionName>(
    collection: C,
    row: Omit<CollectionRows[C], 'id'> & { id?: number },
  ): Readonly<CollectionRows[C]>;
  /** Replaces the row of the same id. Throws AppError not_found, or conflict as insert does. */
  put<C extends ResidentName>(collection: C, row: CollectionRows[C]): void;
  delete(collection: ResidentName, id: number): void;
  /**
   * Inserts the outcome of a keyed call. Where several processes share the store, the commit is refused with KeyTaken when another call has
   * one under the same key that has not expired; a process that has its store alone sees to that itself, before the call begins.
   */
  claimKey(row: Omit<IdempotencyEntry, 'id'>): void;
  /** The next id of each collection. */
  nextIds(): Record<string, number>;
  /** Skips ids that were given out elsewhere; never lowers one. */
  raiseNextIds(nextIds: Readonly<Record<string, number>>): void;
}

/** Another call has stored its outcome under this key; nothing of the commit was written. */
export class KeyTaken extends Error {
  readonly key: string;

  constructor(key: string) {
    super('Another call has stored its outcome under the same Idempotency-Key.');
    this.key = key;
  }
}

export interface Lease {
  name: string;
  holder: string;
  /** Fencing token: grows with each new holder. */
  token: number;
  expires_at: string;
}

export interface Change {
  /** Position in the order of commits, from 1. */
  seq: number;
  collection: CollectionName;
  id: number;
}

/**
 * The disk is nearly full, and the rest of it is for what cannot wait (a stop, a change on air, a deletion, a sign-in). The state ends by
 * itself when there is room.
 */
export interface Shortage {
  /**
   * The space that is left. `low`: calls that create something are refused. `very_low`: calls that update something are refused as well.
   * `none`: the last write found no space at all, and the store counts as unhealthy.
   */
  level: 'low' | 'very_low' | 'none';
  /** Names the full disk and its free space. */
  message: string;
}

export interface StoreHealth {
  ok: boolean;
  /** Why writes are refused, or null. */
  problem: string | null;
  shortage?: Shortage;
}

export interface Store {
  /** The clock that everybody goes by who uses the store. */
  readonly clock: Clock;
  /**
   * Runs `plan`, a pure synchronous function, and commits what it wrote as one durable unit; resolves with its answer once it is on disk.
   * The plan may run again after a conflict. When it throws, nothing is written and the error passes through.
   * Rejects with AppError unavailable when the disk refuses: a full one until it has room, any other failure for good.
   */
  tx<T>(plan: (tx: Tx) => T): Promise<T>;
  /** Answers what `look`, a pure synchronous function, reads at one moment. It waits for no commit that is under way at other servers. */
  view<T>(look: (view: View) => T): Promise<T>;
  get<C extends CollectionName>(collection: C, id: number): Promise<Versioned<CollectionRows[C]> | undefined>;
  /** Answers in the order of the ids and leaves missing ones out. */
  getMany<C extends CollectionName>(collection: C, ids: readonly number[]): Promise<Readonly<CollectionRows[C]>[]>;
  find<C extends CollectionName>(collection: C, query: Query): Promise<Found<CollectionRows[C]>>;
  /** Takes or renews a lease; undefined while another holder has it. */
  claim(name: string, holder: string, ttlMs: number): Promise<Lease | undefined>;
  /** The servers that share the store, in the order of their ids; none where it is not shared. */
  members(): Promise<StoreMember[]>;
  /** Place of this server among those that were heard of lately, as of some seconds ago; 0 where the store is not shared. */
  rank(): number;
  /** undefined where the store is not shared. */
  sharing(): Sharing | undefined;
  /** Changes after `seq`, oldest first; undefined when the log no longer reaches back so far (read everything again). */
  changes(since: number): Promise<Change[] | undefined>;
  /** Called after each commit; the answer ends the subscription. */
  onChange(listener: (changes: readonly Change[]) => void): () => void;
  /**
   * Resolves when every server that shares the store has applied what is committed now, or has not been heard of for 60 s: such a server
   * admits nobody. At once where the store is not shared.
   */
  appliedByAll(): Promise<void>;
  /** Tells all servers that share the store, this one included; one that is cut off does not hear it. Nothing where the store is not shared. */
  notify(notice: string): Promise<void>;
  /** The answer ends the subscription. */
  onNotice(listener: (notice: string) => void): () => void;
  health(): StoreHealth;
  /**
   * Milliseconds for which reads may have missed what other processes committed, because the shared database does not answer; undefined while
   * they miss nothing.
   */
  staleMs(): number | undefined;
  /** Rows of each collection, wherever they are kept. */
  counts(): Readonly<Record<CollectionName, number>>;
  /** Writes a snapshot and drops the journals it covers. */
  checkpoint(): Promise<void>;
  close(): Promise<void>;
  /** Everything as one readable JSON document (StoreDocument), in pieces of its text. Returns the number of rows. */
  exportDocument(): AsyncGenerator<string, number>;
  /**
   * Fills an empty store; refuses one that holds rows (AppError conflict) and a document with any wrong row. `source` opens the text at its
   * beginning; it is read twice. An error that `check` throws at the resulting state refuses it too.
   */
  importDocument(source: () => AsyncIterable<string> | Iterable<string>, check?: (view: View) => void): Promise<void>;
}

/** An exported document; rows are in the order of their ids. */
export interface StoreDocument {
  format: 'onair-store';
  schemaVersion: number;
  exported_at: string;
  /** Next id to allot, by collection. */
  nextIds: Partial<Record<CollectionName, number>>;
  collections: { [C in CollectionName]?: { version: number; row: CollectionRows[C] }[] };
}

/** Version of the stored shapes. A store written by a newer one is refused; migrations run forward from older ones. */
export const SCHEMA_VERSION = 5;
