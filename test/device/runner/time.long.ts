/** Ten standstills of a runner, as a busy machine has them: their sum is nothing. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { HLS } from '../../helpers/hls.ts';
import { liveDir } from '../../../device/run-dir.ts';
import { makeCountedClip, timesIn } from '../../helpers/counted.ts';
import { folder, running, startRunner } from './runner-fixture.ts';
import { until } from '../../helpers/until.ts';
import { fileSource, LIVESTREAM_ID, output, QUICK, rendition, runSpec } from './specs.ts';
import { delayNow, receiver, stall } from './standstill.ts';

test('the stream does not drift in ten standstills, and the dates in the playlist are true', async (t) => {
  const dir = folder(t);
  const clip = makeCountedClip(join(dir, 'counted.mp4'), 900);
  const { url, viewed } = await receiver(t);
  const outputs = [output(21, 'HLS / TS', QUICK.output), output(22, 'STREAM', { url })];
  const renditions = [rendition(11, 320, 180, 500, QUICK.rendition)];
  const runner = startRunner(t, dir, runSpec('still', fileSource(clip), outputs, { renditions }));
  await running(runner);
  await until('three seconds', () => viewed().times.length > 90);
  const folderOf = join(liveDir(dir, LIVESTREAM_ID, 21), '11');
  /** Date of a segment less the time of its first picture, in ms. */
  const offsets = (): number[] => {
    const { segments } = HLS.parse(readFileSync(join(folderOf, 'index.m3u8'), 'utf8')) as HLS.types.MediaPlaylist;
    return segments.map(({ uri, programDateTime }) => {
      return programDateTime!.getTime() - 1000 * timesIn(join(folderOf, uri))[0]!;
    });
  };
  const before = delayNow(viewed());
  await stall(runner.pid, 600, 10, 1600);
  const late = (): number => delayNow(viewed()) - before;
  await until('it is in time again', () => late() < 100).catch((error: unknown) => {
    throw new Error(`It is ${Math.round(late())} ms late`, { cause: error });
  });
  t.diagnostic(`${late().toFixed(1)} ms after ten standstills of 600 ms`);
  const dates = offsets();
  assert.ok(Math.max(...dates) - Math.min(...dates) < 100, dates.map(Math.round).join());
  const { times } = viewed();
  const off = Math.max(...times.slice(1).map((time, at) => Math.abs(time - times[at]! - 1 / 30)));
  assert.ok(off < 0.001, `a step of ${off} s besides`);
  assert.ok(!runner.events().some(({ kind }) => kind === 'encoder_stalled' || kind === 'source_lost'));
});
