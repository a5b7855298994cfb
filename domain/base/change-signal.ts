/** One wait for a condition, with a bound; the code that changes the facts behind the condition calls `notify`. */
import type { Clock } from '../time/clock.ts';

interface WaitBound {
  clock: Pick<Clock, 'after'>;
  /** Milliseconds; 0 looks once. */
  timeoutMs: number;
  /** An abort ends the wait as the timeout does. */
  signal?: AbortSignal | undefined;
}

export class ChangeSignal {
  private readonly waiters = new Set<() => void>();

  /** Lets every waiter look at its condition again. */
  notify(): void {
    for (const look of this.waiters) look();
  }

  /** Resolves with true as soon as the condition holds, else with false when the bound is reached. Never rejects. */
  until(isMet: () => boolean, { clock, timeoutMs, signal }: WaitBound): Promise<boolean> {
    if (isMet()) return Promise.resolve(true);
    if (timeoutMs <= 0 || signal?.aborted === true) return Promise.resolve(false);
    return new Promise((resolve) => {
      const finish = (isMetNow: boolean): void => {
        this.waiters.delete(look);
        cancelTimer();
        signal?.removeEventListener('abort', giveUp);
        resolve(isMetNow);
      };
      const look = (): void => {
        if (isMet()) finish(true);
      };
      const giveUp = (): void => finish(false);
      const cancelTimer = clock.after(timeoutMs, giveUp);
      signal?.addEventListener('abort', giveUp, { once: true });
      this.waiters.add(look);
    });
  }
}
