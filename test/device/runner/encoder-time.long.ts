/** The stream's time against the clock and across encoders: nothing is lost, and nothing stays late. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { HLS } from '../../helpers/hls.ts';
import { liveDir } from '../../../device/run-dir.ts';
import { flowOf, makeCountedClip, soundOffsets, timelineOf, timesIn } from '../../helpers/counted.ts';
import { folder, running, startRunner } from './runner-fixture.ts';
import { until } from '../../helpers/until.ts';
import { continuityErrors } from './receivers.ts';
import { fileSource, LIVESTREAM_ID, output, QUICK, rendition, runSpec } from './specs.ts';
import { receiver } from './standstill.ts';

const CLIP = 900;
const SMALL = {
  renditions: [rendition(11, 320, 180, 500, QUICK.rendition), rendition(12, 160, 90, 200, QUICK.rendition)],
};

describe('time', { concurrency: 2 }, () => {
  const made = mkdtempSync(join(tmpdir(), 'onair-time-'));
  const clip = join(made, 'counted.mp4');
  before(() => makeCountedClip(clip, CLIP));
  after(() => rmSync(made, { recursive: true, force: true }));

  it('every picture comes once past a killed encoder, at the time of its turn, and the sound with it', async (attempt) => {
    const dir = folder(attempt);
    const { url, viewed, write } = await receiver(attempt);
    const outputs = [output(21, 'HLS / TS', QUICK.output), output(22, 'STREAM', { url })];
    const runner = startRunner(attempt, dir, runSpec('kill', fileSource(clip), outputs, SMALL));
    await running(runner);
    for (let n = 1; n <= 2; n += 1) {
      const before = viewed().times.length;
      await until('a second of it', () => viewed().times.length > before + 40);
      process.kill(runner.childNamed('pipe:5'), 'SIGKILL');
      await until(
        'another encoder',
        () => runner.events().filter(({ kind }) => kind === 'encoder_restarted').length === n,
      );
    }
    const count = viewed().times.length;
    await until('two seconds more', () => viewed().times.length > count + 60);
    const { times } = viewed();
    const off = times.slice(1).map((time, at) => Math.abs(time - times[at]! - 1 / 30));
    assert.ok(Math.max(...off) < 0.001, `a step of ${Math.max(...off)} s besides`);
    const path = join(dir, 'seen.ts');
    write(path);
    assert.equal(continuityErrors(readFileSync(path)), 0);
    const timeline = timelineOf(path);
    const { missing, repeated } = flowOf(timeline.pictures, CLIP);
    assert.deepEqual({ missing, repeated }, { missing: 0, repeated: 0 });
    for (const offset of soundOffsets(timeline)) assert.ok(Math.abs(offset) < 0.06, `sound is ${offset} s off`);
    const lost = runner.events().flatMap(({ kind, data }) => (kind === 'encoder_restarted' ? [data.lostPictures] : []));
    assert.deepEqual(lost, [0, 0]);
    await runner.stop();
    await runner.exited;
    for (const id of [11, 12]) {
      const folderOf = join(liveDir(dir, LIVESTREAM_ID, 21), String(id));
      const { segments } = HLS.parse(readFileSync(join(folderOf, 'index.m3u8'), 'utf8')) as HLS.types.MediaPlaylist;
      const [first, ...rest] = segments.map(({ uri, programDateTime }) => ({
        start: timesIn(join(folderOf, uri))[0],
        wallMs: programDateTime!.getTime(),
      }));
      for (const [at, { start, wallMs }] of rest.entries()) {
        // Two pictures that the stop has left are too few packets for ffprobe to know a transport stream by.
        if (start === undefined && at === rest.length - 1) continue;
        const listed = segments.slice(0, at + 1).reduce((sum, { duration }) => sum + duration, 0);
        assert.ok(
          Math.abs(start! - first!.start! - listed) < 0.001,
          `segment ${at + 1} of ${segments.length} of ${id} begins at ${start! - first!.start!}, the list says ${listed}`,
        );
        assert.ok(Math.abs((wallMs - first!.wallMs) / 1000 - listed) < 0.003, 'and when');
      }
    }
  });
});
