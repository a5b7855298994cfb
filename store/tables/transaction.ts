/** The view that a plan reads and writes. Its writes are in the tables at once, so it reads them back by the same indexes. */
import {
  isHistory,
  type CollectionName,
  type CollectionRows,
  type HistoryName,
  type ResidentName,
} from '../../domain/ports/collections.ts';
import { AppError, notFound } from '../../domain/base/errors.ts';
import type { IdempotencyEntry } from '../../domain/shapes/installation/security.ts';
import type { Found, Query, Scalar, Tx } from '../../domain/ports/store.ts';
import { assertRecordable } from './columns.ts';
import { frozenCopy } from './plain-copy.ts';
import { runQuery } from './query.ts';
import type { AnyRow, Entry, Table } from './table.ts';
import { takeBack, type CommitBody, type Operation, type Tables, type Undo } from './tables.ts';

export class Transaction implements Tx {
  private readonly tables: Tables;
  private readonly ops: Operation[] = [];
  private readonly undo: Undo[] = [];
  /** Idempotency keys that no other call may have. */
  readonly claimedKeys: string[] = [];
  private raisedIds: Readonly<Record<string, number>> | undefined;
  private ended = false;

  constructor(tables: Tables) {
    this.tables = tables;
  }

  get<C extends ResidentName>(collection: C, id: number): Readonly<CollectionRows[C]> | undefined {
    return this.table(collection).get(id)?.row as Readonly<CollectionRows[C]> | undefined;
  }

  version(collection: ResidentName, id: number): number {
    return this.table(collection).get(id)?.version ?? 0;
  }

  find<C extends ResidentName>(collection: C, query: Query): Found<CollectionRows[C]> {
    return runQuery(this.table(collection), query) as unknown as Found<CollectionRows[C]>;
  }

  changesOf(collection: ResidentName, field: string, value: Scalar): number {
    return this.table(collection).changesOf(field, value);
  }

  insert<C extends CollectionName>(
    collection: C,
    row: Omit<CollectionRows[C], 'id'> & { id?: number },
  ): Readonly<CollectionRows[C]> {
    if (isHistory(collection)) return this.add(collection, row) as unknown as Readonly<CollectionRows[C]>;
    const table = this.table(collection as ResidentName);
    const id = row.id ?? table.nextId;
    assertId(id);
    if (table.get(id) !== undefined) {
      throw new AppError('conflict', `${collection} ${id} exists already.`, { facts: { field: 'id', value: id, id } });
    }
    const stored = frozenCopy({ ...row, id }) as AnyRow;
    this.replace(table, { row: stored, version: 1 });
    return stored as unknown as Readonly<CollectionRows[C]>;
  }

  put<C extends ResidentName>(collection: C, row: CollectionRows[C]): void {
    const table = this.table(collection);
    const before = table.get(row.id);
    if (before === undefined) throw notFound(collection, row.id);
    this.replace(table, { row: frozenCopy(row) as unknown as AnyRow, version: before.version + 1 });
  }

  /** Deleting a missing row writes nothing. */
  delete(collection: ResidentName, id: number): void {
    const table = this.table(collection);
    if (table.get(id) === undefined) return;
    this.ops.push([collection, id, 0, null]);
    this.undo.push(this.tables.write(table, id, undefined));
  }

  claimKey(row: Omit<IdempotencyEntry, 'id'>): void {
    this.add('idempotency', row);
    this.claimedKeys.push(row.key);
  }

  /** For an import: restores the row with its version and id. */
  restore(collection: CollectionName, version: number, row: AnyRow): void {
    if (isHistory(collection)) this.write(collection, frozenCopy(row));
    else this.replace(this.table(collection as ResidentName), { row: frozenCopy(row), version });
  }

  nextIds(): Record<string, number> {
    this.assertOpen();
    return this.tables.nextIds();
  }

  raiseNextIds(nextIds: Readonly<Record<string, number>>): void {
    this.assertOpen();
    this.undo.push(this.tables.writeNextIds(nextIds));
    this.raisedIds = { ...this.raisedIds, ...nextIds };
  }

  /** Ends the plan and queues its writes; answers false when there were none. */
  commit(): boolean {
    this.ended = true;
    if (this.ops.length === 0 && this.raisedIds === undefined) return false;
    const body: CommitBody = {
      ops: this.ops.length > 1 ? lastOfEachRow(this.ops) : this.ops,
      ...(this.raisedIds && { nextIds: this.raisedIds }),
    };
    this.tables.stage(body, this.undo, this.claimedKeys);
    return true;
  }

  /** Ends the plan and takes its writes back. */
  abandon(): void {
    this.ended = true;
    takeBack(this.undo);
  }

  /** Ids of history rise with the order of the commits, so the newest row is at the end of its files. */
  private add(collection: HistoryName, row: object): AnyRow {
    this.assertOpen();
    if ('id' in row && row.id !== undefined)
      throw new TypeError(`A row of ${collection} gets its id from the store, not ${String(row.id)} from its writer.`);
    const stored = frozenCopy({ ...row, id: this.tables.recent(collection).nextId }) as AnyRow;
    this.write(collection, stored);
    return stored;
  }

  private write(collection: HistoryName, row: AnyRow): void {
    assertRecordable(collection, row);
    this.ops.push([collection, row.id, 1, row]);
    this.undo.push(this.tables.addHistory(collection, row));
  }

  private replace(table: Table, entry: Entry): void {
    table.assertStorable(entry.row);
    this.ops.push([table.name, entry.row.id, entry.version, entry.row]);
    this.undo.push(this.tables.write(table, entry.row.id, entry));
  }

  private table(collection: ResidentName): Table {
    this.assertOpen();
    return this.tables.table(collection);
  }

  private assertOpen(): void {
    if (this.ended) throw new TypeError('This transaction has ended: a plan is synchronous and keeps nothing of it.');
  }
}

function assertId(id: number): void {
  if (!Number.isSafeInteger(id) || id < 1) throw new TypeError(`A row's id is a whole number from 1, not ${id}.`);
}

function lastOfEachRow(ops: readonly Operation[]): Operation[] {
  const last = new Map<string, Operation>();
  for (const op of ops) last.set(`${op[0]} ${op[1]}`, op);
  return [...last.values()];
}
