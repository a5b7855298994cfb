/** A Destination that joins gets the runs since the last keyframe, whatever becomes of those that they were copied from. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RunCache } from '../../../device/runner/stream/run-cache.ts';
import type { PacketRun } from '../../../device/runner/stream/fan-out.ts';

const run = (pts: number, bytes: Buffer): PacketRun => ({ pid: 256, bytes, starts: true, key: false, pts });
const textOf = (runs: readonly PacketRun[]): string => runs.map(({ pts, bytes }) => `${pts} ${bytes}`).join();

test('a cache gives the runs of its group as they came, and those that were given out stay as they are', () => {
  const cache = new RunCache<PacketRun>();
  assert.deepEqual([cache.isEmpty, cache.runs()], [true, []]);
  const reused = Buffer.from('first');
  cache.add(run(1, reused));
  reused.fill('x');
  cache.add(run(2, Buffer.alloc(200_000, 'a')));
  cache.add(run(3, Buffer.from('last')));
  const given = cache.runs();
  assert.equal(textOf(given), `1 first,2 ${'a'.repeat(200_000)},3 last`);
  assert.equal(cache.isEmpty, false);
  cache.clear();
  assert.equal(cache.isEmpty, true);
  cache.add(run(4, Buffer.from('other')));
  assert.equal(textOf(given), `1 first,2 ${'a'.repeat(200_000)},3 last`);
  assert.equal(textOf(cache.runs()), '4 other');
});
