/** Work that may wait takes turns, with rests between. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SpareTurns } from '../../../device/runner/process/spare-turns.ts';

test('tasks run one after the other, one that fails too, and the next one waits as long as the last one took', async () => {
  let now = 0;
  const rests: { ms: number; end: () => void }[] = [];
  const turns = new SpareTurns({
    now: () => now,
    wait: (ms) => new Promise((end) => rests.push({ ms, end })),
  });
  const begun: string[] = [];
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const task = (name: string, end: () => Promise<void>): Promise<string> =>
    turns.take(async () => {
      begun.push(name);
      await end();
      return name;
    });
  let finish: () => void = () => undefined;
  const first = task('first', () => new Promise((resolve) => (finish = resolve)));
  const second = task('second', () => Promise.reject(new Error('no picture')));
  const third = task('third', () => Promise.resolve());
  second.catch(() => undefined);
  await settle();
  assert.deepEqual([begun, turns.areFree], [['first'], false]);
  now = 300;
  finish();
  assert.equal(await first, 'first');
  await settle();
  assert.deepEqual([begun, rests.map((rest) => rest.ms)], [['first'], [300]]);
  rests[0]?.end();
  await assert.rejects(second, /no picture/u);
  await settle();
  assert.deepEqual(
    [begun, rests.map((rest) => rest.ms)],
    [
      ['first', 'second'],
      [300, 0],
    ],
  );
  rests[1]?.end();
  assert.equal(await third, 'third');
  await settle();
  assert.equal(turns.areFree, false);
  rests[2]?.end();
  await settle();
  assert.equal(turns.areFree, true);
});
