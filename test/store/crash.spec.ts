/** Whatever was acknowledged before SIGKILL is there afterwards, whole, and no id comes back. */
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { randomOf } from '../fuzz/mutation.ts';
import { countOf } from '../helpers/counts.ts';
import { letPass } from '../helpers/pass.ts';
import type { WriterSaid } from './fixtures/writer.ts';
import { Ledger } from './ledger.ts';
import { Program } from './program.ts';
import { temporaryFolder } from './support.ts';

const CHAINS = countOf(1, 2);
const ROUNDS = countOf(3, 25);

async function kill(t: TestContext, seed: number): Promise<Ledger> {
  const random = randomOf(seed);
  const dir = await temporaryFolder(t);
  const ledger = new Ledger();
  for (let round = 0; round <= ROUNDS; round += 1) {
    const writer = new Program<WriterSaid>(t, 'writer', [dir, String(round)]);
    // Every third is killed while it may still be reading what the one before left.
    if (round % 3 === 2) await letPass(random(150));
    else for (let left = 1 + random(150); left > 0; left -= 1) ledger.hear(await writer.expect());
    writer.signal('SIGKILL');
    for (const message of await writer.rest()) ledger.hear(message);
    await writer.ended();
    assert.equal(writer.errors, '');
  }
  return ledger;
}

it(`the store loses nothing in ${CHAINS * ROUNDS} kills`, async (t) => {
  // Two folders at a time: most of a round is waiting for processes to start and end.
  const ledgers = await Promise.all(Array.from({ length: CHAINS }, (_, chain) => kill(t, chain + 1)));
  for (const { acknowledged, starts } of ledgers) {
    t.diagnostic(`${acknowledged} acknowledged writes, ${starts} starts checked`);
    assert.ok(starts >= Math.floor(ROUNDS * 0.6));
  }
});
