import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';

/** Lets everybody else in this process have their turn, so that what is due has happened. */
export async function settled(): Promise<void> {
  for (let turns = 0; turns < 3; turns += 1) await turn();
}

/**
 * Lets real time pass where time is what the product is given: a peer that stays silent, a programme that goes on. What comes after may not
 * depend on how long it was: it decides nothing.
 */
export async function letPass(ms: number): Promise<void> {
  await sleep(ms);
}
