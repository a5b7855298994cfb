/** An encoder or a decoder that cannot keep up: frames are dropped, nothing grows, sound stays with its picture, the others live. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { controlGroup } from '../../../bench/capacity/group.ts';
import type { RunEvent } from '../../../domain/shapes/broadcasts/run.ts';
import { recordingsDir } from '../../../device/run-dir.ts';
import { clip, ffprobe, folder, running, startRunner, type TestRunner } from './runner-fixture.ts';
import { madeOnce } from '../../helpers/made-once.ts';
import { letPass } from '../../helpers/pass.ts';
import { until } from '../../helpers/until.ts';
import { fileSource, LIVESTREAM_ID, output, rendition, runSpec } from './specs.ts';
import { cleanUp, type TestScope } from '../../helpers/clean-up.ts';

/** Lets a process run for 20 ms a second, as on a machine that is far too slow; the answer ends it. */
function slow(t: TestScope, pid: number): () => Promise<void> {
  const state = { on: true };
  const signal = (name: NodeJS.Signals): void => {
    try {
      process.kill(pid, name);
    } catch {
      state.on = false;
    }
  };
  const run = async (): Promise<void> => {
    while (state.on) {
      signal('SIGSTOP');
      await letPass(980);
      signal('SIGCONT');
      await letPass(20);
    }
  };
  const ended = run();
  const stop = async (): Promise<void> => {
    state.on = false;
    await ended;
  };
  cleanUp(t, stop);
  return stop;
}

const tellings = (runner: TestRunner): RunEvent[] => runner.events().filter(({ kind }) => kind.startsWith('behind'));

function residentMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/u.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

/** Seconds of a recording's picture and sound. */
function lengths(path: string): number[] {
  const text = execFileSync(
    'ffprobe',
    ['-v', 'error', '-show_entries', 'packet=stream_index,pts_time', '-of', 'csv=p=0', path],
    {
      encoding: 'utf8',
    },
  );
  const last = [0, 0];
  for (const line of text.trim().split('\n')) {
    const [index, time] = line.split(',').map(Number) as [number, number];
    if (time > last[index]!) last[index] = time;
  }
  return last;
}

test('a slow encoder drops frames with their sound, and says so once and when it is over', async (t) => {
  const dir = folder(t);
  // So large that an encoder that is let run a little takes some frames, not all.
  const renditions = [rendition(11, 640, 360, 800)];
  const outputs = [output(21, 'HLS / TS', { playlist_length: 60 }), output(23, 'Record')];
  const runner = startRunner(t, dir, runSpec('slow', fileSource(clip(dir)), outputs, { renditions }));
  await running(runner);
  await until('all up', async () => (await runner.report()).publishings.every(({ primary }) => primary.state === 'up'));
  const endSlowness = slow(t, runner.childNamed('pipe:5'));
  const notice = await until('that it falls behind', () => tellings(runner)[0]);
  assert.deepEqual([notice.kind, notice.severity], ['behind', 'warning']);
  assert.match(notice.message, /falls behind: \d+ of 30 pictures a second are encoded/u);
  const { conditions, encodings } = await runner.report();
  const [condition] = conditions!.filter(({ kind }) => kind === 'behind');
  assert.ok(condition!.fps! < 28 && condition!.wanted_fps === 30 && condition!.since === notice.data.since);
  const { dropped, speed } = encodings[0]!;
  t.diagnostic(`speed ${speed}, dropped ${dropped}`);
  assert.ok(dropped > 10 && speed < 0.98, `speed ${speed}, dropped ${dropped}`);
  const before = residentMb(runner.pid);
  const count = dropped;
  await until('many more are dropped', async () => (await runner.report()).encodings[0]!.dropped > count + 150);
  // 150 frames of 640×360 are 52 MB: a queue would show.
  assert.ok(residentMb(runner.pid) - before < 30, `${before} MB, then ${residentMb(runner.pid)} MB`);
  assert.equal(tellings(runner).length, 1, 'once');
  await endSlowness();
  const over = await until('its end is told', () => tellings(runner)[1]);
  assert.deepEqual([over.kind, over.severity], ['behind_ended', 'info']);
  assert.deepEqual((await runner.report()).conditions, []);
  // Some frames wait for the encoder until the source has newer ones: those are dropped before the clock.
  assert.ok((over.data.dropped as number) > 75, String(over.data.dropped));
  const report = await runner.report();
  assert.deepEqual(
    report.publishings.map(({ primary }) => primary.state),
    ['up', 'up'],
  );
  await runner.stop();
  assert.equal(await runner.exited, 0);
  assert.deepEqual(runner.left(), []);
  const kinds = new Set(runner.events().map(({ kind }) => kind));
  for (const kind of ['destination_down', 'encoder_restarted', 'encoder_stalled', 'source_lost'] as const)
    assert.ok(!kinds.has(kind), `${kind} came of it`);
  const [picture, sound] = lengths(join(recordingsDir(dir, LIVESTREAM_ID), 'slow-23-1.mp4')) as [number, number];
  assert.ok(Math.abs(picture - sound) < 0.15, `picture up to ${picture} s, sound up to ${sound} s`);
  assert.match(
    ffprobe(join(recordingsDir(dir, LIVESTREAM_ID), 'slow-23-1.mp4'), '-show_entries', 'stream=codec_name'),
    /h264/u,
  );
});

/** A second of 4K at 50 pictures a second, as HEVC. */
function heavyClip(dir: string): string {
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=size=3840x2160:rate=50', '-t', '1'];
  const coding = ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=none', '-pix_fmt', 'yuv420p'];
  const args = ['-v', 'error', '-y', ...picture, ...coding];
  return madeOnce(join(dir, 'heavy.mp4'), args, (target) => execFileSync('ffmpeg', [...args, target]));
}

test('a source of which less is decoded than it has is said to fall behind, with its pictures a second', async (t) => {
  const mayGroup = process.getuid?.() === 0 && existsSync('/sys/fs/cgroup/cpu/cpu.cfs_quota_us');
  if (!mayGroup) return t.skip('this user may not make a control group');
  const dir = folder(t);
  const heavy = fileSource(heavyClip(dir));
  const group = controlGroup(0.5);
  cleanUp(t, () => group.remove());
  const small = { renditions: [rendition(11, 160, 90, 200)], startTimeoutSeconds: 120 };
  const spec = runSpec('heavy', heavy, [output(21, 'HLS / TS')], small);
  const runner = await group.within(() => Promise.resolve(startRunner(t, dir, spec)));
  await running(runner);
  const begun = await until('that it falls behind', () => tellings(runner)[0]);
  t.diagnostic(begun.message);
  assert.match(begun.message, /falls behind: \d+ of 50 pictures a second of its source are decoded\./u);
  const { fps, wanted_fps: wanted } = begun.data as { fps: number; wanted_fps: number };
  assert.ok(wanted === 50 && fps < 0.95 * wanted, `${fps} of ${wanted}`);
  const { conditions, source } = await runner.report();
  assert.deepEqual(
    conditions!.map(({ kind, wanted_fps: of }) => [kind, of]),
    [['behind', 50]],
  );
  assert.equal(source.state, 'up');
  await runner.stop();
  await runner.exited;
});
