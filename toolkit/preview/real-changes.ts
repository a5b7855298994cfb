/**
 * Writes of rows that stay as they are: they are left out, so that neither `updated_at` nor the ETag moves. A run has neither, and a write
 * of it in the commit of a call tells the feed whose change on air it was, also when the row has been so since the change was begun.
 */
import { isSameJson } from '../../domain/base/json.ts';
import type { Tx } from '../../domain/ports/store.ts';

/** The transaction of a store may be a class with private state, so each method is called on the object itself. */
export function withoutIdlePuts(tx: Tx): Tx {
  return {
    get: (collection, id) => tx.get(collection, id),
    version: (collection, id) => tx.version(collection, id),
    find: (collection, query) => tx.find(collection, query),
    changesOf: (collection, field, value) => tx.changesOf(collection, field, value),
    insert: (collection, row) => tx.insert(collection, row),
    put: (collection, row) => {
      const before = tx.get(collection, row.id);
      if (collection === 'runs' || before === undefined || !isSameJson(unstamped(before), unstamped(row)))
        tx.put(collection, row);
    },
    delete: (collection, id) => tx.delete(collection, id),
    claimKey: (row) => tx.claimKey(row),
    nextIds: () => tx.nextIds(),
    raiseNextIds: (nextIds) => tx.raiseNextIds(nextIds),
  };
}

/** The stamp of a change is not a change by itself. */
function unstamped(row: object): object {
  return { ...row, updated_at: undefined };
}
