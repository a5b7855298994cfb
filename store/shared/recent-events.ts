/**
 * The events that this process has written or read last. Each part of a server that follows events reads each of them, and would ask the database
 * for it anew. An event never changes.
 */
import type { CollectionName } from '../../domain/ports/collections.ts';
import type { AnyRow } from '../tables/table.ts';

/** Some 2 MB; a storm of a thousand is read by all parts before it is gone. */
const MAX_ROWS = 4096;

/** The log has their rows, so that no member reads from the database what another has just written. */
export const isFollowed = (name: CollectionName): boolean => name === 'events';

export class RecentEvents {
  private readonly rows = new Map<number, AnyRow>();

  get(name: CollectionName, id: number): AnyRow | undefined {
    return isFollowed(name) ? this.rows.get(id) : undefined;
  }

  keep(name: CollectionName, row: AnyRow): void {
    if (!isFollowed(name) || this.rows.has(row.id)) return;
    this.rows.set(row.id, row);
    if (this.rows.size <= MAX_ROWS) return;
    const [oldest] = this.rows.keys();
    this.rows.delete(oldest!);
  }
}
