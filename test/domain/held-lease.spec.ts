/** A duty is had by one server at a time, and is given up no later than another may take it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LONE_MEMBER } from '../../domain/shapes/devices/device-owner.ts';
import { HeldLease } from '../../domain/ports/held-lease.ts';
import { AppError } from '../../domain/base/errors.ts';
import type { Lease } from '../../domain/ports/store.ts';
import { FakeClock } from '../helpers/fake-clock.ts';

const TERMS = { name: 'housekeeping', ttlMs: 60_000, isKeptWithoutStore: false };

/** A store whose answer to a claim each test sets; it notes who claims, and for how long. */
class Claims {
  answer: 'mine' | 'taken' | 'away' = 'mine';
  readonly claims: number[] = [];

  async claim(name: string, holder: string, ttlMs: number): Promise<Lease | undefined> {
    await Promise.resolve();
    this.claims.push(ttlMs);
    if (this.answer === 'away') throw new AppError('unavailable', 'The database does not answer.');
    return this.answer === 'mine' ? { name, holder, token: 1, expires_at: '' } : undefined;
  }
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
}

describe('a held lease', () => {
  it('a server that has its store alone has it at once, and asks for nothing', () => {
    const store = new Claims();
    const changes: boolean[] = [];
    const parts = { store, clock: new FakeClock(), memberId: LONE_MEMBER };
    const lease = new HeldLease(parts, TERMS, (isHeld) => changes.push(isHeld));
    lease.end();
    assert.deepEqual([changes, store.claims], [[true, false], []]);
  });

  it('it is renewed in time, lost when another has it, and taken again', async () => {
    const [store, clock] = [new Claims(), new FakeClock()];
    const changes: boolean[] = [];
    const lease = new HeldLease({ store, clock, memberId: 'a' }, TERMS, (isHeld) => changes.push(isHeld));
    await settled();
    for (const answer of ['mine', 'taken', 'taken', 'mine'] as const) {
      store.answer = answer;
      clock.advance(20_000);
      await settled();
    }
    assert.deepEqual(changes, [true, false, true]);
    assert.equal(store.claims.length, 5);
    lease.end();
    await settled();
    assert.equal(store.claims.at(-1), 1, 'nobody has to wait for its end');
  });

  it('while the store is away it ends with its time, unless its terms keep it', async () => {
    for (const isKeptWithoutStore of [false, true]) {
      const [store, clock] = [new Claims(), new FakeClock()];
      const changes: boolean[] = [];
      const terms = { ...TERMS, isKeptWithoutStore };
      const lease = new HeldLease({ store, clock, memberId: 'a' }, terms, (isHeld) => changes.push(isHeld));
      await settled();
      store.answer = 'away';
      for (let seconds = 0; seconds < 70; seconds += 10) {
        clock.advance(10_000);
        await settled();
      }
      assert.deepEqual(changes, isKeptWithoutStore ? [true] : [true, false]);
      lease.end();
    }
  });
});
