import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { AppError } from '../../domain/base/errors.ts';
import type { Caller, Via } from '../../domain/shapes/installation/security.ts';
import { createRateLimit, type RateLimit } from '../../toolkit/rate-limit.ts';

const PER_MINUTE = 60;

function caller(tokenKid: string | null, userId = 1): Caller {
  return { userId, username: `user${userId}`, role: 1, api: true, tokenKid, sealKey: Buffer.alloc(0) };
}

describe('the rate limit', () => {
  let nowMs = 0;
  let messages: object[] = [];
  let limit: RateLimit;
  beforeEach(() => {
    nowMs = 5_000_000;
    messages = [];
    const log = { warn: (facts: object) => void messages.push(facts) };
    limit = createRateLimit(PER_MINUTE, () => nowMs, log) as RateLimit;
  });

  /** undefined when it passed, else what it was refused with. */
  function take(who: Caller, via: Via = 'rest'): AppError | undefined {
    try {
      limit.take(who, via);
      return undefined;
    } catch (error) {
      assert.ok(error instanceof AppError);
      assert.equal(error.code, 'rate_limited');
      return error;
    }
  }

  function passed(who: Caller, tries: number): number {
    return Array.from({ length: tries }, () => take(who)).filter((refused) => refused === undefined).length;
  }

  it('the rate limit lets a minute of calls through at once, and then as many as the time that passes', () => {
    const who = caller('a');
    assert.equal(passed(who, PER_MINUTE + 10), PER_MINUTE);
    nowMs += 999;
    assert.equal(passed(who, 1), 0);
    nowMs += 1;
    assert.equal(passed(who, 2), 1);
    nowMs += 10_000;
    assert.equal(passed(who, 20), 10);
    nowMs += 3_600_000;
    assert.equal(passed(who, PER_MINUTE + 10), PER_MINUTE, 'never more than a minute of calls is saved up');
  });

  it('the rate limit says in whole seconds, at least one, when the next call passes', () => {
    const who = caller('a');
    passed(who, PER_MINUTE);
    assert.equal(take(who)?.extras.retryAfterSeconds, 1);
    limit = createRateLimit(2, () => nowMs, { warn: () => undefined }) as RateLimit;
    passed(who, 2);
    nowMs += 500;
    assert.equal(take(who)?.extras.retryAfterSeconds, 30);
    nowMs += 29_500;
    assert.equal(take(who), undefined);
  });

  it('the rate limit counts a token for itself, and the sessions of a user together', () => {
    assert.equal(passed(caller('a'), 100), PER_MINUTE);
    assert.equal(passed(caller('b'), 100), PER_MINUTE);
    assert.equal(passed(caller(null, 1), 100), PER_MINUTE);
    assert.equal(passed(caller(null, 1), 1), 0);
    assert.equal(passed(caller(null, 2), 1), 1);
    assert.equal(passed(caller('1', 1), 1), 1, 'a kid is no user id');
  });

  it('the rate limit never keeps a planned call from being made', () => {
    const who = caller(null);
    passed(who, 100);
    assert.equal(take(who, 'schedule'), undefined);
  });

  it('the rate limit forgets credentials that have made no calls for a while', () => {
    for (let index = 0; index < 1000; index += 1) take(caller(`k${index}`));
    nowMs += 30_000;
    take(caller('young'));
    nowMs += 31_000;
    take(caller('new'));
    assert.equal(limit.size, 2);
    nowMs += 60_001;
    take(caller('new'));
    assert.equal(limit.size, 1);
  });

  it('the rate limit writes to the log once a minute who is refused, and not more', () => {
    const who = caller('loop');
    for (let second = 0; second < 121; second += 1) {
      passed(who, 70);
      nowMs += 1000;
    }
    assert.deepEqual(messages, Array(3).fill({ user: 'user1', kid: 'loop', callsPerMinute: PER_MINUTE }));
  });

  it('a rate limit of 0 is none', () => {
    assert.equal(
      createRateLimit(0, () => 0, { warn: () => undefined }),
      undefined,
    );
  });
});
