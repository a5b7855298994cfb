/** The frames that the successor of an encoder gets, by the times of the frames that have left. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FramePool } from '../../../device/media/frames/frame-pool.ts';
import { planLadder } from '../../../device/media/ladder/ladder-plan.ts';
import { Unfinished } from '../../../device/runner/encoder/unfinished.ts';
import { rendition } from './specs.ts';

/** Stereo. */
const SAMPLE_BYTES = 4;
const SOUND = 1600 * SAMPLE_BYTES;
const NO_OUTPUT = { videoEnd: undefined, audio: undefined };

/** `count` frames at 30 a second from second 10 on; each, and its sound, is filled with its number. */
function given(unfinished: Unfinished, pool: FramePool, count: number): void {
  unfinished.startAt(10);
  for (let n = 0; n < count; n += 1) {
    const frame = pool.acquire();
    frame.bytes.fill(n);
    unfinished.add(frame, Buffer.alloc(SOUND, n), NO_OUTPUT);
    frame.release();
  }
}

test('a new encoder gets each frame that the former one took and did not give out, and audio from two codec frames before', () => {
  const unfinished = new Unfinished(planLadder([rendition(1, 16, 16, 100)]));
  given(unfinished, new FramePool(4), 8);
  const step = 1024 / 48_000;
  // Four pictures have left, and sound up to 50 ms before their end.
  const end = 10 + 4 / 30;
  const begun = unfinished.resume({ videoEnd: end, audio: { end: end - 0.05, step } });
  assert.deepEqual(
    begun.frames.map(({ frame }) => frame!.bytes[0]),
    [4, 5, 6, 7],
  );
  assert.ok(Math.abs(begun.from - end) < 1e-9);
  assert.ok(Math.abs(begun.audioOffset + 0.05 + 2 * step) < 2 / 48_000, String(begun.audioOffset));
  assert.equal(begun.audio.length, Math.round((0.05 + 2 * step) * 48_000) * SAMPLE_BYTES);
  assert.equal(begun.audio.at(-1), 3, 'up to the sound of the first frame');
  assert.deepEqual([begun.lostFrames, begun.skippedBytes], [0, 0]);
  assert.ok(Math.abs(unfinished.next - (10 + 8 / 30)) < 1e-9);
});

test('a new encoder of a ladder with two frame rates begins at a frame that both have, and frames before it count as lost', () => {
  const ladder = [rendition(1, 16, 16, 100), rendition(2, 16, 16, 100, { fps: 15 })];
  const unfinished = new Unfinished(planLadder(ladder));
  given(unfinished, new FramePool(4), 8);
  const begun = unfinished.resume({ videoEnd: 10 + 3 / 30, audio: undefined });
  assert.deepEqual([begun.frames[0]!.frame!.bytes[0], begun.lostFrames], [4, 1]);
});

test('a new encoder gets all frames, with the same times, when the former one gave nothing out', () => {
  const unfinished = new Unfinished(planLadder([rendition(1, 16, 16, 100)]));
  given(unfinished, new FramePool(4), 5);
  const { from, frames, audioOffset, lostFrames } = unfinished.resume(NO_OUTPUT);
  assert.deepEqual([from, frames.length, audioOffset, lostFrames], [10, 5, 0, 0]);
});

test('a new encoder of audio alone gets the audio from where that of the former one ended', () => {
  const unfinished = new Unfinished(planLadder([{ ...rendition(1, 16, 16, 100), video: null }]));
  unfinished.startAt(10);
  const chunk = 1920 * SAMPLE_BYTES;
  for (let n = 0; n < 6; n += 1) unfinished.add(undefined, Buffer.alloc(chunk, n), NO_OUTPUT);
  const step = 1024 / 48_000;
  const begun = unfinished.resume({ videoEnd: undefined, audio: { end: 10.1, step } });
  assert.ok(Math.abs(begun.from - 10.08) < 1e-9, 'the piece that is not whole yet');
  assert.ok(Math.abs(begun.from + begun.audioOffset - (10.1 - 2 * step)) < 2 / 48_000);
});
