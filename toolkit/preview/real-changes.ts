/** Writes of rows that stay as they are: they are left out, so that neither `updated_at` nor the ETag moves. */
import { isPlain } from '../../domain/schema.ts';
import type { Tx } from '../../domain/store.ts';

/** The transaction of a store may be a class with private state, so each method is called on the object itself. */
export function withoutIdlePuts(tx: Tx): Tx {
  return {
    get: (collection, id) => tx.get(collection, id),
    version: (collection, id) => tx.version(collection, id),
    find: (collection, query) => tx.find(collection, query),
    insert: (collection, row) => tx.insert(collection, row),
    put: (collection, row) => {
      const before = tx.get(collection, row.id);
      if (before === undefined || !isSame(unstamped(before), unstamped(row))) tx.put(collection, row);
    },
    delete: (collection, id) => tx.delete(collection, id),
  };
}

/** The stamp of a change is not a change by itself. */
function unstamped(row: object): object {
  return { ...row, updated_at: undefined };
}

/** Compares as JSON does: an undefined field is no field, and the order of fields means nothing. */
function isSame(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, at) => isSame(item, b[at]));
  if (!isPlain(a) || !isPlain(b)) return Object.is(a, b);
  return Object.keys({ ...a, ...b }).every((name) => isSame(a[name], b[name]));
}
