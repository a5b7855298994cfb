import { setTimeout as sleep } from 'node:timers/promises';

/** The bound only ends a hopeless wait. */
const BOUND_MS = 120_000;

/** The texts of the waits of this moment; whoever ends a unit that stands still shows it (scripts/tests/entry.mjs). */
const waits = ((globalThis as { [key: symbol]: unknown })[Symbol.for('tests.waits')] ?? new Map()) as Map<
  symbol,
  string
>;

export interface Waiting {
  everyMs?: number;
  /** Longer for what takes longer than two minutes by its nature. */
  boundMs?: number;
}

/**
 * Waits for evidence: asks `probe` again and again until it answers something other than undefined or false, and answers that. The bound
 * is a number of questions: a machine that runs much else asks less often, and so waits for longer.
 */
export async function until<T>(
  what: string,
  probe: () => Promise<T | undefined | false> | T | undefined | false,
  { everyMs = 50, boundMs = BOUND_MS }: Waiting = {},
): Promise<T> {
  const wait = Symbol(what);
  waits.set(wait, what);
  try {
    for (let questions = Math.ceil(boundMs / everyMs); questions > 0; questions -= 1) {
      const value = await probe();
      if (value !== undefined && value !== false) return value;
      await sleep(everyMs);
    }
  } finally {
    waits.delete(wait);
  }
  throw new Error(`Not within ${boundMs / 1000} s: ${what}`);
}
