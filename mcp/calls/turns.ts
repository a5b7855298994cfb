/**
 * Gives each call a turn of the event loop of its own. A call that only reads never waits for the outside, so a hundred that came together
 * would run as one, and everybody else's requests, a stop above all, would wait for the last of them.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Answers a promise to await before the next call begins. The first of several calls begins at once. */
export function createTurns(): () => Promise<void> | undefined {
  let last: Promise<void> | undefined;
  return () => {
    const before = last;
    const own = (before ?? Promise.resolve()).then(() => nextTurn());
    last = own;
    void own.then(() => {
      if (last === own) last = undefined;
    });
    return before;
  };
}
