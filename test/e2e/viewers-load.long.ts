/** 1,500 viewers of one address that each ask eight times for a segment and read nothing. Bounds are three times the bar. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { underLoad } from './viewers-load.ts';

for (const api of ['server', 'device'] as const) {
  test(`1,500 viewers that do not read at the port of the ${api} leave its memory bounded and calls answered`, async (t) => {
    const { serverMb, refused } = await underLoad(t, { api, viewers: 1500, seconds: 45 });
    assert.ok(serverMb < 180, `${serverMb} MB more`);
    // Of one address 1,000 are let in.
    assert.ok(refused >= 400, `${refused} refused`);
  });
}
