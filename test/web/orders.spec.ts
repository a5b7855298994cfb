import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { createOrder } from '../../web/api/order.ts';
import { ProblemError } from '../../web/api/problems.ts';
import { resourceOf } from '../../web/api/resources.ts';
import { changedBy, outcomeOf } from '../../web/api/save-outcome.ts';
import { differences } from '../../web/resource/differences.ts';

interface Attempt {
  key: string;
  resolve: (data: string) => void;
  reject: (error: unknown) => void;
}

function order(failedMs?: number) {
  mock.timers.reset();
  mock.timers.enable({ apis: ['setTimeout'] });
  const attempts: Attempt[] = [];
  let keys = 0;
  const made = createOrder<string>({
    send: ({ key }) => new Promise((resolve, reject) => attempts.push({ key, resolve, reject })),
    newKey: () => `key ${(keys += 1)}`,
    failedMs,
    timers: { setTimeout: (callback, ms) => setTimeout(callback, ms), clearTimeout: (timer) => clearTimeout(timer) },
  });
  return { made, attempts, after: (ms: number) => mock.timers.tick(ms), settled: () => new Promise(setImmediate) };
}

describe('orders of the page', () => {
  it('an order is sent at once, not confirmed after 2.5 s, failed after 10 s, and answered even after that', async () => {
    const { made, attempts, after, settled } = order();
    assert.equal(made.state.value.kind, 'sent');
    after(2499);
    assert.equal(made.state.value.kind, 'sent');
    after(1);
    assert.deepEqual([made.state.value.kind, made.isBusy.value], ['unconfirmed', true]);
    after(7500);
    assert.deepEqual([made.state.value.kind, made.isBusy.value], ['failed', false]);
    attempts[0]!.resolve('black');
    await settled();
    assert.deepEqual(made.state.value, { kind: 'answered', data: 'black' });
    assert.equal(await made.done, 'black');
  });

  it('what takes long by its nature is under way until its own bound', async () => {
    const { made, after } = order(300_000);
    after(299_999);
    assert.equal(made.state.value.kind, 'unconfirmed');
    after(1);
    assert.equal(made.state.value.kind, 'failed');
  });

  it('without an answer it is sent again under its key; the answer to either attempt counts', async () => {
    const { made, attempts, after, settled } = order();
    after(10_000);
    made.retry();
    assert.deepEqual([made.state.value.kind, attempts[1]?.key], ['sent', attempts[0]?.key]);
    attempts[0]!.resolve('first');
    await settled();
    assert.equal(made.state.value.kind, 'answered');
    after(20_000);
    assert.equal(made.state.value.kind, 'answered');
  });

  it('a server that failed keeps the key, a refusal is an answer and ends it', async () => {
    for (const { status, isSame } of [
      { status: 0, isSame: true },
      { status: 503, isSame: true },
      { status: 409, isSame: false },
    ]) {
      const { made, attempts, settled } = order();
      attempts[0]!.reject(new ProblemError(status, { detail: 'no', request_id: 'r1' }));
      await settled();
      assert.deepEqual(
        [made.state.value.kind, (made.state.value as { requestId?: string }).requestId],
        ['failed', 'r1'],
      );
      made.retry();
      assert.equal(attempts[1]?.key === attempts[0]?.key, isSame, `${status}`);
    }
  });
});

describe('saves of the page', () => {
  const present = async () => ({ theirs: { name: 'theirs' }, etag: '"3"', by: 'ana' });

  it('a version that somebody else has changed brings theirs, its ETag and who', async () => {
    const outcome = await outcomeOf(() => Promise.reject(new ProblemError(412, {})), present);
    assert.deepEqual(outcome, { kind: 'changed', theirs: { name: 'theirs' }, etag: '"3"', by: 'ana' });
  });

  it('a row that was deleted meanwhile is refused with the words of that', async () => {
    const gone = new ProblemError(404, { detail: 'There is no Channel 3.' });
    const outcome = await outcomeOf(
      () => Promise.reject(new ProblemError(412, {})),
      () => Promise.reject(gone),
    );
    assert.deepEqual(outcome, { kind: 'refused', error: gone });
  });

  it('who changed it is whoever made the last change that took effect', () => {
    const rows = [
      { operation: 'updateChannel', outcome: 'forbidden', user: 'eve' },
      { operation: 'getChannel', outcome: 'ok', user: 'bob' },
      { operation: 'updateChannel', outcome: 'ok', user: 'ana' },
    ];
    assert.equal(changedBy(rows, ['updateChannel']), 'ana');
  });

  it('both values stand for each field that differs, and secrets are not told', () => {
    const mine = { name: 'A', settings: { url: 'x', password: 'p' }, alias: null };
    const theirs = { name: 'B', settings: { url: 'x', has_password: true }, alias: null };
    assert.deepEqual(differences(mine, theirs), [
      { path: 'name', mine: 'A', theirs: 'B' },
      { path: 'settings.password', mine: '••••', theirs: undefined },
    ]);
  });

  it('a resource is named as the feed names it: the longest that the path begins with', () => {
    assert.deepEqual(
      ['/encodings', '/encodings/groups', '/encodings/{encodingId}', '/livestreams/{livestreamId}/actions'].map(
        resourceOf,
      ),
      ['encodings', 'encodings/groups', 'encodings', 'plannedActions'],
    );
  });
});
