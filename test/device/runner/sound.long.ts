/** The sound of a run and the faults of its source: levels, events, and options in force on air, as viewers get them. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { SIGNAL_FLAGS } from '../../../domain/shapes/broadcasts/live-picture.ts';
import { flowOf, makeCountedClip, soundOffsets, timelineOf } from '../../helpers/counted.ts';
import { until } from '../../helpers/until.ts';
import { change } from './changing.ts';
import { folder, running, startRunner, type TestRunner } from './runner-fixture.ts';
import { broadcast, loudest } from './screen.ts';
import { fileSource, output, QUICK, rendition, runSpec } from './specs.ts';
import { rendered } from './viewing.ts';

const SMALL = { renditions: [rendition(11, 320, 180, 400, QUICK.rendition)], startTimeoutSeconds: 30 };
const HLS = [output(21, 'HLS / TS', QUICK.output)];
const PICTURES = 900;
const AS_IT_COMES = { gain_db: 0, mute: false, delay_ms: 0 };
const FAULTS = ['silence', 'silence_ended', 'black', 'black_ended', 'frozen', 'frozen_ended'] as const;

const segments = (dir: string, count: number): Promise<unknown> => {
  const from = rendered(dir).length;
  return until(`${count} segments`, () => rendered(dir).length >= from + count);
};

function faults(runner: TestRunner): string[] {
  return runner
    .events()
    .map(({ kind }) => kind)
    .filter((kind) => (FAULTS as readonly string[]).includes(kind));
}

test('delay, gain and mute are in force on air, and no picture is lost for them', async (t) => {
  const dir = folder(t);
  const clip = fileSource(makeCountedClip(join(dir, 'counted.mp4'), PICTURES));
  const runner = startRunner(
    t,
    dir,
    runSpec('sound', clip, HLS, { ...SMALL, sound: { ...AS_IT_COMES, delay_ms: 250 } }),
  );
  await running(runner);
  await until('nine segments', () => rendered(dir).length >= 9);
  const assertDelay = (from: number, to: number, seconds: number): void => {
    const timeline = timelineOf(broadcast(dir, from, to));
    const offsets = soundOffsets(timeline);
    t.diagnostic(`${seconds} s: ${offsets.map((offset) => offset.toFixed(3)).join(', ')}`);
    assert.ok(offsets.length >= 1);
    for (const offset of offsets) assert.ok(Math.abs(offset - seconds) <= 0.045, `${offset} s instead of ${seconds}`);
    assert.equal(flowOf(timeline.pictures, PICTURES).missing, 0);
  };
  assertDelay(1, 9, 0.25);
  const encoder = runner.childNamed('pipe:5');
  const set = async (sound: Partial<typeof AS_IT_COMES>): Promise<number> => {
    const answer = await change(runner, { type: 'options', options: { sound: { ...AS_IT_COMES, ...sound } } });
    assert.equal(answer.status, 200, answer.detail);
    // What is in the encoder now leaves in the next segments.
    await segments(dir, 3);
    return rendered(dir).length;
  };
  const earlier = await set({ delay_ms: -300 });
  await segments(dir, 9);
  assertDelay(earlier, earlier + 9, -0.3);
  const plain = await set({});
  await segments(dir, 9);
  assertDelay(plain, plain + 9, 0);
  const muted = await set({ mute: true, gain_db: 20 });
  await segments(dir, 3);
  assert.ok(loudest(broadcast(dir, muted, muted + 3)) <= -90);
  const [levels] = (await runner.report()).source.levels ?? [];
  assert.ok(Math.abs(levels!.peak_dbfs[0]! + 6) < 0.5, `the source itself: ${levels!.peak_dbfs.join()} dBFS`);
  // The source is mono, and each of the two channels has 3 dB less.
  const loud = await set({ gain_db: -20 });
  await segments(dir, 3);
  const peak = loudest(broadcast(dir, loud, loud + 3));
  assert.ok(Math.abs(peak + 29) < 1, `${peak} dB`);
  assert.equal(flowOf(timelineOf(broadcast(dir, 1)).pictures, PICTURES).missing, 0);
  assert.equal(runner.childNamed('pipe:5'), encoder);
});

/** Four seconds of each: moving and heard, black and silent, moving, still with a tone. */
function faulty(dir: string, ends: 'moving' | 'black'): string {
  const path = join(dir, `${ends}.mp4`);
  const moving = 'testsrc2=size=320x180:rate=30';
  const [black, still] = ['color=black:size=320x180:rate=30', `${moving},trim=end_frame=1,loop=-1:1,setpts=N/30/TB`];
  const pictures = ends === 'moving' ? [moving, black, moving, still] : [moving, black];
  const parts = pictures.flatMap((picture) => ['-f', 'lavfi', '-t', '4', '-i', picture]);
  const join4 = `${pictures.map((_, i) => `[${i}:v]`).join('')}concat=n=${pictures.length}`;
  const tone = `sine=frequency=440:sample_rate=48000,volume='if(between(mod(t\\,16)\\,4\\,8)\\,0\\,1)':eval=frame`;
  const sound = ['-f', 'lavfi', '-t', String(4 * pictures.length), '-i', tone];
  const coding = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '30', '-pix_fmt', 'yuv420p', '-c:a', 'aac'];
  const graph = ['-filter_complex', join4, '-map', `${pictures.length}:a`];
  execFileSync('ffmpeg', ['-v', 'error', ...parts, ...sound, ...graph, ...coding, path]);
  return path;
}

const DETECT = { silence: { level_db: -60, seconds: 1.5 }, black: { seconds: 1.5 }, frozen: { seconds: 2 } };

test('silence, black and frozen pictures are events with their ends, and flags', async (t) => {
  const dir = folder(t);
  const runner = startRunner(
    t,
    dir,
    runSpec('faulty', fileSource(faulty(dir, 'moving')), HLS, { ...SMALL, detect: DETECT }),
  );
  await running(runner);
  const { black, frozen, silent } = SIGNAL_FLAGS;
  const flagged = (what: string, flags: number): Promise<unknown> =>
    until(what, async () => (await runner.report()).flags === flags);
  await flagged('black, still and silent', black | frozen | silent);
  await flagged('nothing', 0);
  await flagged('still', frozen);
  await flagged('nothing again', 0);
  const found = runner.events().filter(({ kind }) => (FAULTS as readonly string[]).includes(kind));
  const count = (kind: string): number => found.filter((event) => event.kind === kind).length;
  for (const kind of FAULTS) assert.equal(count(kind), kind.startsWith('frozen') ? 2 : 1, faults(runner).join());
  for (const { kind, data } of found) {
    const { channelId, seconds } = data as { channelId: number; seconds: number };
    assert.equal(channelId, 3);
    const wanted = kind.endsWith('ended') ? 4 : kind === 'frozen' ? 2 : 1.5;
    assert.ok(Math.abs(seconds - wanted) < 0.5, `${kind} after ${seconds} s`);
  }
  assert.equal((await change(runner, { type: 'options', options: { detect: null } })).status, 200);
});

test('a source that drops pictures is said with both rates, in the status and as events with their ends', async (t) => {
  const dir = folder(t);
  const path = join(dir, 'short.mp4');
  const pictures = "testsrc2=size=160x90:rate=30,select='not(between(t\\,4\\,18)*not(mod(n\\,7)))'";
  const coding = ['-fps_mode', 'vfr', '-c:v', 'libx264', '-preset', 'ultrafast', '-g', '30', '-pix_fmt', 'yuv420p'];
  execFileSync('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', pictures, '-t', '24', ...coding, path]);
  const runner = startRunner(t, dir, runSpec('short', fileSource(path, false), HLS, { ...SMALL, detect: DETECT }));
  await running(runner);
  const of = (kind: string): Promise<{ data: Record<string, unknown> }> =>
    until(kind, () => runner.events().find((event) => event.kind === kind));
  const { data } = await of('low_fps');
  assert.deepEqual([data['channelId'], data['wanted_fps']], [3, 30]);
  assert.ok(data['fps'] === 25 || data['fps'] === 26, String(data['fps']));
  const [condition] = ((await runner.report()).conditions ?? []).filter(({ kind }) => kind === 'low_fps');
  assert.equal(condition?.wanted_fps, 30);
  await of('low_fps_ended');
  assert.deepEqual(
    ((await runner.report()).conditions ?? []).filter(({ kind }) => kind === 'low_fps'),
    [],
  );
});

test('a source that is lost while it is black does not come back in the event log', async (t) => {
  const dir = folder(t);
  const ending = fileSource(faulty(dir, 'black'), false);
  const runner = startRunner(t, dir, runSpec('lost', ending, HLS, { ...SMALL, detect: DETECT }));
  await running(runner);
  await until('it is lost', () => runner.events().some(({ kind }) => kind === 'source_lost'));
  await segments(dir, 4);
  assert.deepEqual(faults(runner).sort(), ['black', 'frozen', 'silence']);
  assert.equal(((await runner.report()).flags ?? 0) & (SIGNAL_FLAGS.black | SIGNAL_FLAGS.frozen), 0);
});
