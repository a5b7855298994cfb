import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FrameClock } from '../../../device/media/frames/frame-clock.ts';
import { frameRate, fpsOf, rateArgument } from '../../../device/media/ladder/frame-rate.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { LateClock } from '../../helpers/late-clock.ts';

test('rates are fractions, so that nothing drifts', () => {
  assert.deepEqual(
    [29.97, 23.976, 59.94, 30, 25, 12.5].map((fps) => rateArgument(frameRate(fps))),
    ['30000/1001', '24000/1001', '60000/1001', '30', '25', '12500/1000'],
  );
  assert.equal(fpsOf(frameRate(25)), 25);
});

test('the frame clock ticks as many times as the time has frames, over an hour', () => {
  const clock = new FakeClock();
  let ticks = 0;
  const frames = new FrameClock(clock, frameRate(29.97), { onTick: () => (ticks += 1) });
  frames.start();
  assert.equal(ticks, 1, 'the first at once');
  clock.advance(3_600_000);
  assert.ok(Math.abs(ticks - (3600 * 30_000) / 1001) <= 1, String(ticks));
  frames.stop();
  clock.advance(1000);
  assert.ok(Math.abs(ticks - (3600 * 30_000) / 1001) <= 1);
});

test('a late tick is made up for; a long standstill is not, and is reported', () => {
  const clock = new LateClock();
  let ticks = 0;
  let skipped = 0;
  new FrameClock(clock, frameRate(25), {
    onTick: () => (ticks += 1),
    onSkip: (missed) => (skipped += missed),
  }).start();
  clock.wakeAt(200);
  assert.equal(ticks, 6, 'five more are due after 200 ms');
  clock.wakeAt(60_200);
  assert.equal(skipped, 1499);
  assert.equal(ticks, 7);
  clock.wakeAt(60_240);
  assert.equal(ticks, 8, 'and then it beats as before');
});

test('a tick waits for a late frame within bounds, and later ticks do not wait again for a frame that never comes', () => {
  const clock = new FakeClock();
  const began = clock.now();
  const ticks: number[] = [];
  let awaited = false;
  const frames = new FrameClock(clock, frameRate(25), {
    onTick: () => ticks.push(clock.now() - began),
    onSkip: () => assert.fail('no beat is skipped'),
    isAwaited: () => awaited,
  });
  frames.start();
  awaited = true;
  clock.advance(120);
  assert.deepEqual(ticks, [0], 'the second is due since 40 ms, and put off');
  awaited = false;
  clock.advance(40);
  assert.deepEqual([ticks.length, ticks[1]! <= 125], [5, true], 'what was put off is made up for at once');
  awaited = true;
  clock.advance(840);
  assert.equal(ticks.length, 1000 / 40 + 1);
  const [first, ...others] = ticks.slice(5);
  assert.ok(first! >= 350 && first! <= 355, `given up ${first! - 200} ms after it was due`);
  const schedule = others.map((_, at) => 240 + 40 * at);
  assert.ok(
    others.slice(4).every((at, n) => at - schedule[n + 4]! < 5),
    'the rest on time',
  );
  frames.stop();
});

test('a late tick waits for frames that a busy thread has not read yet', () => {
  const clock = new LateClock();
  let ticks = 0;
  let awaited = false;
  new FrameClock(clock, frameRate(25), { onTick: () => (ticks += 1), isAwaited: () => awaited }).start();
  awaited = true;
  clock.wakeAt(300);
  assert.equal(ticks, 1, 'nothing before the pipe was looked into');
  awaited = false;
  clock.wakeAt(304);
  assert.equal(ticks, 8, 'what came meanwhile, all at once');
});
