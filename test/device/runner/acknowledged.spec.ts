/** Whether a peer takes what is sent to it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Acknowledged } from '../../../device/runner/outputs/acknowledged.ts';

test('a peer that acknowledges some bytes does not count as stalled, however late those are counted', () => {
  const acknowledged = new Acknowledged();
  // ffmpeg counts every 250 ms: the kernel may hold more than it has told so far.
  assert.equal(acknowledged.standsForMs(1000, 12_453, 90_000), 0);
  assert.equal(acknowledged.standsForMs(9000, 14_547, 90_250), 0);
  assert.equal(acknowledged.standsForMs(40_000, 20_000, 90_500), 0);
});

test('a peer that acknowledges nothing counts as stalled from its last byte on, until all is acknowledged or the connection is gone', () => {
  const acknowledged = new Acknowledged();
  acknowledged.standsForMs(100_000, 10_000, 5000);
  assert.equal(acknowledged.standsForMs(120_000, 30_000, 6000), 1000);
  assert.equal(acknowledged.standsForMs(150_000, 60_000, 9000), 4000);
  assert.equal(acknowledged.standsForMs(150_000, 0, 9250), 0);
  assert.equal(acknowledged.standsForMs(150_000, undefined, 20_000), 0);
});
