/** The backlog that a source sends when it is joined: dropped but for the newest at a first start, on air at double pace after a restart. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { letPass } from '../../helpers/pass.ts';
import { FramePool } from '../../../device/media/frames/frame-pool.ts';
import { planLadder } from '../../../device/media/ladder/ladder-plan.ts';
import { frameBytes } from '../../../device/media/light/frame-form.ts';
import { SourceBuffer } from '../../../device/media/frames/source-buffer.ts';
import { FrameScheduler } from '../../../device/runner/playout/frame-scheduler.ts';
import { Pipe } from '../media/pipe.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { rendition } from './specs.ts';
import { LateClock } from '../../helpers/late-clock.ts';

const plan = planLadder([rendition(1, 16, 16, 100)]);
const size = frameBytes({ width: 16, height: 16 });
const TICK_MS = 1000 / 30;
/** Stereo. */
const SAMPLE_BYTES = 4;
const SOUND = Buffer.alloc(1600 * SAMPLE_BYTES);

/** Numbers of the pictures that go on air when `burst` of them come at once, `waitedMs` after the join, and then one a beat. */
function shown(burst: number, waitedMs: number, resumed: boolean): { numbers: number[]; dropped: number } {
  const clock = new FakeClock();
  const numbers: number[] = [];
  const scheduler = new FrameScheduler(
    plan,
    'slate',
    {
      onFrame: (frame) => void numbers.push(frame!.bytes[0]!),
      onLost: () => undefined,
      onRestored: () => undefined,
      onSkip: () => undefined,
    },
    clock,
  );
  if (resumed) scheduler.beginDoubleRate();
  const pipe: Pipe = new Pipe((frame) => buffer.pushVideo(frame));
  const buffer = new SourceBuffer(plan, new FramePool(size), 'both', () => buffer.ready && scheduler.start(), {
    tap: pipe,
    now: () => clock.now(),
  });
  scheduler.source = buffer;
  clock.advance(waitedMs);
  let n = 0;
  const come = (): void => {
    buffer.pushAudio(SOUND);
    pipe.write(Buffer.alloc(size, ++n));
  };
  for (let i = 0; i < burst; i += 1) come();
  for (let i = 0; i < 120; i += 1) {
    clock.advance(TICK_MS);
    come();
  }
  scheduler.stop();
  return { numbers, dropped: buffer.dropped };
}

test('all of the backlog is shown after a restart, each picture once and in order', () => {
  const { numbers, dropped } = shown(40, 1500, true);
  assert.equal(dropped, 0);
  assert.deepEqual(
    numbers,
    numbers.map((_, i) => i + 1),
  );
  assert.ok(numbers.length >= 120 + 40 - 11, `${numbers.length} are shown: what is left fits into the buffer`);
});

test('the scheduler shows no more of a backlog than the time that has gone by', () => {
  const { numbers, dropped } = shown(40, 500, true);
  // 15 beats of time; the others are dropped once that is used up, as at a first start.
  assert.ok(numbers.length <= 121 + 15 + 1, `${numbers.length} in 120 beats`);
  assert.ok(dropped > 0, 'the rest is dropped');
});

test('viewers get the newest of the backlog at a first start', () => {
  const { numbers, dropped } = shown(40, 1500, false);
  assert.ok(dropped >= 29, `${dropped} of 40 are dropped`);
  // Up to 0.15 s of what is left comes sooner in the first seconds.
  assert.ok(numbers.length <= 121 + 5, `${numbers.length} in 120 beats`);
});

const SILENT_HOOKS = { onFrame: () => undefined, onLost: () => undefined, onRestored: () => undefined };

for (const shape of ['both', 'video'] as const)
  test(`a source of ${shape} that pauses on its connection is back a moment after its frames are`, () => {
    const clock = new FakeClock();
    const log: string[] = [];
    const tell = { onLost: () => void log.push('lost'), onRestored: () => void log.push('restored') };
    const hooks = { ...SILENT_HOOKS, ...tell, onSkip: () => undefined };
    const scheduler = new FrameScheduler(plan, 'slate', hooks, clock);
    const buffer = new SourceBuffer(plan, new FramePool(size), shape, () => undefined, { now: () => clock.now() });
    const come = (frames: number, tracks = 1): void => {
      for (let n = 0; n < frames; n += 1) {
        for (let i = 0; i < tracks; i += 1) buffer.pushAudio(SOUND);
        buffer.pushVideo(Buffer.alloc(size, n));
        clock.advance(TICK_MS);
      }
    };
    scheduler.source = buffer;
    come(1);
    scheduler.start();
    for (const tracks of [1, 1, 0]) {
      come(60);
      clock.advance(2000);
      assert.equal(log.at(-1), 'lost');
      come(30, tracks);
      assert.equal(log.at(-1), 'restored', `with ${tracks} of sound`);
    }
    scheduler.stop();
  });

test('a source whose frames wait for late sound is lost 0.6 s after its last frame came', async () => {
  const clock = new FakeClock();
  let lostAt: number | undefined;
  const hooks = { ...SILENT_HOOKS, onLost: () => (lostAt ??= clock.now()), onSkip: () => undefined };
  const scheduler = new FrameScheduler(plan, 'slate', hooks, clock);
  const buffer = new SourceBuffer(plan, new FramePool(size), 'both', () => undefined);
  for (let piece = 0; piece < 2; piece += 1) {
    for (let n = 0; n < 10; n += 1) buffer.pushVideo(Buffer.alloc(size, n));
    buffer.pushAudio(Buffer.alloc(10 * SOUND.length));
    // Pieces that come at once are a burst.
    await letPass(20);
  }
  scheduler.source = buffer;
  scheduler.start();
  clock.advance(1);
  const endedAt = clock.now();
  clock.advance(2000);
  scheduler.stop();
  assert.ok(lostAt !== undefined && lostAt - endedAt < 600 + 3 * TICK_MS, `${lostAt! - endedAt} ms`);
});

test('the stream is in time again after a standstill, and one of over ten seconds is reported instead', () => {
  const clock = new LateClock();
  let frames = 0;
  const skips: number[] = [];
  const hooks = { ...SILENT_HOOKS, onFrame: () => void (frames += 1), onSkip: (ticks: number) => skips.push(ticks) };
  const scheduler = new FrameScheduler(plan, 'slate', hooks, clock);
  const run = (from: number, to: number): void => {
    for (let now = from; now <= to; now += 5) clock.wakeAt(now);
  };
  scheduler.start();
  run(5, 1000);
  run(1600, 3000);
  assert.ok(Math.abs(frames - 90) <= 2, `${frames} frames of 90`);
  run(23_000, 25_000);
  assert.ok(Math.abs(frames - 150) <= 2, `${frames} frames of 150`);
  assert.deepEqual(
    skips.map((ticks) => Math.round(ticks / 30)),
    [20],
  );
  scheduler.stop();
});
