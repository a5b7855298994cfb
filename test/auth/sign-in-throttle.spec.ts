import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { createSignInThrottle, type SignInThrottle } from '../../auth/sign-in-throttle.ts';
import { AppError } from '../../domain/base/errors.ts';
import { FakeClock } from '../helpers/fake-clock.ts';

const MAX_S = 30;

describe('the throttle of failed sign-ins', () => {
  let clock: FakeClock;
  let throttle: SignInThrottle;
  beforeEach(() => {
    clock = new FakeClock();
    throttle = createSignInThrottle(clock);
  });

  /** Seconds to wait, 0 when the attempt was let through (and then counts as failed). */
  function wait(username: string, address: string, isKnown = false): number {
    try {
      throttle.begin(username, address, isKnown);
      return 0;
    } catch (error) {
      assert.ok(error instanceof AppError && error.code === 'rate_limited', String(error));
      return error.extras.retryAfterSeconds ?? NaN;
    }
  }
  const fail = (times: number, username: string, address: string): void => {
    for (let time = 0; time < times; time += 1) {
      clock.advance(MAX_S * 1000);
      assert.equal(wait(username, address), 0);
    }
  };

  it('the sign-in throttle lets five mistakes pass, then makes the wait longer and longer, up to a bound', () => {
    for (let time = 0; time < 5; time += 1) assert.equal(wait('vera', 'a'), 0);
    const waits = [];
    for (let time = 0; time < 8; time += 1) {
      const seconds = wait('vera', 'a');
      waits.push(seconds);
      clock.advance(seconds * 1000 - 1);
      assert.notEqual(wait('vera', 'a'), 0, 'a millisecond too early');
      clock.advance(1);
      assert.equal(wait('vera', 'a'), 0, 'in time');
    }
    assert.deepEqual(waits, [1, 2, 4, 8, 16, 30, 30, 30]);
  });

  it('the sign-in throttle counts an address over all the names that it tries', () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) assert.equal(wait(name, 'one'), 0);
    assert.equal(wait('f', 'one'), 1);
    assert.equal(wait('f', 'two'), 0);
  });

  it('the sign-in throttle counts a name at an address once, however often it fails', () => {
    fail(20, 'vera', 'one');
    assert.equal(wait('otto', 'one'), 0);
  });

  it('the sign-in throttle lets a name that has signed in from an address pass, whatever strangers do there', () => {
    for (let second = 0; second < 60; second += 1) {
      for (let shot = 0; shot < 5; shot += 1) wait(`nobody${second}-${shot}`, 'office');
      clock.advance(1000);
    }
    assert.equal(wait('admin', 'office', true), 0);
    assert.equal(wait('admin', 'office', true), 0, 'own mistakes are few yet');
  });

  it('the sign-in throttle makes a new name wait once and briefly, and strangers do not renew that wait', () => {
    const storm = (): void => {
      for (let shot = 0; shot < 200; shot += 1) wait(`nobody${clock.now()}-${shot}`, 'office');
    };
    storm();
    const seconds = wait('admin', 'office');
    assert.ok(seconds > 0 && seconds <= 5, String(seconds));
    for (let second = 0; second < seconds; second += 1) {
      storm();
      assert.ok(wait('admin', 'office') <= seconds - second, 'trying early costs nothing');
      clock.advance(1000);
    }
    storm();
    assert.equal(wait('admin', 'office'), 0);
  });

  it('the sign-in throttle makes a name that has failed at such an address wait longest, from its own failure on', () => {
    for (let index = 0; index < 20; index += 1) {
      wait(`nobody${index}`, 'office');
      clock.advance(5000);
      wait(`nobody${index}`, 'office');
    }
    assert.equal(wait('nobody19', 'office'), MAX_S);
    assert.equal(wait('nobody19', 'office', true), 0, 'known: only the failures of the name count');
  });

  it('the sign-in throttle counts a name over all addresses, in upper and lower case', () => {
    for (const address of ['a', 'b', 'c', 'd']) assert.equal(wait('vera', address), 0);
    assert.equal(wait('VERA', 'e'), 0);
    assert.equal(wait('Vera', 'e'), 1);
  });

  it('the owner of a hammered name never waits before a first mistake, nor longer than the bound after it', () => {
    fail(200, 'vera', 'attacker');
    assert.equal(wait('vera', 'home'), 0);
    clock.advance(1000);
    assert.equal(wait('vera', 'home'), MAX_S - 1);
    // The attacker goes on, and takes every turn that he gets.
    clock.advance(MAX_S * 1000 - 1000);
    assert.equal(wait('vera', 'attacker'), 0);
    assert.equal(wait('vera', 'home'), 0);
  });

  it('the sign-in throttle takes back what was no failure, with the time of the failure before it', () => {
    for (let time = 0; time < 4; time += 1) wait('vera', 'a');
    clock.advance(10_000);
    for (let time = 0; time < 20; time += 1) throttle.begin('vera', 'a', false).forgive();
    assert.equal(wait('vera', 'a'), 0, 'the fifth failure');
    assert.equal(wait('vera', 'a'), 1);
  });

  it('the sign-in throttle counts attempts before their outcome is known: many at once gain nothing', () => {
    const attempts = Array.from({ length: 100 }, () => wait('vera', 'a'));
    assert.equal(attempts.filter((seconds) => seconds === 0).length, 5);
  });

  it('the sign-in throttle forgets after a quarter of an hour without a failure', () => {
    fail(20, 'vera', 'a');
    clock.advance(15 * 60_000);
    for (let time = 0; time < 5; time += 1) assert.equal(wait('vera', 'a'), 0);
  });

  it('the sign-in throttle remembers a bounded number of addresses, the latest', () => {
    for (let index = 0; index < 10; index += 1) wait(`early${index}`, 'old');
    assert.notEqual(wait('other', 'old'), 0);
    for (let index = 0; index < 10_000; index += 1) wait(`name${index}`, `address${index}`);
    assert.equal(wait('other', 'old'), 0);
  });
});
