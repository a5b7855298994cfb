/** Work that may wait takes turns, with rests between. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SpareTurns } from '../../../device/runner/process/spare-turns.ts';

test('tasks run one after the other, one that fails too, and the next one waits as long as the last one took', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const turns = new SpareTurns();
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
  t.mock.timers.tick(299);
  await settle();
  assert.deepEqual(begun, ['first']);
  t.mock.timers.tick(1);
  await assert.rejects(second, /no picture/u);
  const pass = async (): Promise<void> => {
    await settle();
    t.mock.timers.tick(1);
    await settle();
  };
  await pass();
  assert.equal(await third, 'third');
  await pass();
  assert.equal(turns.areFree, true);
});
