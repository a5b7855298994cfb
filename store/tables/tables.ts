/**
 * All collections and leases in memory, and the commits that memory is ahead of the disk by. A plan writes straight into the tables and
 * keeps the previous entries, so taking a commit back, whether its plan threw or the disk refused it, is the same replay of old entries,
 * newest first.
 */
import {
  COLLECTIONS,
  HISTORY_NAMES,
  isHistory,
  type CollectionName,
  type HistoryName,
  type ResidentName,
} from '../../domain/ports/collections.ts';
import type { Change, Lease } from '../../domain/ports/store.ts';
import { RecentRows } from './recent.ts';
import type { RawState, StoredRow } from './migration.ts';
import { deepFreeze } from './plain-copy.ts';
import { Table, type AnyRow, type Entry } from './table.ts';

/** An absolute operation: the whole row, or null for none. Replaying it twice, or over a newer state, does no harm. */
export type Operation = readonly [collection: CollectionName, id: number, version: number, row: AnyRow | null];

/** The body of one journal line. */
export interface CommitBody {
  readonly ops: readonly Operation[];
  readonly lease?: Lease;
  /** Only an import, and a store that went back, move these beyond what the operations imply. */
  readonly nextIds?: Readonly<Record<string, number>>;
}

/** A commit as the log of others has it: without the rows of history. */
export interface Replayed {
  readonly ops: readonly (readonly [collection: CollectionName, id: number, version: number, row?: AnyRow | null])[];
  readonly nextIds?: Readonly<Record<string, number>>;
}

export interface Commit {
  /** Position in the order of commits, from 1, without gaps. */
  readonly seq: number;
  readonly body: CommitBody;
  readonly undo: readonly Undo[];
  /** Idempotency keys that no other call may have. */
  readonly keys: readonly string[];
}

export type Undo = () => void;

export class Tables {
  /** Position of the last commit, durable or not. */
  seq = 0;
  readonly leases = new Map<string, Lease>();
  private readonly tables = new Map<string, Table>();
  private readonly recentByName = new Map<HistoryName, RecentRows>();
  private staged: Commit[] = [];
  private acknowledged: (commits: readonly Commit[]) => void = () => undefined;

  constructor() {
    for (const name of Object.keys(COLLECTIONS) as CollectionName[]) {
      if (isHistory(name)) this.recentByName.set(name, new RecentRows(name));
      else this.tables.set(name, new Table(name));
    }
  }

  /**
   * Fills empty tables with rows that nobody else refers to. Throws AppError conflict when they exclude each other, TypeError for an
   * unknown collection.
   */
  load({ collections, nextIds }: RawState, leases: Iterable<Lease>, seq: number): void {
    for (const [name, rows] of collections) {
      if (rows.size === 0) continue;
      if (isKnownHistory(name)) this.loadRecent(name, rows);
      else this.table(name as ResidentName).load(frozen(rows));
    }
    this.writeNextIds(Object.fromEntries(nextIds));
    for (const lease of leases) this.leases.set(lease.name, Object.freeze(lease));
    this.seq = seq;
  }

  table(name: ResidentName): Table {
    const table = this.tables.get(name);
    if (table !== undefined) return table;
    throw new TypeError(
      isKnownHistory(name)
        ? `${name} are history: a plan adds to them and reads none of them; they are read outside.`
        : `There is no collection ${String(name)}.`,
    );
  }

  /** The history rows that no file has yet. */
  recent(name: HistoryName): RecentRows {
    return this.recentByName.get(name)!;
  }

  all(): Table[] {
    return [...this.tables.values()];
  }

  /** Replaces or removes one row and answers how to take that back. */
  write(table: Table, id: number, entry: Entry | undefined): Undo {
    const { nextId } = table;
    const before = table.replace(id, entry);
    if (id >= nextId) table.nextId = id + 1;
    return () => {
      table.replace(id, before);
      table.nextId = nextId;
    };
  }

  /** Adds a row of history and answers how to take that back. */
  addHistory(name: HistoryName, row: AnyRow): Undo {
    return this.recent(name).add(row);
  }

  writeLease(lease: Lease): Undo {
    const before = this.leases.get(lease.name);
    this.leases.set(lease.name, lease);
    return () => {
      if (before === undefined) this.leases.delete(lease.name);
      else this.leases.set(lease.name, before);
    };
  }

  /** Raises next ids, never lowers one. */
  writeNextIds(nextIds: Readonly<Record<string, number>>): Undo {
    const before = this.nextIds();
    for (const each of this.everything()) each.nextId = Math.max(each.nextId, nextIds[each.name] ?? 1);
    return () => {
      for (const each of this.everything()) each.nextId = before[each.name]!;
    };
  }

  nextIds(): Record<string, number> {
    return Object.fromEntries(this.everything().map(({ name, nextId }) => [name, nextId]));
  }

  /** Queues a commit whose writes are in the tables already. */
  stage(body: CommitBody, undo: readonly Undo[], keys: readonly string[] = []): void {
    this.seq += 1;
    this.staged.push({ seq: this.seq, body, undo, keys });
  }

  /** Hands the queued commits over to the durability. */
  takeStaged(): Commit[] {
    const staged = this.staged;
    this.staged = [];
    return staged;
  }

  /** The listener is called with the commits that are durable now, in order. */
  onAcknowledged(listener: (commits: readonly Commit[]) => void): void {
    this.acknowledged = listener;
  }

  acknowledge(commits: readonly Commit[]): void {
    this.acknowledged(commits);
  }

  /** Takes back the newest commits, given oldest first, so that memory is the acknowledged state again. */
  takeBack(commits: readonly Commit[]): void {
    for (const { undo } of commits.toReversed()) takeBack(undo);
    this.seq -= commits.length;
  }

  /** Throws TypeError for a commit that no member of this version writes: none of it may be applied then. */
  assertReplayable({ ops, nextIds }: Replayed): void {
    const isList: boolean = Array.isArray(ops);
    if (!isList) throw new TypeError('A commit in the log has no list of writes.');
    for (const [name, id, version, row] of ops) {
      const isPlace = Number.isSafeInteger(id) && id > 0 && Number.isSafeInteger(version);
      if (!Object.hasOwn(COLLECTIONS, name) || !isPlace) throw new TypeError('A write in the log names no row.');
      if (row !== undefined && row !== null && !isHistory(name)) this.table(name).assertForm(id, row);
    }
    if (nextIds !== undefined && Object.values(nextIds).some((next) => !Number.isSafeInteger(next)))
      throw new TypeError('A commit in the log raises ids to what is none.');
  }

  /** Applies a commit of the log that several processes share. Rows are frozen; history is not kept, its ids count. */
  replay(seq: number, { ops, nextIds }: Replayed): void {
    for (const [name, id, version, row] of ops) {
      if (isHistory(name)) {
        const recent = this.recent(name);
        recent.nextId = Math.max(recent.nextId, id + 1);
      } else this.write(this.table(name), id, row ? { row, version } : undefined);
    }
    if (nextIds !== undefined) this.writeNextIds(nextIds);
    this.seq = seq;
  }

  private everything(): (Table | RecentRows)[] {
    return [...this.tables.values(), ...this.recentByName.values()];
  }

  private loadRecent(name: HistoryName, rows: ReadonlyMap<number, StoredRow>): void {
    const inOrder = [...rows.values()].sort((a, b) => a.row.id - b.row.id);
    for (const { row } of inOrder) this.recent(name).add(deepFreeze(row));
  }
}

function isKnownHistory(name: string): name is HistoryName {
  return (HISTORY_NAMES as readonly string[]).includes(name);
}

function* frozen(rows: Map<number, StoredRow>): Generator<[number, Entry]> {
  for (const [id, { row, version }] of rows) yield [id, { row: deepFreeze(row), version }];
}

export function takeBack(undo: readonly Undo[]): void {
  for (const step of undo.toReversed()) step();
}

/** A row has one entry, however often its plan wrote it. */
export function changesOf({ seq, body: { ops } }: { seq: number; body: Pick<Replayed, 'ops'> }): Change[] {
  return ops.map(([collection, id]) => Object.freeze({ seq, collection, id }));
}
