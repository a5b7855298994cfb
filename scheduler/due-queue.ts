/** A heap of instants, one for each key, and the one timer that waits for the next of them. */
import type { Clock } from '../domain/time/clock.ts';

/** A clock that was set forward is noticed after at most this time; one that was set back makes nothing due twice. */
const MAX_WAIT_MS = 5000;

interface Entry {
  key: number;
  atMs: number;
}

export class DueQueue {
  private readonly clock: Clock;
  private readonly onDue: (key: number, atMs: number) => void;
  private readonly maxWaitMs: number;
  /** A binary heap. Replaced and deleted entries stay in it until their turn, and are recognised by not being in `entries`. */
  private heap: Entry[] = [];
  private readonly entries = new Map<number, Entry>();
  private cancelTimer: () => void = () => undefined;
  private timerAtMs = Infinity;
  private closed = false;

  /** `onDue` is called once for each instant that was set, never before it. It may set the key anew; it must not throw. */
  constructor(clock: Clock, onDue: (key: number, atMs: number) => void, maxWaitMs = MAX_WAIT_MS) {
    this.clock = clock;
    this.onDue = onDue;
    this.maxWaitMs = maxWaitMs;
  }

  get size(): number {
    return this.entries.size;
  }

  /** Replaces the instant that was set for the key before. */
  set(key: number, atMs: number): void {
    const entry = { key, atMs };
    this.entries.set(key, entry);
    this.push(entry);
    // Replaced entries must not outgrow those that count.
    if (this.heap.length > 64 && this.heap.length > 2 * this.entries.size) this.rebuild();
    this.wait();
  }

  delete(key: number): void {
    this.entries.delete(key);
  }

  close(): void {
    this.closed = true;
    this.cancelTimer();
  }

  private wait(): void {
    const next = this.next();
    if (this.closed || next === undefined) return;
    const now = this.clock.now();
    const wakeAtMs = Math.min(next.atMs, now + this.maxWaitMs);
    if (wakeAtMs >= this.timerAtMs) return;
    this.cancelTimer();
    this.timerAtMs = wakeAtMs;
    this.cancelTimer = this.clock.after(Math.max(0, wakeAtMs - now), () => this.wake());
  }

  private wake(): void {
    this.timerAtMs = Infinity;
    const now = this.clock.now();
    for (let next = this.next(); next !== undefined && next.atMs <= now && !this.closed; next = this.next()) {
      this.pop();
      this.entries.delete(next.key);
      this.onDue(next.key, next.atMs);
    }
    this.wait();
  }

  /** The earliest entry that still counts. */
  private next(): Entry | undefined {
    for (;;) {
      const top = this.heap[0];
      if (top === undefined || this.entries.get(top.key) === top) return top;
      this.pop();
    }
  }

  private push(entry: Entry): void {
    const { heap } = this;
    let at = heap.push(entry) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(entry, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = entry;
  }

  private pop(): void {
    const { heap } = this;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
      if (!isBefore(heap[child]!, last)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
  }

  private rebuild(): void {
    this.heap = [];
    for (const entry of this.entries.values()) this.push(entry);
  }
}

/** At the same instant the lower key comes first: of two plans the one that was made first. */
function isBefore(one: Entry, other: Entry): boolean {
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.key < other.key);
}
