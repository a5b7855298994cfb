/** The time from an encoder that pushes to a server that is published to. Each bound is three times the one that `npm run bench -- latency` holds. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { relayDelays, startRelay } from './relayed.ts';
import { folder } from './runner-fixture.ts';

for (const [what, copies, maxMs] of [
  ['copied', true, 3 * 90],
  ['encoded', false, 3 * 250],
] as const)
  test(`pictures that come by RTMP and go by RTMP, ${what}, are ${maxMs} ms late at most`, async (t) => {
    const relay = await startRelay(t, folder(t), { copies, width: 640, height: 360 });
    const sorted = (await relayDelays(relay, 2, 3)).toSorted((a, b) => a - b);
    t.diagnostic(`${sorted.map(Math.round).join(', ')} ms`);
    assert.ok(sorted[1]! <= maxMs, `${sorted[1]} ms`);
    await relay.runner.stop();
    assert.equal(await relay.runner.exited, 0);
  });
