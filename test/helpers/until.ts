import { setTimeout as sleep } from 'node:timers/promises';

/** Bounds are for a machine with time; one that runs much else has this many times as long. */
const LOAD_FACTOR = 4;

/**
 * Waits for evidence: asks `probe` again and again until it answers something other than undefined or false, and answers that. The bound
 * only ends a hopeless wait; the error then names what was waited for.
 */
export async function until<T>(
  what: string,
  probe: () => Promise<T | undefined | false> | T | undefined | false,
  boundMs = 30_000,
  everyMs = 50,
): Promise<T> {
  const deadline = performance.now() + boundMs * LOAD_FACTOR;
  for (;;) {
    const value = await probe();
    if (value !== undefined && value !== false) return value;
    if (performance.now() > deadline) throw new Error(`Not within ${(boundMs * LOAD_FACTOR) / 1000} s: ${what}`);
    await sleep(everyMs);
  }
}
