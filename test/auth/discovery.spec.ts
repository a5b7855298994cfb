/** Discovery: an issuer answers once for all who ask, and a failure is not kept. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { DISCOVERED_MS, rememberedFor } from '../../auth/discovery.ts';

it('what was found serves all who ask until its time is over, and a failure serves those alone who waited for it', async () => {
  let calls = 0;
  const find = rememberedFor(DISCOVERED_MS, async () => {
    calls += 1;
    if (calls === 1) throw new Error('not yet');
    return calls;
  });
  const outcomes = await Promise.allSettled([find(), find()]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.equal(calls, 1);
  assert.deepEqual(await Promise.all([find(), find()]), [2, 2]);
  assert.equal(await find(), 2);
});

it('what is older than its time is found anew', async () => {
  let calls = 0;
  const find = rememberedFor(-1, async () => (calls += 1));
  assert.deepEqual([await find(), await find()], [1, 2]);
});
