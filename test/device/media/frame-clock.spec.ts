import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FrameClock } from '../../../device/media/frame-clock.ts';
import { frameRate, fpsOf, rateArgument } from '../../../device/media/frame-rate.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';

/** A clock whose timers fire only when told, as on a machine that was busy or asleep. */
class LateClock {
  time = 0;
  task: (() => void) | undefined;
  now = (): number => this.time;
  after = (_delay: number, task: () => void): (() => void) => {
    this.task = task;
    return () => (this.task = undefined);
  };
  wakeAt(time: number): void {
    this.time = time;
    this.task?.();
  }
}

test('rates are fractions, so that nothing drifts', () => {
  assert.deepEqual(
    [29.97, 23.976, 59.94, 30, 25, 12.5].map((fps) => rateArgument(frameRate(fps))),
    ['30000/1001', '24000/1001', '60000/1001', '30', '25', '12500/1000'],
  );
  assert.equal(fpsOf(frameRate(25)), 25);
});

test('as many beats as the time has frames, over an hour', () => {
  const clock = new FakeClock();
  let beats = 0;
  const frames = new FrameClock(clock, frameRate(29.97), () => (beats += 1));
  frames.start();
  assert.equal(beats, 1, 'the first at once');
  clock.advance(3_600_000);
  assert.ok(Math.abs(beats - (3600 * 30_000) / 1001) <= 1, String(beats));
  frames.stop();
  clock.advance(1000);
  assert.ok(Math.abs(beats - (3600 * 30_000) / 1001) <= 1);
});

test('a late beat is made up for; a long standstill is not, and is told', () => {
  const clock = new LateClock();
  let beats = 0;
  let skipped = 0;
  new FrameClock(
    clock,
    frameRate(25),
    () => (beats += 1),
    (missed) => (skipped += missed),
  ).start();
  clock.wakeAt(200);
  assert.equal(beats, 6, 'five more are due after 200 ms');
  clock.wakeAt(60_200);
  assert.equal(skipped, 1499);
  assert.equal(beats, 7);
  clock.wakeAt(60_240);
  assert.equal(beats, 8, 'and then it beats as before');
});
