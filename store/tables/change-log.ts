/** The latest changes, in memory only; a reader that asks for older ones reads everything again. */
import type { Change } from '../../domain/ports/store.ts';

/** About 2 MB; at 100 commits a second, some minutes of catching up. */
const MAX_KEPT = 16_384;

export class ChangeLog {
  private changes: Change[] = [];
  /** Every change after this position is kept. */
  private since: number;
  private last: number;

  constructor(seq: number) {
    this.since = seq;
    this.last = seq;
  }

  append(seq: number, changes: readonly Change[]): void {
    this.last = seq;
    for (const change of changes) this.changes.push(change);
    // The list is cut rarely, because each cut moves all that are kept.
    if (this.changes.length < 2 * MAX_KEPT) return;
    this.since = this.changes[this.changes.length - MAX_KEPT - 1]!.seq;
    this.changes = this.changes.slice(-MAX_KEPT);
  }

  /** undefined when the log does not reach back to `seq`, or has not come so far, because the reader knows another history. */
  after(seq: number): Change[] | undefined {
    if (seq < this.since || seq > this.last) return undefined;
    let low = 0;
    let high = this.changes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.changes[middle]!.seq <= seq) low = middle + 1;
      else high = middle;
    }
    return this.changes.slice(low);
  }
}
