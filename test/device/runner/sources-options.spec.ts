/** Options of the source on air: edges that are cut off, and what viewers see while it is lost. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { RunSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { change } from './changing.ts';
import { clip, folder, running, startRunner, type TestRunner } from './runner-fixture.ts';
import { itLong } from '../../helpers/counts.ts';
import { until } from '../../helpers/until.ts';
import { feed } from './feeder.ts';
import { fileSource, output, QUICK, rendition, runSpec, source } from './specs.ts';
import { lastBrightness, rendered } from './viewing.ts';
import { freePort } from '../../helpers/ports.ts';
import { rtmpOrder, startPush } from '../push/push-fixture.ts';
import { wordsOf } from '../../helpers/words.ts';

const SMALL = { renditions: [rendition(11, 320, 180, 300, QUICK.rendition)] };
const HLS = [output(21, 'HLS / TS', QUICK.output)];
/** Takes off the white of the picture, and nothing of its shape. */
const NARROW = { left: 25, right: 0, top: 25, bottom: 0 };

/** Black, but for a white band on the left, a quarter of the width. */
function banded(dir: string): string {
  const path = join(dir, 'banded.mp4');
  const picture = 'color=black:size=320x180:rate=30,drawbox=x=0:y=0:w=80:h=180:color=white:t=fill';
  const inputs = ['-f', 'lavfi', '-i', picture, '-f', 'lavfi', '-i', 'sine=sample_rate=48000'];
  const coding = wordsOf('-t 10 -c:v libx264 -preset ultrafast -g 30 -pix_fmt yuv420p -c:a aac');
  execFileSync('ffmpeg', ['-v', 'error', ...inputs, ...coding, path]);
  return path;
}

const shows = (dir: string, what: string, fits: (brightness: number) => boolean): Promise<unknown> =>
  until(what, () => rendered(dir).length > 0 && fits(lastBrightness(rendered(dir).at(-1)!)));
const kinds = (runner: TestRunner): string[] => runner.events().map(({ kind }) => kind);

test('a crop holds from the start of a run, and is changed on air without a break', async (t) => {
  const dir = folder(t);
  const runner = startRunner(t, dir, runSpec('crop', fileSource(banded(dir)), HLS, { ...SMALL, crop: NARROW }));
  await running(runner);
  await shows(dir, 'a black picture', (brightness) => brightness < 20);
  const encoder = runner.childNamed('pipe:5');
  const whole = await change(runner, { type: 'options', options: { crop: null } });
  assert.equal(whole.status, 200, whole.detail);
  await shows(dir, 'the band', (brightness) => brightness > 55 && brightness < 90);
  const half = { left: 12.5, right: 0, top: 0, bottom: 0 };
  assert.equal((await change(runner, { type: 'options', options: { crop: half } })).status, 200);
  // A seventh of the picture is white, and bars make up for the width that is gone.
  await shows(dir, 'half the band', (brightness) => brightness > 30 && brightness < 55);
  assert.deepEqual((JSON.parse(readFileSync(runner.files.spec, 'utf8')) as RunSpec).crop, half);
  const messages = runner
    .events()
    .filter(({ kind }) => kind === 'runtime_changed')
    .map(({ message }) => message);
  assert.match(messages[1]!, /cropped; the source was opened a second time for it, without a break/u);
  const nothing = await change(runner, {
    type: 'options',
    options: { crop: { left: 50, right: 50, top: 0, bottom: 0 } },
  });
  assert.deepEqual([nothing.status, nothing.code], [422, 'rule_violated']);
  assert.equal(runner.childNamed('pipe:5'), encoder);
  assert.ok(!kinds(runner).some((kind) => kind.startsWith('source_')));
  await until('one ingest', () => runner.children().length === 2);
});

itLong('a crop of a pushed source opens it a second time, and the pusher stays connected', async (t) => {
  const dir = folder(t);
  const port = await freePort();
  const from = source('RTMP-Push', { app: 'live', stream_key: 'a-key', port });
  await startPush(t, dir, rtmpOrder(from.channelId, port, { stream_key: 'a-key' }));
  const runner = startRunner(t, dir, runSpec('crop-push', from, HLS, { ...SMALL, startTimeoutSeconds: 60 }));
  await until('the ingest runs', () => runner.children().length === 2);
  const pusher = feed(t, banded(dir), '-f', 'flv', `rtmp://127.0.0.1:${port}/live/a-key`);
  await running(runner);
  await shows(dir, 'the band', (brightness) => brightness > 55 && brightness < 90);
  const answer = await change(runner, { type: 'options', options: { crop: NARROW } });
  assert.equal(answer.status, 200, answer.detail);
  t.diagnostic(`opened anew in ${answer.seconds.toFixed(2)} s`);
  assert.match(runner.events().at(-1)!.message, /cropped; the source was opened a second time for it/u);
  await shows(dir, 'a black picture', (brightness) => brightness < 20);
  assert.equal(pusher.words(), '');
  assert.equal(await Promise.race([pusher.ended, Promise.resolve('connected')]), 'connected');
});

itLong('another fallback that is set while the source is lost is seen at once', async (t) => {
  const dir = folder(t);
  const fallback = clip(dir);
  const ends = fileSource(clip(dir, { seconds: 3 }), false);
  const runner = startRunner(t, dir, runSpec('fallback', ends, HLS, SMALL));
  await running(runner);
  await until('source_lost', () => kinds(runner).includes('source_lost'));
  await shows(dir, 'the slate', (brightness) => brightness < 45);
  const file = { mode: 'file' as const, path: fallback };
  assert.equal((await change(runner, { type: 'options', options: { fallback: file } })).status, 200);
  await shows(dir, 'the file', (brightness) => brightness > 60);
  assert.equal(runner.children().length, 2, 'its ingest and the encoder');
  assert.equal(
    (await change(runner, { type: 'options', options: { fallback: { mode: 'slate', path: null } } })).status,
    200,
  );
  await shows(dir, 'the slate again', (brightness) => brightness < 45);
  await until('its ingest is gone', () => runner.children().length === 1);
  assert.equal(
    (await change(runner, { type: 'options', options: { fallback: { mode: 'none', path: null } } })).status,
    200,
  );
  await shows(dir, 'the last picture', (brightness) => brightness > 60);
  const missing = await change(runner, { type: 'options', options: { fallback: { mode: 'file', path: null } } });
  assert.equal(missing.code, 'rule_violated');
  const markers = await change(runner, { type: 'options', options: { scteMarkers: true } });
  assert.equal(markers.status, 200);
  assert.equal((JSON.parse(readFileSync(runner.files.spec, 'utf8')) as RunSpec).scteMarkers, true);
});
