/** The history rows of one collection that are in no file yet, by id, in the order in which they came. */
import type { HistoryName } from '../../domain/ports/collections.ts';
import type { AnyRow } from './table.ts';

export class RecentRows {
  readonly name: HistoryName;
  /** Next id to allot; above every id that ever existed. */
  nextId = 1;
  private readonly rowsById = new Map<number, AnyRow>();

  constructor(name: HistoryName) {
    this.name = name;
  }

  get size(): number {
    return this.rowsById.size;
  }

  /** Oldest first. */
  rows(): IterableIterator<AnyRow> {
    return this.rowsById.values();
  }

  get(id: number): AnyRow | undefined {
    return this.rowsById.get(id);
  }

  /** Answers how to take the row back. */
  add(row: AnyRow): () => void {
    const { nextId } = this;
    this.rowsById.set(row.id, row);
    if (row.id >= nextId) this.nextId = row.id + 1;
    return () => {
      this.rowsById.delete(row.id);
      this.nextId = nextId;
    };
  }

  drop(id: number): void {
    this.rowsById.delete(id);
  }
}
