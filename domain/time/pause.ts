import { setTimeout as delay } from 'node:timers/promises';

/**
 * Resolves with true after `ms` milliseconds, and with false as soon as the signal fires. With `ref: false` the wait does not keep the
 * process alive.
 */
export async function pause(ms: number, signal: AbortSignal, { ref = true } = {}): Promise<boolean> {
  try {
    await delay(ms, undefined, { signal, ref });
  } catch {
    // The one error of a timer is that its signal has fired, which the answer says.
  }
  return !signal.aborted;
}
