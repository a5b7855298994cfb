/**
 * Gives each call a turn of the event loop of its own. A call that only reads never waits for the outside, so a hundred that came together
 * would run as one, and everybody else's requests, a stop above all, would wait for the last of them.
 */

export interface Turns {
  /** Answers a promise to await before the next call begins. The first of several calls begins at once. */
  next(): Promise<void> | undefined;
}

export function createTurns(): Turns {
  const waiting: (() => void)[] = [];
  let isTaken = false;
  const pass = (): void => {
    const begin = waiting.shift();
    isTaken = begin !== undefined;
    if (begin === undefined) return;
    begin();
    setImmediate(pass);
  };
  return {
    next() {
      if (isTaken) return new Promise((resolve) => void waiting.push(resolve));
      isTaken = true;
      setImmediate(pass);
      return undefined;
    },
  };
}
