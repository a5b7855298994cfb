/** Reads of the rows that live in memory. */
import type { CollectionName, CollectionRows, ResidentName } from '../../domain/ports/collections.ts';
import type { Found, Query, Versioned } from '../../domain/ports/store.ts';
import { runQuery } from './query.ts';
import type { Tables } from './tables.ts';

export function getRow<C extends CollectionName>(
  tables: Tables,
  collection: C,
  id: number,
): Versioned<CollectionRows[C]> | undefined {
  const entry = tables.table(collection as ResidentName).get(id);
  return entry && { row: entry.row as unknown as Readonly<CollectionRows[C]>, version: entry.version };
}

export function getRows<C extends CollectionName>(
  tables: Tables,
  collection: C,
  ids: readonly number[],
): Readonly<CollectionRows[C]>[] {
  const table = tables.table(collection as ResidentName);
  const rows: unknown[] = [];
  for (const id of ids) {
    const entry = table.get(id);
    if (entry !== undefined) rows.push(entry.row);
  }
  return rows as Readonly<CollectionRows[C]>[];
}

/** Throws AppError invalid_input as runQuery does. */
export function findRows<C extends CollectionName>(
  tables: Tables,
  collection: C,
  query: Query,
): Found<CollectionRows[C]> {
  const table = tables.table(collection as ResidentName);
  return table.answers.get(query, () => runQuery(table, query)) as unknown as Found<CollectionRows[C]>;
}
