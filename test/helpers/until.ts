import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits for evidence: asks `probe` again and again until it answers something other than undefined or false, and answers that. The bound
 * only ends a hopeless wait, so it is wide enough for a machine that runs everything at once; the error then names what was waited for.
 */
export async function until<T>(
  what: string,
  probe: () => Promise<T | undefined | false> | T | undefined | false,
  boundMs = 30_000,
  everyMs = 20,
): Promise<T> {
  const deadline = performance.now() + boundMs;
  for (;;) {
    const value = await probe();
    if (value !== undefined && value !== false) return value;
    if (performance.now() > deadline) throw new Error(`Not within ${boundMs / 1000} s: ${what}`);
    await sleep(everyMs);
  }
}
