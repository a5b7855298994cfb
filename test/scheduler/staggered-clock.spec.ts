/** Servers that share a store look at what is due one after the other. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { rankOf } from '../../domain/shapes/installation/member.ts';
import { DueQueue } from '../../scheduler/due-queue.ts';
import { staggeredClock } from '../../scheduler/staggered-clock.ts';
import { FakeClock } from '../helpers/fake-clock.ts';

it('each server sees an instant a second after the one before it, and the next one sees it when the first is gone', () => {
  const clock = new FakeClock();
  const dueMs = clock.now() + 10_000;
  const ranks = [0, 1, 2];
  const seen: [number, number][] = [];
  for (const [server] of ranks.entries())
    new DueQueue(
      staggeredClock(clock, () => ranks[server]!),
      () => seen.push([server, clock.now() - dueMs]),
    ).set(1, dueMs);
  for (let step = 0; step < 30; step += 1) clock.advance(500);
  assert.deepEqual(seen, [
    [0, 0],
    [1, 1000],
    [2, 2000],
  ]);
});

it('the rank counts those that were heard of lately, and one that nobody has heard of comes last', () => {
  const members = [
    { id: 'a', silentMs: 20_000 },
    { id: 'b', silentMs: 100 },
    { id: 'c', silentMs: 3_000 },
  ];
  assert.deepEqual(
    ['a', 'b', 'c', 'd'].map((id) => rankOf(id, members)),
    [2, 0, 1, 2],
  );
  assert.equal(rankOf('a', []), 0);
});
