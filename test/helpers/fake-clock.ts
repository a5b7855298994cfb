import type { Clock } from '../../domain/time/clock.ts';

const START = '2026-01-01T00:00:00.000Z';
const HOUR_MS = 3_600_000;
/** Over a longer time timers fire late, by this share of it: those that look around each second would fire millions of times. */
const LEAP_MS = 48 * HOUR_MS;
const LATE_SHARE = 1 / 100_000;

/** The instant that a fake clock shows `hours` after its usual start, which is a Thursday. */
export function atHour(hours: number): string {
  return new Date(Date.parse(START) + hours * HOUR_MS).toISOString();
}

interface Timer {
  at: number;
  task: () => void;
}

/** Time moves by hand. Timers fire in order while `advance` passes them. */
export class FakeClock implements Clock {
  private nowMs: number;
  private timers: Timer[] = [];

  constructor(startIso = START) {
    this.nowMs = Date.parse(startIso);
  }

  now(): number {
    return this.nowMs;
  }

  after(delayMs: number, task: () => void): () => void {
    const timer = { at: this.nowMs + delayMs, task };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((other) => other !== timer);
    };
  }

  /** The clock of the machine is set, forward or back: timers go on waiting as long as they would have. */
  step(ms: number): void {
    this.nowMs += ms;
    for (const timer of this.timers) timer.at += ms;
  }

  advance(ms: number): void {
    const end = this.nowMs + ms;
    const lateMs = ms > LEAP_MS ? ms * LATE_SHARE : 0;
    for (;;) {
      const [next] = this.timers.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.timers = this.timers.filter((timer) => timer !== next);
      this.nowMs = Math.max(this.nowMs, Math.min(end, next.at + lateMs));
      next.task();
    }
    this.nowMs = end;
  }
}
