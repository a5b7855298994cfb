/** Collects which rows were written, so that a burst of commits is one message. */
import type { CollectionName } from '../../domain/ports/collections.ts';

/** A listener reads the whole list anew rather than so many rows one by one. */
const MAX_IDS = 100;

export class RowChanges {
  private ids = new Map<CollectionName, Set<number>>();

  add(collection: CollectionName, id: number): void {
    const ids = this.ids.get(collection) ?? new Set();
    // One id beyond the bound stands for any number of them.
    if (ids.size <= MAX_IDS) ids.add(id);
    this.ids.set(collection, ids);
  }

  get isEmpty(): boolean {
    return this.ids.size === 0;
  }

  /** Answers the rows since the last call and forgets them; null stands for too many. */
  take(): Map<CollectionName, readonly number[] | null> {
    const taken = new Map<CollectionName, readonly number[] | null>();
    for (const [collection, ids] of this.ids) taken.set(collection, ids.size > MAX_IDS ? null : [...ids]);
    this.ids = new Map();
    return taken;
  }
}
