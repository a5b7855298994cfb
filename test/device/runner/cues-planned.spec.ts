/** The places of cues of breaks that are meant for an instant ahead. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planLadder } from '../../../device/media/ladder/ladder-plan.ts';
import { SplicePoints } from '../../../device/runner/stream/splice-points.ts';
import { rendition } from './specs.ts';

const TICKS = 90_000;
const FPS = 30;

/** So many frames have left, with a keyframe each so many seconds. */
function withKeyframesEach(seconds: number, frames: number): { points: SplicePoints; newest: number } {
  const h264 = { ...rendition(11, 320, 180, 300).video!.h264, keyframe_interval: seconds };
  const points = new SplicePoints(planLadder([rendition(11, 320, 180, 300, { h264 })]));
  for (let n = 0; n < frames; n += 1) points.note(n * (TICKS / FPS), n % (seconds * FPS) === 0);
  return { points, newest: (frames - 1) * (TICKS / FPS) };
}

test('a planned cue is at the keyframe nearest to its instant, or at the instant if that is over a second off', () => {
  const worst: Record<number, number> = {};
  for (const seconds of [1, 2, 4, 10])
    for (let frames = 301; frames < 301 + seconds * FPS; frames += 1) {
      const { points, newest } = withKeyframesEach(seconds, frames);
      const wanted = newest + 2.5 * TICKS;
      const ticks = points.spliceTicks(undefined, wanted)!;
      const off = Math.abs(ticks - wanted) / TICKS;
      worst[seconds] = Math.max(worst[seconds] ?? 0, off);
      const toKey = Math.abs(ticks / TICKS / seconds - Math.round(ticks / TICKS / seconds)) * seconds;
      assert.ok(toKey < 1e-4 || off < 1e-4, `${toKey} s from a keyframe, ${off} s from the instant`);
      assert.ok(ticks - newest >= 0.5 * TICKS, 'a splicer has time to get ready');
    }
  assert.deepEqual(worst, { 1: 0.5, 2: 1, 4: 1, 10: 1 });
});

test('a planned cue that arrives late is inserted as soon as one without an instant', () => {
  const { points, newest } = withKeyframesEach(1, 320);
  assert.equal(points.spliceTicks(undefined, newest - TICKS), points.spliceTicks());
  // Not before what it has to follow.
  const after = newest + 3 * TICKS;
  assert.ok(points.spliceTicks(after, newest + 2.5 * TICKS)! > after, 'later than the end of the break before');
});
