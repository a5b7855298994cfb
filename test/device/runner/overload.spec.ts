/** How much of what it is offered an encoder takes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Throughput } from '../../../device/runner/encoder/throughput.ts';

test('the throughput of an encoder is measured over the last ten seconds, not over the whole run', () => {
  const pace = new Throughput();
  let now = 0;
  const second = (taken: number): void => {
    for (let i = 0; i < 10; i += 1) pace.offered(i < taken, (now += 100));
  };
  for (let i = 0; i < 9; i += 1) second(10);
  assert.equal(pace.takenShare(now), undefined, 'not before a whole window');
  for (let i = 0; i < 3600; i += 1) second(10);
  assert.equal(pace.takenShare(now), 1);
  for (let i = 0; i < 10; i += 1) second(5);
  assert.ok(Math.abs(pace.takenShare(now)! - 0.5) < 0.05);
  for (let i = 0; i < 11; i += 1) second(10);
  assert.equal(pace.takenShare(now), 1);
  let seen = 0;
  for (let i = 0; i < 3600; i += 1) seen = pace.progressed({ outSeconds: i, speed: 1 }, i * 1000);
  assert.ok(Math.abs(seen - 1) < 0.01);
  for (let i = 0; i < 12; i += 1) seen = pace.progressed({ outSeconds: 3600 + i / 4, speed: 0.99 }, (3600 + i) * 1000);
  assert.ok(Math.abs(seen - 0.25) < 0.05, String(seen));
});
