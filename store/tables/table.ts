/** The rows of one collection with their indexes and unique sets. A table knows nothing of transactions or disks. */
import { COLLECTIONS, type CollectionName, type ResidentName } from '../../domain/ports/collections.ts';
import { AppError } from '../../domain/base/errors.ts';
import type { Scalar } from '../../domain/ports/store.ts';
import { Answers } from './answers.ts';
import { scalarOf } from './scalar-order.ts';
import { SortedIndex } from './sorted-index.ts';

export type AnyRow = Readonly<Record<string, unknown>> & { readonly id: number };

export interface Entry {
  readonly row: AnyRow;
  readonly version: number;
  /** The folded text that `search` looks into, made by the first search that meets the row. */
  folded?: string;
}

interface UniqueSet {
  readonly fields: readonly string[];
  readonly holders: Map<Scalar, number>;
}

interface FieldIndex {
  readonly field: string;
  readonly index: SortedIndex;
}

export class Table {
  readonly name: ResidentName;
  readonly searched: readonly string[];
  /** Next id to allot; above every id that ever existed. */
  nextId = 1;
  /** Answers to queries over the present rows. */
  readonly answers = new Answers<AnyRow>();
  private readonly rows = new Map<number, Entry>();
  private readonly indexes: readonly FieldIndex[];
  private readonly indexOf: ReadonlyMap<string, SortedIndex>;
  private readonly uniques: readonly UniqueSet[];
  private readonly changes: ReadonlyMap<string, Map<Scalar, number>>;

  constructor(name: ResidentName) {
    const facts = COLLECTIONS[name];
    this.name = name;
    this.searched = facts.searched;
    this.indexes = [...new Set<string>(['id', ...facts.indexed])].map((field) => ({
      field,
      index: new SortedIndex(),
    }));
    this.indexOf = new Map(this.indexes.map(({ field, index }) => [field, index]));
    this.changes = new Map((facts.counted ?? []).map((field) => [field, new Map<Scalar, number>()]));
    this.uniques = facts.unique.map((fields) => ({ fields, holders: new Map() }));
  }

  get size(): number {
    return this.rows.size;
  }

  get(id: number): Entry | undefined {
    return this.rows.get(id);
  }

  /** A live iterator: rows that come or go meanwhile are met or not, each as it is when it is reached. */
  entries(): IterableIterator<[number, Entry]> {
    return this.rows.entries();
  }

  index(field: string): SortedIndex | undefined {
    return this.indexOf.get(field);
  }

  get indexedFields(): string[] {
    return [...this.indexOf.keys()];
  }

  /** Throws TypeError for what is no row of this id, and for a value that no index can order: `replace` must not be half done. */
  assertForm(id: number, row: unknown): void {
    if (typeof row !== 'object' || row === null || (row as AnyRow).id !== id)
      throw new TypeError(`What is to be row ${id} of ${this.name} is no row of this id.`);
    for (const { field } of this.indexes) scalarOf(row as AnyRow, field);
  }

  /** Throws AppError conflict when another row has one of the row's unique sets. Null claims nothing, as in SQL. */
  assertStorable(row: AnyRow): void {
    this.assertForm(row.id, row);
    for (const { fields, holders } of this.uniques) {
      const key = keyOf(fields, row);
      const holder = key === null ? undefined : holders.get(key);
      if (holder === undefined || holder === row.id) continue;
      const field = fields.join(', ');
      const value = fields.length === 1 ? key : fields.map((each) => row[each]);
      throw new AppError(
        'conflict',
        `${nounOf(this.name)} ${holder} already has the ${field} ${JSON.stringify(value)}. Choose another, or change that one.`,
        {
          facts: { field, value, id: holder },
        },
      );
    }
  }

  /** Replaces or removes the row's present entry and answers the previous one. It checks nothing. */
  replace(id: number, entry: Entry | undefined): Entry | undefined {
    const before = this.rows.get(id);
    this.answers.clear();
    for (const { field, index } of this.indexes) {
      // Most fields of most puts stay as they were.
      if (before !== undefined && entry !== undefined && before.row[field] === entry.row[field]) continue;
      const old = before && scalarOf(before.row, field);
      const next = entry && scalarOf(entry.row, field);
      if (old === next) continue;
      if (old !== undefined) index.remove(old, id);
      if (next !== undefined) index.add(next, id);
    }
    for (const { fields, holders } of this.uniques) {
      const old = before ? keyOf(fields, before.row) : null;
      const next = entry ? keyOf(fields, entry.row) : null;
      if (old === next) continue;
      // The commits of others are replayed row by row, and one row may take what another one leaves a step later.
      if (old !== null && holders.get(old) === id) holders.delete(old);
      if (next !== null) holders.set(next, id);
    }
    if (entry === undefined) this.rows.delete(id);
    else this.rows.set(id, entry);
    this.countChange(before?.row, entry?.row);
    return before;
  }

  /** Throws TypeError for a field that is not counted. */
  changesOf(field: string, value: Scalar): number {
    const counts = this.changes.get(field);
    if (counts === undefined) throw new TypeError(`The changes of ${this.name} are not counted by ${field}.`);
    return counts.get(value) ?? 0;
  }

  private countChange(before: AnyRow | undefined, after: AnyRow | undefined): void {
    for (const [field, counts] of this.changes)
      for (const row of [before, after]) {
        const value = row && scalarOf(row, field);
        if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
      }
  }

  /** Fills an empty table; each index is sorted once. Throws AppError conflict as assertStorable does. */
  load(entries: Iterable<[number, Entry]>): void {
    this.answers.clear();
    for (const [id, entry] of entries) {
      this.assertStorable(entry.row);
      for (const { fields, holders } of this.uniques) {
        const key = keyOf(fields, entry.row);
        if (key !== null) holders.set(key, id);
      }
      this.rows.set(id, entry);
      if (id >= this.nextId) this.nextId = id + 1;
    }
    const ids = [...this.rows.keys()];
    for (const { field, index } of this.indexes) {
      const values: Scalar[] = [];
      for (const { row } of this.rows.values()) values.push(scalarOf(row, field));
      index.load(values, ids);
    }
  }
}

/** Answers `User group` for `userGroups`. */
function nounOf(collection: CollectionName): string {
  const words = collection
    .replace(/([A-Z])/gu, ' $1')
    .toLowerCase()
    .replace(/s$/u, '');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** null when one of the fields is null. Sets of several fields are compared by their JSON. */
function keyOf(fields: readonly string[], row: AnyRow): Scalar {
  if (fields.length === 1) return scalarOf(row, fields[0]!);
  const values = fields.map((field) => scalarOf(row, field));
  return values.includes(null) ? null : JSON.stringify(values);
}
