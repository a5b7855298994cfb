/** A source that goes on with a further connection: what came on the one before is shown first, with or without its sound. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { FramePool } from '../../../device/media/frames/frame-pool.ts';
import { SourceBuffer } from '../../../device/media/frames/source-buffer.ts';
import { planLadder } from '../../../device/media/ladder/ladder-plan.ts';
import { frameBytes } from '../../../device/media/light/frame-form.ts';
import { FrameScheduler } from '../../../device/runner/playout/frame-scheduler.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { Pipe } from '../media/pipe.ts';
import { rendition } from './specs.ts';

const plan = planLadder([rendition(1, 16, 16, 100)]);
const size = frameBytes({ width: 16, height: 16 });
const TICK_MS = 1000 / 30;
/** Stereo of 16 bits. */
const SOUND = Buffer.alloc(1600 * 4);

function scene(t: TestContext) {
  const clock = new FakeClock();
  const pool = new FramePool(size);
  /** Numbers of the pictures that went on air, one a tick; 0 is the slate. */
  const shown: number[] = [];
  const scheduler = new FrameScheduler(
    plan,
    'slate',
    {
      onFrame: (frame, _audio, isSlate) => void shown.push(isSlate ? 0 : frame!.bytes[0]!),
      onLost: () => undefined,
      onRestored: () => undefined,
      onSkip: () => undefined,
    },
    clock,
  );
  t.after(() => scheduler.stop());
  return {
    scheduler,
    shown,
    connection(isReadAhead = false): SourceBuffer {
      const pipe = new Pipe(() => undefined);
      const parts = { now: () => clock.now(), tap: pipe, isReadAhead };
      return new SourceBuffer(plan, pool, 'both', () => undefined, parts);
    },
    /** Pictures with these numbers, and sound for so many of them. */
    come(buffer: SourceBuffer, numbers: readonly number[], heard: number): void {
      for (const n of numbers) buffer.pushVideo(Buffer.alloc(size, n));
      for (let n = 0; n < heard; n += 1) buffer.pushAudio(SOUND);
    },
    passes(count: number): void {
      for (let n = 0; n < count; n += 1) clock.advance(TICK_MS);
    },
  };
}

test('pictures of the connection before are shown before those of the next one, without the sound that never came', (t) => {
  const { scheduler, shown, connection, come, passes } = scene(t);
  const first = connection();
  scheduler.goOnWith(first);
  come(first, [1, 2, 3, 4, 5, 6], 3);
  scheduler.start();
  passes(3);
  const second = connection();
  scheduler.goOnWith(second);
  come(second, [11, 12, 13, 14, 15, 16], 6);
  passes(9);
  assert.deepEqual([...new Set(shown)], [1, 2, 3, 4, 5, 6, 11, 12, 13, 14, 15, 16].slice(0, new Set(shown).size));
  assert.ok(shown.includes(13), shown.join());
  assert.ok(
    shown.every((n, at) => at === 0 || n > shown[at - 1]!),
    `each once: ${shown.join()}`,
  );
});

for (const [what, isReadAhead, isLost] of [
  ['a file is read again from where it was', true, false],
  ['a source that was lost begins with the present', false, true],
] as const)
  test(`${what}: nothing of the connection before is shown`, (t) => {
    const { scheduler, shown, connection, come, passes } = scene(t);
    const first = connection(isReadAhead);
    scheduler.goOnWith(first);
    come(first, [1, 2], 2);
    scheduler.start();
    passes(2);
    if (isLost) passes(40);
    come(first, [3, 4], isLost ? 0 : 2);
    const second = connection();
    scheduler.goOnWith(second);
    for (let n = 11; n < 60; n += 1) {
      come(second, [n], 1);
      passes(1);
    }
    assert.ok(shown.includes(50), shown.join());
    assert.ok(!shown.includes(3) && !shown.includes(4), shown.join());
  });
