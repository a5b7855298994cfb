/** The view that a plan reads and writes. Its writes are in the tables at once, so it reads them back by the same indexes. */
import type { CollectionName, CollectionRows } from '../domain/collections.ts';
import { AppError, notFound } from '../domain/errors.ts';
import type { Found, Query, Tx } from '../domain/store.ts';
import { frozenCopy } from './plain-copy.ts';
import { runQuery } from './query.ts';
import type { AnyRow, Entry, Table } from './table.ts';
import { takeBack, type CommitBody, type Operation, type Tables, type Undo } from './tables.ts';

export class Transaction implements Tx {
  readonly #tables: Tables;
  readonly #ops: Operation[] = [];
  readonly #undo: Undo[] = [];
  #nextIds: Readonly<Record<string, number>> | undefined;
  #ended = false;

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  get<C extends CollectionName>(collection: C, id: number): Readonly<CollectionRows[C]> | undefined {
    return this.#table(collection).get(id)?.row as Readonly<CollectionRows[C]> | undefined;
  }

  version(collection: CollectionName, id: number): number {
    return this.#table(collection).get(id)?.version ?? 0;
  }

  find<C extends CollectionName>(collection: C, query: Query): Found<CollectionRows[C]> {
    return runQuery(this.#table(collection), query) as unknown as Found<CollectionRows[C]>;
  }

  insert<C extends CollectionName>(
    collection: C,
    row: Omit<CollectionRows[C], 'id'> & { id?: number },
  ): Readonly<CollectionRows[C]> {
    const table = this.#table(collection);
    const id = row.id ?? table.nextId;
    assertId(id);
    if (table.get(id) !== undefined) {
      throw new AppError('conflict', `${collection} ${id} exists already.`, { facts: { field: 'id', value: id, id } });
    }
    const stored = frozenCopy({ ...row, id }) as AnyRow;
    this.#write(table, { row: stored, version: 1 });
    return stored as unknown as Readonly<CollectionRows[C]>;
  }

  put<C extends CollectionName>(collection: C, row: CollectionRows[C]): void {
    const table = this.#table(collection);
    const before = table.get(row.id);
    if (before === undefined) throw notFound(collection, row.id);
    this.#write(table, { row: frozenCopy(row) as unknown as AnyRow, version: before.version + 1 });
  }

  /** A row that is not there stays so: nothing is written. */
  delete(collection: CollectionName, id: number): void {
    const table = this.#table(collection);
    if (table.get(id) === undefined) return;
    this.#ops.push([collection, id, 0, null]);
    this.#undo.push(this.#tables.write(table, id, undefined));
  }

  /** For an import: the row with the version and the id that it had. */
  restore(collection: CollectionName, version: number, row: AnyRow): void {
    this.#write(this.#table(collection), { row: frozenCopy(row), version });
  }

  /** For an import. */
  raiseNextIds(nextIds: Readonly<Record<string, number>>): void {
    this.#undo.push(this.#tables.writeNextIds(nextIds));
    this.#nextIds = nextIds;
  }

  /** Ends the plan and queues what it wrote; answers false when that was nothing. */
  commit(): boolean {
    this.#ended = true;
    if (this.#ops.length === 0 && this.#nextIds === undefined) return false;
    const body: CommitBody = {
      ops: this.#ops.length > 1 ? lastOfEachRow(this.#ops) : this.#ops,
      ...(this.#nextIds && { nextIds: this.#nextIds }),
    };
    this.#tables.stage(body, this.#undo);
    return true;
  }

  /** Ends the plan and takes back what it wrote. */
  abandon(): void {
    this.#ended = true;
    takeBack(this.#undo);
  }

  #write(table: Table, entry: Entry): void {
    table.assertStorable(entry.row);
    this.#ops.push([table.name, entry.row.id, entry.version, entry.row]);
    this.#undo.push(this.#tables.write(table, entry.row.id, entry));
  }

  #table(collection: CollectionName): Table {
    if (this.#ended) throw new TypeError('This transaction has ended: a plan is synchronous and keeps nothing of it.');
    return this.#tables.table(collection);
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
