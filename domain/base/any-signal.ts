/** Signals that end together. */

const kept = (): void => undefined;

/**
 * The signal that is aborted with the first of them. Node 20 lets the garbage collector take a signal of AbortSignal.timeout that only
 * AbortSignal.any listens to, and its time then never comes (nodejs/node 57736); a listener of its own keeps it. It is one function, which
 * a signal that lasts for long takes once.
 */
export function anySignal(signals: readonly AbortSignal[]): AbortSignal {
  for (const signal of signals) signal.addEventListener('abort', kept, { once: true });
  return AbortSignal.any([...signals]);
}
