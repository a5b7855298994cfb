/** A disk of the Device that is never filled, beside a run on air. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { recordingsDir } from '../../../device/run-dir.ts';
import { cleanUp, type TestScope } from '../../helpers/clean-up.ts';
import { until } from '../../helpers/until.ts';
import { capture } from './receivers.ts';
import { clip, ffprobe, folder, running, startRunner } from './runner-fixture.ts';
import { fileSource, LIVESTREAM_ID, output, rendition, runSpec } from './specs.ts';

/** A filesystem of its own that can be filled; undefined where this user may not mount one. */
function smallDisk(t: TestScope, megabytes: number): string | undefined {
  const dir = mkdtempSync(join(tmpdir(), 'onair-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', dir], { stdio: 'ignore' });
  } catch {
    rmSync(dir, { recursive: true });
    return undefined;
  }
  cleanUp(t, () => {
    execFileSync('umount', ['-l', dir]);
    rmSync(dir, { recursive: true });
  });
  return dir;
}

test('a full disk stops the Recording, then the segments, not what goes elsewhere; all go on when there is room', async (t) => {
  const disk = smallDisk(t, 48);
  if (disk === undefined) return t.skip('this user may not mount a filesystem');
  const media = folder(t);
  const sink = await capture(t);
  const outputs = [
    output(21, 'HLS / TS'),
    output(22, 'Record', {}, { retry: { max_attempts: 2, initial_delay_ms: 200, max_delay_ms: 200 } }),
    output(23, 'STREAM', { url: `udp://127.0.0.1:${sink.port}` }),
  ];
  const ladder = { renditions: [rendition(11, 320, 180, 300)] };
  const runner = startRunner(t, disk, runSpec('small-disk', fileSource(clip(media)), outputs, ladder));
  const stateOf = async (id: number): Promise<string> =>
    (await runner.report()).publishings.find(({ publishingId }) => publishingId === id)!.primary.state;
  const states = async (...wanted: string[]): Promise<void> =>
    void (await until(`states ${wanted.join()}`, async () => {
      const now = await Promise.all([21, 22, 23].map(stateOf));
      return now.join() === wanted.join();
    }));
  const goesOn = async (): Promise<void> => {
    const before = sink.datagrams.length;
    await until('datagrams go on', () => sink.datagrams.length > before + 50);
  };
  await running(runner);
  await states('up', 'up', 'up');

  const ballast = join(disk, 'ballast');
  writeFileSync(ballast, Buffer.alloc(42 * 1024 * 1024));
  await states('up', 'retrying', 'up');
  const paused = runner.events().find(({ data }) => data['reason'] === 'disk');
  assert.equal(paused?.kind, 'destination_down');
  assert.match(paused?.message ?? '', /is paused: the disk of the Device is nearly full \(.+ MB free, 5\.0 MB must/u);
  await until('the Recording closed', () => runner.events().some(({ kind }) => kind === 'recording_closed'));
  const { file } = runner.events().find(({ kind }) => kind === 'recording_closed')!.data as { file: string };
  const recording = join(recordingsDir(disk, LIVESTREAM_ID), file);
  assert.match(ffprobe(recording, '-show_entries', 'stream=codec_name'), /h264/u);
  await goesOn();

  // To the last byte, faster than anybody looks.
  assert.throws(() => {
    for (;;) appendFileSync(ballast, Buffer.alloc(64 * 1024));
  }, /ENOSPC/u);
  await states('retrying', 'retrying', 'up');
  await goesOn();
  const full = await runner.report();
  assert.deepEqual([full.phase, full.disk?.free_bytes], ['running', 0]);
  assert.ok(
    full.encodings.every(({ fps }) => fps > 0),
    'the encoder does not notice',
  );

  rmSync(ballast);
  await states('up', 'up', 'up');
  const measured = await until('the cores that it takes', async () => (await runner.report()).cpu_cores);
  assert.ok(measured > 0.01 && measured <= cpus().length, `${measured} cores`);
  t.diagnostic(`${measured} cores for 320x180 with three Destinations`);
  await runner.stop();
  assert.equal(await runner.exited, 0);
  const seqs = runner.events().map(({ seq }) => seq);
  assert.deepEqual(
    seqs,
    [...seqs].sort((a, b) => a - b),
    'no event is lost to the full disk',
  );
  assert.equal(new Set(seqs).size, seqs.at(-1));
  assert.equal(runner.left().length, 0);
});
