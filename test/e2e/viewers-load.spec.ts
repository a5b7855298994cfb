/** A sample of viewers-load.long.ts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { underLoad } from './viewers-load.ts';

test('300 viewers that do not read leave memory bounded and calls answered, while others watch on', async (t) => {
  const { serverMb, p99Ms } = await underLoad(t, { api: 'server', viewers: 300, seconds: 5 });
  assert.ok(serverMb < 60, `${serverMb} MB more`);
  assert.ok(p99Ms < 1500, `p99 ${p99Ms} ms`);
});
