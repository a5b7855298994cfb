/** The clock port. Logic asks it for the time and for timers, so that tests can move time by hand. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Runs `task` once after `delayMs`; the answer cancels it. The timer does not keep the process alive. */
  after(delayMs: number, task: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, task) {
    const timer = setTimeout(task, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** For how long something has taken, and when the next turn is: the clock of the machine may be set meanwhile. */
export const monotonicClock: Clock = { ...systemClock, now: () => performance.now() };

/** ISO 8601 UTC with `Z`, millisecond precision. */
export function toIso(ms: number): string {
  return new Date(ms).toISOString();
}
