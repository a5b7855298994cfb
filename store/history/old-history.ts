/**
 * Snapshots of versions that kept history in memory have its rows among the others. They go into segments as they are read, so that a store
 * which had grown larger than memory starts again.
 */
import type { HistoryName } from '../../domain/ports/collections.ts';
import type { AnyRow } from '../tables/table.ts';
import type { Operation } from '../tables/tables.ts';
import type { History } from './history.ts';

const BATCH = 1_000;

/** Idempotency entries were overwritten: only the last journal shows which one counts, and there is a day's worth of them. */
const STREAMED: readonly string[] = ['events', 'audit'] satisfies HistoryName[];

export class OldHistory {
  private readonly history: History;
  private readonly batches = new Map<HistoryName, AnyRow[]>();
  private readonly ids = new Map<string, IdSet>();

  constructor(history: History) {
    this.history = history;
  }

  /** Answers whether the line of a snapshot was a row of history, which is then taken. */
  async take([collection, id, , row]: Operation): Promise<boolean> {
    if (!STREAMED.includes(collection)) return false;
    const name = collection as HistoryName;
    let ids = this.ids.get(name);
    if (ids === undefined) this.ids.set(name, (ids = new IdSet()));
    ids.add(id);
    let batch = this.batches.get(name);
    if (batch === undefined) this.batches.set(name, (batch = []));
    if (batch.push(row!) >= BATCH) {
      this.batches.set(name, []);
      await this.history.take(name, batch);
    }
    return true;
  }

  /** Whether the operation of a journal is about a row that the snapshot had already. */
  has([collection, id]: Operation): boolean {
    return this.ids.get(collection)?.has(id) ?? false;
  }

  async end(): Promise<void> {
    for (const [name, batch] of this.batches) if (batch.length > 0) await this.history.take(name, batch);
    this.batches.clear();
  }
}

/** A set with a bit for each id: an eighth of a megabyte for a million. */
class IdSet {
  private bits = new Uint8Array(1024);

  add(id: number): void {
    const at = id >>> 3;
    if (at >= this.bits.length) {
      const bits = new Uint8Array(Math.max(at + 1, 2 * this.bits.length));
      bits.set(this.bits);
      this.bits = bits;
    }
    this.bits[at]! |= 1 << (id & 7);
  }

  has(id: number): boolean {
    return ((this.bits[id >>> 3] ?? 0) & (1 << (id & 7))) !== 0;
  }
}
