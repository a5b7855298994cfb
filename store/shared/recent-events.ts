/**
 * The events that this process has written or read last. Each part of a server that follows events reads each of them, and would ask the database
 * for it anew. An event never changes.
 */
import type { HistoryName } from '../../domain/ports/collections.ts';
import type { AnyRow } from '../tables/table.ts';

/** Some 2 MB; a storm of a thousand is read by all parts before it is gone. */
const MAX_ROWS = 4096;

export class RecentEvents {
  private readonly rows = new Map<number, AnyRow>();

  get(name: HistoryName, id: number): AnyRow | undefined {
    return name === 'events' ? this.rows.get(id) : undefined;
  }

  keep(name: HistoryName, row: AnyRow): void {
    if (name !== 'events' || this.rows.has(row.id)) return;
    this.rows.set(row.id, row);
    if (this.rows.size <= MAX_ROWS) return;
    const [oldest] = this.rows.keys();
    this.rows.delete(oldest!);
  }
}
