/** The rules of the lease hold in every order of pauses, cuts and late messages, and each of them is needed. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LEASE_MS, TakenLease } from '../../domain/time/lease.ts';
import { countOf } from '../helpers/counts.ts';
import { runModel, type Weakening, WEAKENINGS } from './lease-model.ts';

const SECONDS = 400;
const MAX_SEEDS = 300;
/** The search begins here in every run, since the first seed that shows a weakening is far for some. */
const NEAR: Record<Weakening, number> = {
  'counts from the receipt': 2,
  'has no token': 207,
  'counts a claim as accepted': 3,
  'moves after 4 s': 0,
  'forgets its own move': 93,
  'answers without the right': 167,
  'notes an acceptance late': 0,
};

describe('the lease of a run that moves', () => {
  it('lasts for some seconds from the question on, whenever the answer comes, and none is given for a question of another boot', () => {
    const lease = new TakenLease();
    assert.equal(lease.isHeld(0), false);
    lease.grant(1000, 6000);
    assert.deepEqual([lease.isHeld(1000 + LEASE_MS - 1), lease.isHeld(1000 + LEASE_MS)], [true, false]);
    lease.grant(500, 6000);
    assert.equal(lease.isHeld(1000 + LEASE_MS - 1), true, 'a late answer takes nothing away');
    lease.grant(900_000, 6000);
    assert.equal(lease.isHeld(50_000), false);
  });

  it('two Devices never deliver at once, whatever stands still, is cut off or comes late', (t) => {
    let moves = 0;
    for (let seed = 0; seed < countOf(6, 1000); seed += 1) {
      const outcome = runModel(seed, SECONDS);
      assert.equal(outcome.twoAtOnceMs, 0, `seed ${seed}`);
      moves += outcome.moves;
    }
    assert.ok(moves > 0);
    t.diagnostic(`${moves} moves`);
  });

  for (const weakening of WEAKENINGS)
    it(`without one of its rules two would deliver at once: a server or a Device that ${weakening}`, (t) => {
      let seed = countOf(NEAR[weakening], 0);
      while (seed < MAX_SEEDS && runModel(seed, SECONDS, weakening).twoAtOnceMs === 0) seed += 1;
      t.diagnostic(`seed ${seed}`);
      assert.ok(seed < MAX_SEEDS, 'the model sees it');
    });
});
