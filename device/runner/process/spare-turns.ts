/**
 * Turns for work that may wait: one at a time in this process, and no more than half of the time, because others share the machine and a spawn
 * holds this thread up for 10-25 ms.
 */
import { setTimeout as delay } from 'node:timers/promises';

const realTime = { now: (): number => performance.now(), wait: (ms: number): Promise<void> => delay(ms) };

export class SpareTurns {
  private last: Promise<unknown> = Promise.resolve();
  private waiting = 0;
  private readonly time: typeof realTime;

  /** The instants of `now` are in milliseconds. */
  constructor(time = realTime) {
    this.time = time;
  }

  /** Nothing is under way or waits. */
  get areFree(): boolean {
    return this.waiting === 0;
  }

  /** Settles as the task does. */
  take<T>(task: () => Promise<T>): Promise<T> {
    this.waiting += 1;
    let tookMs = 0;
    const turn = this.last.then(async () => {
      const begunAt = this.time.now();
      try {
        return await task();
      } finally {
        tookMs = this.time.now() - begunAt;
      }
    });
    const rest = async (): Promise<void> => {
      await this.time.wait(tookMs);
      this.waiting -= 1;
    };
    this.last = turn.then(rest, rest);
    return turn;
  }
}
