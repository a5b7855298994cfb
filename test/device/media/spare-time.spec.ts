/** The delay that a source's jitter asks for, and no more: frames that come at any times are shown by the real clock, buffer and scheduler. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FramePool } from '../../../device/media/frames/frame-pool.ts';
import { planLadder } from '../../../device/media/ladder/ladder-plan.ts';
import { frameBytes } from '../../../device/media/light/frame-form.ts';
import { samplesOf } from '../../../device/media/frames/samples.ts';
import { SourceBuffer } from '../../../device/media/frames/source-buffer.ts';
import { SpareTime } from '../../../device/media/frames/spare-time.ts';
import { FrameScheduler } from '../../../device/runner/playout/frame-scheduler.ts';
import { countOf, itLong } from '../../helpers/counts.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { rendition } from '../runner/specs.ts';

const VIDEO = planLadder([rendition(1, 16, 16, 100, { fps: 25 })]);
const RADIO = planLadder([{ ...rendition(1, 16, 16, 100), video: null }]);
const size = frameBytes({ width: 16, height: 16 });
const FRAME_MS = 40;

interface Shown {
  /** How long each frame waited, in the order shown; the number of the frame first. */
  waits: [n: number, ms: number][];
  repeated: number;
  dropped: number;
  /** Samples at which the tone breaks off or jumps. */
  breaks: number;
}

const STEP = (2 * Math.PI * 997) / 48_000;

/** An endless tone, a frame a piece: 25 of them have a whole number of its periods. */
const TONE = Array.from({ length: 25 }, (_, n) =>
  Buffer.from(
    Int16Array.from({ length: 3840 }, (_, i) => 16_000 * Math.sin(STEP * (n * 1920 + Math.floor(i / 2)))).buffer,
  ),
);

/** Each sample of a tone follows from the two before it; half a per cent of speed changes that little. */
class BreakFinder {
  private before: [number, number] = [0, 0];
  private seen = 0;
  breaks = 0;

  add(audio: Buffer): void {
    const samples = samplesOf(audio);
    for (let at = 0; at < samples.length; at += 2) {
      const value = samples[at]!;
      const [first, second] = this.before;
      // The tone begins somewhere.
      if (this.seen > 4 && Math.abs(value - 2 * Math.cos(STEP) * second + first) > 40) this.breaks += 1;
      this.before = [second, value];
      if (value !== 0) this.seen += 1;
    }
  }
}

/** Shows `count` frames, of which frame n comes at `comesAt(n)` milliseconds, with its sound. */
function show(count: number, comesAt: (n: number) => number, shape: 'both' | 'audio' = 'both'): Shown {
  const plan = shape === 'both' ? VIDEO : RADIO;
  const found = new BreakFinder();
  const clock = new FakeClock();
  const began = clock.now();
  const arrivals: number[] = [];
  const waits: [number, number][] = [];
  let repeated = 0;
  let last = -1;
  const scheduler = new FrameScheduler(
    plan,
    'slate',
    {
      onFrame(frame, audio) {
        found.add(audio);
        if (frame === undefined) return;
        const n = frame!.bytes.readUInt16BE(0);
        if (n === last) repeated += 1;
        else waits.push([n, clock.now() - began - arrivals[n]!]);
        last = n;
      },
      onLost: () => undefined,
      onRestored: () => undefined,
      onSkip: () => undefined,
    },
    clock,
  );
  const now = (): number => clock.now();
  const onFrame = (): unknown => buffer.ready && scheduler.start();
  const buffer: SourceBuffer = new SourceBuffer(plan, new FramePool(size), shape, onFrame, { now });
  scheduler.source = buffer;
  for (let n = 0; n < count; n += 1) {
    clock.advance(Math.max(0, began + comesAt(n) - clock.now()));
    arrivals[n] = clock.now() - began;
    buffer.pushAudio(TONE[n % TONE.length]!);
    if (shape === 'audio') continue;
    const bytes = Buffer.alloc(size);
    bytes.writeUInt16BE(n);
    buffer.pushVideo(bytes);
  }
  scheduler.stop();
  return { waits, repeated, dropped: buffer.dropped, breaks: found.breaks };
}

const longest = (waits: Shown['waits'], from: number): number =>
  Math.max(...waits.filter(([n]) => n >= from).map(([, ms]) => ms));
const missing = (waits: Shown['waits']): number => waits.filter(([n], i) => i > 0 && n !== waits[i - 1]![0] + 1).length;

test('frames that come evenly are shown as they come, and none is lost or repeated', () => {
  const { waits, repeated, dropped } = show(500, (n) => n * FRAME_MS);
  assert.ok(longest(waits, 1) <= 12, `${longest(waits, 1)} ms`);
  assert.deepEqual([repeated, dropped, missing(waits)], [0, 0, 0]);
});

test('a burst at the beginning makes no frame late for longer than two seconds', () => {
  // Three frames at once.
  const { waits, repeated, dropped } = show(500, (n) => Math.max(0, n - 3) * FRAME_MS);
  assert.ok(longest(waits, 75) <= 25, `${longest(waits, 75)} ms`);
  assert.deepEqual([repeated, dropped, missing(waits)], [0, 0, 0]);
});

test('frames that come unevenly are shown in time, each once, and wait for no longer than the latest of them needs', () => {
  // Up to 30 ms late, by a rule without a pattern.
  const { waits, repeated, dropped } = show(3000, (n) => n * FRAME_MS + ((n * 7919) % 31));
  assert.ok(longest(waits, 100) <= 30 + 12, `${longest(waits, 100)} ms`);
  assert.deepEqual([repeated, dropped, missing(waits)], [0, 0, 0]);
});

test('after a gap the delay goes back to what it was, and stays where gaps are frequent', () => {
  const once = show(1000, (n) => (n < 500 ? n * FRAME_MS : Math.max(n, 510) * FRAME_MS));
  assert.ok(longest(once.waits, 520) > 100, 'the frames of the gap are shown');
  assert.ok(longest(once.waits, 950) <= 2 * FRAME_MS, `${longest(once.waits, 950)} ms`);
  const often = show(20_000, (n) => Math.max(n, n - (n % 300) + 8) * FRAME_MS);
  assert.ok(often.dropped < 30 && often.repeated < 50, `${often.dropped} left out, ${often.repeated} shown twice`);
});

test('a source whose clock is fast loses a frame for each that it is ahead, none else, and no sound breaks off', () => {
  // 200 ppm: a frame in 200 s.
  const { waits, repeated, breaks } = show(30_000, (n) => n * FRAME_MS * (1 - 0.0002));
  assert.deepEqual([repeated, breaks], [0, 0]);
  assert.ok(missing(waits) >= 4 && missing(waits) <= 7, `${missing(waits)} of 6`);
  assert.ok(longest(waits, 1) <= 2.5 * FRAME_MS, `${longest(waits, 1)} ms`);
});

test('a source whose clock is slow shows a frame twice for each that it is behind, and no sound breaks off', () => {
  const { repeated, breaks } = show(countOf(12_000, 30_000), (n) => n * FRAME_MS * (1 + 0.0002));
  assert.ok(repeated >= 1 && repeated <= 7, `${repeated} of 6`);
  assert.equal(breaks, 0);
});

itLong('the sound of a source without pictures follows its clock without a break', () => {
  for (const ppm of [-200, 200]) assert.equal(show(30_000, (n) => n * FRAME_MS * (1 + ppm / 1e6), 'audio').breaks, 0);
});

test('spare time is used in the first windows at once, and later a frame at a time', () => {
  const spare = new SpareTime(FRAME_MS);
  const run = (from: number, to: number, waitedMs: number): (number | string)[] => {
    const uses: (number | string)[] = [];
    for (let now = from; now < to; now += FRAME_MS) {
      const { soonerMs, leftOut } = spare.shown(waitedMs, now);
      if (soonerMs > 0) uses.push(soonerMs);
      if (leftOut > 0) uses.push(`${leftOut} left out`);
    }
    return uses;
  };
  assert.deepEqual(run(0, 560, 60), [50]);
  assert.deepEqual(run(560, 4000, 500), [100], 'no more than 150 ms in all');
  spare.forget();
  assert.deepEqual(run(4000, 10_000, 49), []);
  spare.forget();
  assert.deepEqual(run(10_000, 13_100, 300), ['4 left out']);
  spare.forget();
  assert.deepEqual(run(14_000, 17_100, 51), ['1 left out']);
  spare.missed(18_000);
  assert.deepEqual(run(18_000, 23_900, 51), [], 'the time was needed after all: the window is twice as long');
  assert.deepEqual(run(23_920, 24_100, 51), ['1 left out']);
});
