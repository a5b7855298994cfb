/** When the backup goes on air and when the first source returns, from faults on a clock of the test. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { failoverField, type Failover, type Faults } from '../../../domain/shapes/broadcasts/failover.ts';
import { FailoverRule } from '../../../device/runner/playout/failover-rule.ts';

const STEP_MS = 100;

interface Change {
  at: number;
  reason: string;
  to: 'first' | 'backup';
}

interface Course {
  options: Partial<Failover>;
  ms: number;
  first: (now: number) => Faults;
  backup?: (now: number) => Faults;
  /** A switch by hand. */
  hand?: { at: number; to: 'first' | 'backup' | 'other' };
}

/** Carries out each decision as the runner does, and answers what has gone on air when. */
function changesOf({ options, ms, first, backup = () => ({}), hand }: Course): Change[] {
  const rule = new FailoverRule(failoverField.parse(options));
  const changes: Change[] = [];
  let place: 'first' | 'backup' = 'first';
  for (let now = 0; now <= ms; now += STEP_MS) {
    if (hand?.at === now && hand.to !== 'other') {
      place = hand.to;
      rule.chosen(hand.to, (hand.to === 'first' ? first : backup)(now));
    }
    const [onAir, standby] = place === 'first' ? [first, backup] : [backup, first];
    const decision = rule.decide(now, onAir(now), standby(now));
    if (decision === undefined) continue;
    place = place === 'first' ? 'backup' : 'first';
    rule.switched(place);
    changes.push({ at: now, reason: decision.reason, to: place });
  }
  return changes;
}

const badFrom =
  (cause: keyof Faults, from: number, to = Infinity) =>
  (now: number): Faults =>
    now >= from && now < to ? { [cause]: from } : {};

describe('the decision of a failover', () => {
  for (const cause of ['loss', 'black', 'frozen', 'silent'] as const)
    it(`${cause} makes the backup go on air once it has lasted for after_seconds`, () => {
      const changes = changesOf({ options: { on: [cause], after_seconds: 2 }, ms: 9000, first: badFrom(cause, 3000) });
      assert.deepEqual(changes, [{ at: 5000, reason: cause, to: 'backup' }]);
    });

  it('a cause that is not chosen changes nothing', () => {
    assert.deepEqual(changesOf({ options: { on: ['loss'] }, ms: 9000, first: badFrom('black', 1000) }), []);
  });

  it('a cause that ends in time changes nothing', () => {
    assert.deepEqual(changesOf({ options: { after_seconds: 2 }, ms: 9000, first: badFrom('loss', 3000, 4900) }), []);
  });

  it('the first source returns when it has been good for return_after_seconds without a break', () => {
    const first = (now: number): Faults => ({
      ...badFrom('loss', 2000, 5000)(now),
      ...badFrom('loss', 8000, 8200)(now),
    });
    const changes = changesOf({ options: { after_seconds: 1, return_after_seconds: 4 }, ms: 20_000, first });
    assert.deepEqual(changes, [
      { at: 3000, reason: 'loss', to: 'backup' },
      { at: 12_200, reason: 'returned', to: 'first' },
    ]);
  });

  it('with hold it does not return, and takes over when the backup is lost', () => {
    const changes = changesOf({
      options: { after_seconds: 1, return: 'hold', return_after_seconds: 1 },
      ms: 30_000,
      first: badFrom('loss', 2000, 5000),
      backup: badFrom('loss', 20_000),
    });
    assert.deepEqual(changes, [
      { at: 3000, reason: 'loss', to: 'backup' },
      { at: 21_000, reason: 'loss', to: 'first' },
    ]);
  });

  it('when both are bad the one on air stays, and the backup takes over once it has been good for a second', () => {
    const changes = changesOf({
      options: { after_seconds: 1 },
      ms: 20_000,
      first: badFrom('loss', 2000),
      backup: badFrom('loss', 0, 9000),
    });
    assert.deepEqual(changes, [{ at: 10_000, reason: 'loss', to: 'backup' }]);
  });

  it('a backup without pictures never goes on air, even where loss is no cause', () => {
    const course = { options: { on: ['black' as const], after_seconds: 1 }, ms: 20_000, first: badFrom('black', 2000) };
    assert.deepEqual(changesOf({ ...course, backup: badFrom('loss', 0) }), []);
  });

  it('a source that comes and goes each second goes off the air once and does not return', () => {
    const first = (now: number): Faults => (now % 2000 < 1000 ? {} : { loss: now - (now % 1000) });
    const changes = changesOf({ options: { after_seconds: 0.5, return_after_seconds: 2 }, ms: 60_000, first });
    assert.deepEqual(changes, [{ at: 1500, reason: 'loss', to: 'backup' }]);
  });

  it('a backup that was chosen by hand stays until it is bad itself', () => {
    const changes = changesOf({
      options: { after_seconds: 1, return_after_seconds: 1 },
      ms: 30_000,
      first: () => ({}),
      backup: badFrom('loss', 20_000, 23_000),
      hand: { at: 2000, to: 'backup' },
    });
    assert.deepEqual(changes, [{ at: 21_000, reason: 'loss', to: 'first' }]);
  });

  it('a source that was chosen by hand with its fault stays until the fault has ended and come again', () => {
    const changes = changesOf({
      options: { on: ['loss', 'black'], after_seconds: 1, return: 'hold' },
      ms: 30_000,
      first: (now) => ({ ...badFrom('black', 2000, 12_000)(now), ...badFrom('black', 20_000)(now) }),
      hand: { at: 6000, to: 'first' },
    });
    assert.deepEqual(changes, [
      { at: 3000, reason: 'black', to: 'backup' },
      { at: 21_000, reason: 'black', to: 'backup' },
    ]);
  });

  it('a source that was chosen by hand with a fault gives way to another fault', () => {
    const changes = changesOf({
      options: { on: ['loss', 'black'], after_seconds: 1, return: 'hold' },
      ms: 30_000,
      first: (now) => ({ ...badFrom('black', 2000)(now), ...badFrom('loss', 15_000)(now) }),
      hand: { at: 6000, to: 'first' },
    });
    assert.deepEqual(changes, [
      { at: 3000, reason: 'black', to: 'backup' },
      { at: 16_000, reason: 'loss', to: 'backup' },
    ]);
  });
});
