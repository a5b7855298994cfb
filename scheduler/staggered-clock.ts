/**
 * The clock of what falls due where several servers share a store. Each looks at what is due, the first of them at its instant and each other
 * one a second behind the one before it: so nothing waits until another server is chosen when one is gone. What is due is done in one commit,
 * which finds what was done before.
 */
import type { Clock } from '../domain/time/clock.ts';

const STEP_MS = 1000;

/** `rank` answers the place of this server, from 0. */
export function staggeredClock(clock: Clock, rank: () => number): Clock {
  return { now: () => clock.now() - rank() * STEP_MS, after: (delayMs, task) => clock.after(delayMs, task) };
}
