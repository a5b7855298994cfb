/**
 * One turn of the event loop a call. A call that only reads ends without ever waiting for the outside; a hundred that came together
 * would run as one, and everybody else's requests, a stop above all, would wait for the last of them.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Answers what is to be awaited before the next call is begun; the first of those that come together begins at once. */
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
