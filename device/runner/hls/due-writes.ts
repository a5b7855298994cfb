/** Gives a reader of this process its media when it is due, as an ffmpeg does by itself for what it reads ahead. */
import type { Writable } from 'node:stream';

/** While nobody waits, all that has become due goes on together. */
const TURN_MS = 100;

interface Held {
  bytes: Buffer;
  dueAt: number;
}

export class DueWrites {
  private readonly sink: Writable;
  private readonly mayWait: () => boolean;
  private readonly now: () => number;
  private held: Held[] = [];
  private timer: NodeJS.Timeout | undefined;
  private isEnding = false;

  /** `mayWait` tells whether nobody notices when media comes a tenth of a second later. */
  constructor(sink: Writable, mayWait: () => boolean, now: () => number) {
    this.sink = sink;
    this.mayWait = mayWait;
    this.now = now;
  }

  /** `dueAt` is an instant of `now`, none before that of the write before. */
  write(bytes: Buffer, dueAt: number): void {
    this.held.push({ bytes, dueAt });
    this.wait();
  }

  /** The sink ends with the last of what is held. */
  end(): void {
    this.isEnding = true;
    this.wait();
  }

  /** Drops all that is held. */
  close(): void {
    clearTimeout(this.timer);
    this.held = [];
  }

  private wait(): void {
    const dueMs = (this.held[0]?.dueAt ?? 0) - this.now();
    this.timer ??= setTimeout(() => this.give(), this.mayWait() ? Math.max(TURN_MS, dueMs) : Math.max(0, dueMs));
  }

  private give(): void {
    this.timer = undefined;
    const now = this.now();
    const count = this.held.findIndex(({ dueAt }) => dueAt > now);
    for (const { bytes } of this.held.splice(0, count < 0 ? this.held.length : count)) this.sink.write(bytes);
    if (this.held.length > 0) this.wait();
    else if (this.isEnding) this.sink.end();
  }
}
