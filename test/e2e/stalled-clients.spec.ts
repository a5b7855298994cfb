/** A sample of stalled-clients.long.ts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { underAttack } from './stalled-clients.ts';

test('200 clients that do not read what everybody may ask for leave memory bounded and calls answered', async (t) => {
  const attack = 'ask sixteen times for the description of the API';
  const { serverMb, p99Ms } = await underAttack(t, attack, { clients: 200, seconds: 4 });
  assert.ok(serverMb < 90, `${serverMb} MB more`);
  assert.ok(p99Ms < 3000, `p99 ${p99Ms} ms`);
});
