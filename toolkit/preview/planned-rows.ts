/** The rows that a plan writes, each as it is before all of it and after, in the order in which they are first touched. */
import { isHistory, type CollectionName, type ResidentName } from '../../domain/ports/collections.ts';
import type { Tx } from '../../domain/ports/store.ts';

export interface PlannedRow {
  collection: ResidentName;
  id: number;
  /** undefined: it is created. */
  before: object | undefined;
  /** undefined: it is deleted. */
  after: object | undefined;
}

/** History and firings say how a change is remembered and carried out, not what it is. */
function isShown(collection: CollectionName): collection is Exclude<ResidentName, 'firings'> {
  return collection !== 'firings' && !isHistory(collection);
}

export class PlannedRows {
  private readonly rows = new Map<string, PlannedRow>();

  /** The transaction of a store may be a class with private state, so each method is called on the object itself. */
  watching(tx: Tx): Tx {
    return {
      get: (collection, id) => tx.get(collection, id),
      version: (collection, id) => tx.version(collection, id),
      find: (collection, query) => tx.find(collection, query),
      changesOf: (collection, field, value) => tx.changesOf(collection, field, value),
      insert: (collection, row) => {
        const inserted = tx.insert(collection, row);
        this.note(collection, inserted.id, undefined, inserted);
        return inserted;
      },
      put: (collection, row) => {
        const before = tx.get(collection, row.id);
        tx.put(collection, row);
        this.note(collection, row.id, before, row);
      },
      delete: (collection, id) => {
        // Only a Live stream that is off can be deleted. The row of its last run goes with it, and no broadcast is stopped.
        if (collection !== 'runs') this.note(collection, id, tx.get(collection, id), undefined);
        tx.delete(collection, id);
      },
      claimKey: (row) => tx.claimKey(row),
      nextIds: () => tx.nextIds(),
      raiseNextIds: (nextIds) => tx.raiseNextIds(nextIds),
    };
  }

  /** Leaves out the rows that exist neither before nor after. */
  all(): PlannedRow[] {
    return [...this.rows.values()].filter(({ before, after }) => before !== undefined || after !== undefined);
  }

  private note(collection: CollectionName, id: number, before: object | undefined, after: object | undefined): void {
    if (!isShown(collection)) return;
    const key = `${collection} ${id}`;
    const first = this.rows.get(key);
    this.rows.set(key, { collection, id, before: first === undefined ? before : first.before, after });
  }
}
