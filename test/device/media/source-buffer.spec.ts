import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FramePool } from '../../../device/media/frames/frame-pool.ts';
import type { Shape } from '../../../device/media/arguments/ingest-args.ts';
import { planLadder } from '../../../device/media/ladder/ladder-plan.ts';
import { blackFrame, slateFrame } from '../../../device/media/frames/slate.ts';
import { frameBytes } from '../../../device/media/light/frame-form.ts';
import { SourceBuffer } from '../../../device/media/frames/source-buffer.ts';
import { rendition } from '../runner/specs.ts';
import { Pipe } from './pipe.ts';
import { letPass } from '../../helpers/pass.ts';

const plan = planLadder([rendition(1, 16, 16, 100)]);
const size = frameBytes({ width: 16, height: 16 });
/** Sound of one frame at 30 a second. */
/** Stereo. */
const SAMPLE_BYTES = 4;
const TICK = 1600 * SAMPLE_BYTES;

function buffer(shape: Shape = 'both'): SourceBuffer {
  return new SourceBuffer(plan, new FramePool(size), shape, () => undefined);
}
const frame = (n: number): Buffer => Buffer.alloc(size, n);
const sound = (n: number): Buffer => Buffer.alloc(TICK, n);

test('frames are put together from any pieces and leave in order, each with its sound', () => {
  const source = buffer();
  const bytes = Buffer.concat([1, 2, 3, 4].map(frame));
  for (let at = 0; at < bytes.length; at += 100) source.pushVideo(bytes.subarray(at, at + 100));
  const samples = Buffer.concat([1, 2, 3, 4].map(sound));
  for (let at = 0; at < samples.length; at += 997) source.pushAudio(samples.subarray(at, at + 997));
  for (const n of [1, 2, 3, 4]) {
    const taken = source.take(TICK)!;
    assert.equal(taken.frame!.bytes[0], n);
    assert.deepEqual([...new Set(taken.audio)], [n]);
    assert.equal(taken.audio.length, TICK);
    taken.frame!.release();
  }
  assert.equal(source.take(TICK), undefined, 'nothing is left');
});

test('the queue of frames does not grow: the oldest frames go, and their sound with them', () => {
  const source = buffer();
  for (let n = 1; n <= 30; n += 1) {
    source.pushAudio(sound(n));
    source.pushVideo(frame(n));
  }
  assert.equal(source.dropped, 20);
  const taken = source.take(TICK)!;
  assert.equal(taken.frame!.bytes[0], 21);
  assert.deepEqual([...new Set(taken.audio)], [21]);
});

test('a file is read as its frames are taken, whatever its encoder takes', () => {
  const pipe: Pipe = new Pipe((bytes) => source.pushVideo(bytes));
  const parts = { tap: pipe, isReadAhead: true };
  const source = new SourceBuffer(plan, new FramePool(size), 'both', () => undefined, parts);
  for (let n = 1; n <= 100; n += 1) {
    source.pushAudio(sound(n));
    pipe.write(frame(n));
  }
  assert.equal(source.arrived, 6);
  // An encoder that is late asks for it again and again.
  for (let n = 1; n <= 50; n += 1) source.backpressure = n % 2 === 0;
  assert.equal(source.arrived, 6);
  for (let n = 1; n <= 100; n += 1) assert.equal(source.take(TICK)!.frame!.bytes[0], n);
  assert.deepEqual([source.dropped, pipe.held], [0, 0]);
});

test('a file is read on until the sound of the next picture has come', () => {
  const pipe: Pipe = new Pipe((bytes) => source.pushVideo(bytes));
  const parts = { tap: pipe, isReadAhead: true };
  const source = new SourceBuffer(plan, new FramePool(size), 'both', () => undefined, parts);
  for (let n = 1; n <= 25; n += 1) pipe.write(frame(n));
  assert.deepEqual([source.arrived, source.ready], [25, false]);
  for (let n = 1; n <= 25; n += 1) source.pushAudio(sound(n));
  for (let n = 1; n <= 25; n += 1) {
    const taken = source.take(TICK)!;
    assert.deepEqual([taken.frame!.bytes[0], taken.audio[0]], [n, n]);
  }
});

test('half a sample never leaves the source buffer, as what follows would be noise', () => {
  const source = buffer();
  for (const n of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) source.pushVideo(frame(n));
  source.pushAudio(Buffer.alloc(TICK - 2, 1));
  assert.equal(source.take(TICK)!.audio.length % SAMPLE_BYTES, 0);
});

test('sound that comes in long pieces makes no picture stand once they have begun', async () => {
  const source = buffer();
  const piece = Buffer.concat(Array.from({ length: 10 }, (_, n) => sound(n)));
  let n = 0;
  const come = (): void => {
    n += 1;
    source.pushVideo(frame(n));
    if (n % 10 === 0) source.pushAudio(piece);
  };
  for (let round = 0; round < 3; round += 1) {
    for (let i = 0; i < 10; i += 1) come();
    // Pieces that come at once are a burst.
    await letPass(20);
  }
  source.trim();
  for (let tick = 0; tick < 100; tick += 1) {
    come();
    const taken = source.take(TICK);
    assert.ok(taken, `tick ${tick}`);
    assert.equal(taken.audio.length, TICK, `tick ${tick}`);
    taken.frame!.release();
  }
});

test('pictures wait for sound that leaves 2 s earlier, and none is lost when it leaves with them again', () => {
  const source = buffer();
  const taken: number[] = [];
  const run = (from: number, to: number): void => {
    for (let n = from; n < to; n += 1) {
      source.pushAudio(sound(n));
      source.pushVideo(frame(n));
      const next = source.take(TICK);
      if (next === undefined) continue;
      taken.push(next.frame!.bytes[0]!);
      next.frame!.release();
    }
  };
  run(1, 20);
  source.soundDelayMs = -2000;
  run(20, 120);
  source.soundDelayMs = 0;
  run(120, 240);
  assert.equal(source.dropped, 0);
  assert.deepEqual(
    taken,
    taken.map((_, n) => n + 1),
  );
  assert.ok(taken.length > 170 && taken.length < 185, `${taken.length} pictures`);
});

for (const late of [87, 93, 240])
  test(`sound that begins ${late / 30} s late, and goes on after a pause with other filters, is heard with its pictures`, () => {
    const source = buffer();
    const heard: [picture: number, sound: number][] = [];
    const run = (from: number, frames: number, hasSound: boolean): void => {
      if (hasSound) source.goOnAt(from / 30, 0);
      for (let n = from; n < from + frames; n += 1) {
        if (hasSound) source.pushAudio(sound((n % 199) + 1));
        source.pushVideo(frame((n % 199) + 1));
        const taken = source.take(TICK);
        if (taken?.audio.some((value) => value > 0)) heard.push([taken.frame!.bytes[0]!, taken.audio.at(-1)!]);
        taken?.frame!.release();
      }
    };
    run(0, late, false);
    run(late, 40, true);
    run(late + 40, 60, false);
    run(late + 100, 40, true);
    assert.ok(heard.length > 55, `${heard.length} pictures`);
    for (const [picture, tone] of heard) assert.equal(picture, tone);
  });

test('a source without sound waits for none, and one without pictures is carried by its sound', () => {
  const silent = buffer('video');
  for (const n of [1, 2, 3]) silent.pushVideo(frame(n));
  assert.equal(silent.take(TICK)!.audio.length, 0);
  const audioOnly = buffer('audio');
  for (const n of [1, 2, 3, 4]) audioOnly.pushAudio(sound(n));
  const taken = audioOnly.take(TICK)!;
  assert.equal(taken.frame, undefined);
  assert.equal(taken.audio[0], 1);
});

test('frames in use are not handed out again', () => {
  const pool = new FramePool(size);
  const first = pool.acquire();
  first.retain();
  first.release();
  assert.notEqual(pool.acquire().bytes, first.bytes);
  first.release();
  assert.equal(pool.acquire().bytes, first.bytes);
});

test('the slate is a dark picture of the right size', () => {
  for (const [width, height] of [
    [1280, 720],
    [426, 240],
    [18, 16],
  ] as const) {
    const picture = slateFrame({ width, height });
    assert.equal(picture.length, blackFrame({ width, height }).length);
    const luma = picture.subarray(0, width * height);
    const mean = luma.reduce((sum, value) => sum + value, 0) / luma.length;
    assert.ok(mean > 18 && mean < 45, String(mean));
  }
});

test('frames whose sound has not come leave when no more comes', () => {
  const source = buffer();
  for (let n = 1; n <= 5; n += 1) source.pushVideo(frame(n));
  for (let n = 1; n <= 2; n += 1) source.pushAudio(sound(n));
  for (const n of [1, 2]) assert.equal(source.take(TICK)!.frame!.bytes[0], n);
  assert.equal(source.take(TICK), undefined, 'it waits for its sound');
  source.hasEnded = true;
  for (const n of [3, 4, 5]) assert.equal(source.take(TICK)!.frame!.bytes[0], n);
  assert.equal(source.take(TICK), undefined);
});
