/** A runner that is killed, and the one that carries the same run on. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HLS } from '../../helpers/hls.ts';
import { liveDir, recordingsDir, runFiles } from '../../../device/run-dir.ts';
import type { RunReport } from '../../../domain/run.ts';
import { call, clip, ffprobe, folder, running, startRunner } from './runner-fixture.ts';
import { until } from '../../helpers/until.ts';
import { fileSource, LIVESTREAM_ID, output, rendition, runSpec } from './specs.ts';

test('a killed runner leaves no process, and its successor goes on where it was', async (t) => {
  const dir = folder(t);
  const playlist = (id: number) =>
    HLS.parse(
      readFileSync(join(liveDir(dir, LIVESTREAM_ID, 21), `${id}/index.m3u8`), 'utf8'),
    ) as HLS.types.MediaPlaylist;
  const numbers = (id: number): number[] => playlist(id).segments.map(({ uri }) => Number.parseInt(uri, 10));
  const renditions = [rendition(11, 320, 180, 300), rendition(12, 160, 90, 100)];
  const spec = runSpec(
    'again',
    fileSource(clip(dir)),
    [output(21, 'HLS / TS', { playlist_length: 30 }), output(23, 'Record')],
    { renditions },
  );

  const first = startRunner(t, dir, spec);
  await running(first);
  await until(
    'two segments and a recording',
    async () => numbers(11).length >= 2 && (await first.report()).publishings[1]!.primary.state === 'up',
  );
  const onAirAt = (await first.report()).on_air_at;
  const children = first.children();
  assert.equal(children.length, 3);
  process.kill(first.pid, 'SIGKILL');
  await first.exited;
  await until('no child is left', () => first.left().length === 0);
  const last = numbers(11).at(-1)!;
  appendFileSync(first.files.events, '{"runId":"again","livestr');

  const second = startRunner(t, dir, spec);
  const report = await running(second);
  assert.equal(report.on_air_at, onAirAt, 'on air since the first start');
  await until('it goes on', () => numbers(11).at(-1)! > last + 1);
  for (const id of [11, 12]) {
    const { segments } = playlist(id);
    const listed = segments.map(({ uri }) => Number.parseInt(uri, 10));
    const expected = listed.map((_, i) => i);
    assert.deepEqual(listed, expected, 'no number is missing');
    const seams = listed.filter((_, i) => segments[i]!.discontinuity === true);
    assert.deepEqual(seams, [last + 1], 'the renditions agree where the time line breaks');
  }

  const log = readFileSync(first.files.events, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => {
      try {
        return [JSON.parse(line) as { seq: number; kind: string; data: Record<string, unknown> }];
      } catch {
        return [];
      }
    });
  assert.deepEqual(
    log.map(({ seq }) => seq),
    log.map((_, i) => i + 1),
  );
  const message = log.map(({ kind }) => kind).filter((kind) => kind === 'started' || kind === 'encoder_restarted');
  assert.deepEqual(message, ['started', 'encoder_restarted'], 'a restart is no second start');
  const interrupted = log.find(({ kind, data }) => kind === 'recording_closed' && data.interrupted === true)!;
  assert.ok((interrupted.data.bytes as number) > 0);
  const files = readdirSync(recordingsDir(dir, LIVESTREAM_ID)).sort();
  assert.deepEqual(files, ['again-23-1.mp4', 'again-23-2.mp4']);
  assert.match(
    ffprobe(
      join(recordingsDir(dir, LIVESTREAM_ID), 'again-23-1.mp4'),
      '-count_packets',
      '-show_entries',
      'stream=codec_name,nb_read_packets',
    ),
    /h264\|nb_read_packets=\d{2,}/u,
  );

  await call(second.files.socket, 'POST', '/adopted');
  await second.stop();
  assert.equal(await second.exited, 0);
  assert.deepEqual(second.left(), []);
  assert.ok(readFileSync(first.files.events, 'utf8').includes('"kind":"adopted"'));
});

test('a frozen encoder is noticed, killed and replaced', async (t) => {
  const dir = folder(t);
  const runner = startRunner(
    t,
    dir,
    runSpec('stall', fileSource(clip(dir)), [output(21, 'HLS / TS')], { renditions: [rendition(11, 320, 180, 300)] }),
  );
  await running(runner);
  process.kill(runner.childNamed('pipe:5'), 'SIGSTOP');
  await until('encoder_stalled', () => runner.events().some(({ kind }) => kind === 'encoder_stalled'));
  await until('encoder_restarted', () => runner.events().some(({ kind }) => kind === 'encoder_restarted'));
  assert.equal((await runner.report()).phase, 'running');
});

test('an encoder that cannot be started ends the run with its reason', async (t) => {
  const dir = folder(t);
  const h264 = { profile: 'nonsense', level: null, keyframe_interval: 2 };
  const runner = startRunner(
    t,
    dir,
    runSpec('no-encoder', fileSource(clip(dir)), [output(21, 'HLS / TS')], {
      renditions: [rendition(11, 320, 180, 300, { h264 })],
    }),
  );
  assert.equal(await runner.exited, 0);
  const { phase, error } = JSON.parse(readFileSync(runner.files.final, 'utf8')) as { phase: string; error: string };
  assert.equal(phase, 'failed');
  t.diagnostic(error);
  assert.match(error, /restarted 5 times within a minute/u);
});

test('the final report of a run on a full disk goes to those who follow the run, and the process ends', async (t) => {
  const dir = folder(t);
  const spec = runSpec('full', fileSource(clip(dir)), [output(21, 'HLS / TS')], {
    renditions: [rendition(11, 160, 90, 100)],
  });
  const files = runFiles(dir, spec.runId);
  // What cannot be replaced cannot be written, as on a full disk.
  mkdirSync(`${files.final}.tmp`, { recursive: true });
  const runner = startRunner(t, dir, spec);
  await until('it answers', () =>
    call(files.socket, 'GET', '/report').then(
      () => true,
      () => false,
    ),
  );
  const heard = call(files.socket, 'GET', '/watch');
  await runner.stop();
  const last = JSON.parse((await heard).trimEnd().split('\n').at(-1)!) as RunReport;
  assert.equal(last.phase, 'stopped');
  assert.equal(await runner.exited, 0);
  assert.equal(existsSync(files.final), false);
  assert.match(readFileSync(files.log, 'utf8'), /final\.json was not written/u);
});
