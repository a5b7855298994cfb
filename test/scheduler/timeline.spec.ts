import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DueQueue } from '../../scheduler/due-queue.ts';
import { FakeClock } from '../helpers/fake-clock.ts';

function open(): { clock: FakeClock; line: DueQueue; due: string[] } {
  const clock = new FakeClock('2026-01-01T00:00:00.000Z');
  const due: string[] = [];
  const begin = clock.now();
  const line = new DueQueue(clock, (key, atMs) => due.push(`${key}@${atMs - begin} at ${clock.now() - begin}`));
  return { clock, line, due };
}

test('the due queue gives each key at its instant, in the order of time', () => {
  const { clock, line, due } = open();
  for (const [key, atMs] of [
    [1, 7000],
    [2, 100],
    [3, 20_000],
    [4, 7000],
  ] as const)
    line.set(key, clock.now() + atMs);
  clock.advance(30_000);
  assert.deepEqual(due, ['2@100 at 100', '1@7000 at 7000', '4@7000 at 7000', '3@20000 at 20000']);
  assert.equal(line.size, 0);
});

test('an instant set anew in the due queue replaces the one before, and a deleted one never comes', () => {
  const { clock, line, due } = open();
  line.set(1, clock.now() + 1000);
  line.set(1, clock.now() + 3000);
  line.set(2, clock.now() + 2000);
  line.delete(2);
  clock.advance(10_000);
  assert.deepEqual(due, ['1@3000 at 3000']);
});

test('an instant that lies in the past comes at once, and a due queue that is closed gives nothing more', () => {
  const { clock, line, due } = open();
  line.set(1, clock.now() - 5000);
  clock.advance(0);
  line.set(2, clock.now() + 1000);
  line.close();
  clock.advance(5000);
  assert.deepEqual(due, ['1@-5000 at 0']);
});

test('a clock that is set forward is noticed within five seconds, one that is set back makes nothing due twice', () => {
  const clock = new FakeClock('2026-01-01T00:00:00.000Z');
  let stepMs = 0;
  const stepped = { now: () => clock.now() + stepMs, after: clock.after.bind(clock) };
  const due: number[] = [];
  const line = new DueQueue(stepped, (key) => due.push(key));
  line.set(1, stepped.now() + 3_600_000);
  line.set(2, stepped.now() + 7_200_000);
  clock.advance(10_000);
  stepMs = 3_600_000;
  clock.advance(5000);
  assert.deepEqual(due, [1]);
  stepMs = 0;
  clock.advance(3_600_000);
  assert.deepEqual(due, [1]);
  clock.advance(3_600_000);
  assert.deepEqual(due, [1, 2]);
});

test('ten thousand keys of the due queue, set anew again and again, come in order and each once', () => {
  const { clock, line } = open();
  const begin = clock.now();
  const due: number[] = [];
  const counted = new DueQueue(clock, (key, atMs) => {
    assert.equal(atMs, clock.now());
    due.push(key);
  });
  let state = 1;
  const random = (): number => (state = (state * 48_271) % 2_147_483_647);
  const wanted = new Map<number, number>();
  for (let step = 0; step < 40_000; step += 1) {
    const [key, atMs] = [random() % 10_000, begin + (random() % 60_000)];
    counted.set(key, atMs);
    wanted.set(key, atMs);
  }
  assert.equal(counted.size, wanted.size);
  clock.advance(60_000);
  const instants = due.map((key) => wanted.get(key)!);
  assert.deepEqual(
    instants,
    [...instants].sort((a, b) => a - b),
  );
  assert.deepEqual(new Set(due).size, wanted.size);
  assert.equal(due.length, wanted.size);
  line.close();
});
