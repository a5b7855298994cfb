/**
 * The time of the database on this machine. All members go by it, so that a wrong clock of one does nothing early. Between measurements it
 * runs with the monotonic clock, which nobody can set.
 */
import { systemClock, type Clock } from '../../../domain/time/clock.ts';
import type { Session } from './connection.ts';

export class DatabaseClock implements Clock {
  private offsetMs = performance.timeOrigin;

  now(): number {
    return Math.round(performance.now() + this.offsetMs);
  }

  after(delayMs: number, task: () => void): () => void {
    return systemClock.after(delayMs, task);
  }

  /** The error is half of the time that the answer takes. */
  async measure(session: Session): Promise<void> {
    const before = performance.now();
    const [[ms] = []] = await session.query('select extract(epoch from clock_timestamp()) * 1000', [], {
      name: 'clock',
    });
    this.offsetMs = Number(ms) - (before + performance.now()) / 2;
  }
}
