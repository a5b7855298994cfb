/** Runs that take rate and shape from their source, on the one connection that they have to it. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { RunSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { itLong, someOf } from '../../helpers/counts.ts';
import { flowOf, numbersIn } from '../../helpers/counted.ts';
import { freePort } from '../../helpers/ports.ts';
import { until } from '../../helpers/until.ts';
import { rtmpOrder, startPush } from '../push/push-fixture.ts';
import { feed } from './feeder.ts';
import { clip, ffprobe, folder, running, startRunner, type TestRunner } from './runner-fixture.ts';
import { broadcast } from './screen.ts';
import { countedAt, openRendition, PICTURES } from './source-form.ts';
import { fileSource, output, QUICK, runSpec, source } from './specs.ts';
import { lastBrightness, rendered } from './viewing.ts';

const HLS = [output(21, 'HLS / TS', QUICK.output)];
const OPEN = { renditions: [openRendition()] };
const KEY = 'canary-key-1';

/** Every connection to a source is an ffmpeg that was started for it. */
function videoOf(runner: TestRunner): { width: number; height: number; fps: number } {
  const { renditions } = JSON.parse(readFileSync(runner.files.spec, 'utf8')) as RunSpec;
  const { width, height, fps } = renditions[0]!.video!;
  return { width, height, fps };
}

const RATES = [
  ['25', 25],
  ['60000/1001', 59.94],
] as const;
for (const [rate, fps] of someOf(RATES, 1))
  test(`a pusher of ${fps} pictures a second is on air at its own rate, picture by picture`, async (t) => {
    const dir = folder(t);
    const port = await freePort();
    const from = source('RTMP-Push', { app: 'live', stream_key: KEY, port });
    const push = await startPush(t, dir, rtmpOrder(from.channelId, port, { stream_key: KEY }));
    const file = countedAt(dir, rate);
    feed(t, file, '-f', 'flv', `rtmp://127.0.0.1:${port}/live/${KEY}`);
    await until('a rate', async () => typeof (await push.report(from.channelId)).video?.fps === 'number');
    const runner = startRunner(t, dir, runSpec('rate', from, HLS, OPEN));
    await running(runner);
    const started = runner.events().find(({ kind }) => kind === 'started')!;
    t.diagnostic(`${started.message} The first frame came after ${started.data.firstFrameSeconds as number} s.`);
    assert.deepEqual(videoOf(runner), { width: 320, height: 180, fps });
    await until('segments', () => rendered(dir).length > 6);
    await until('the rate that comes in', async () => (await runner.report()).source.fps === fps);
    const { pictures, missing, repeated } = flowOf(numbersIn(broadcast(dir, 2, 6)), PICTURES);
    assert.deepEqual({ missing, repeated }, { missing: 0, repeated: 0 }, `of ${pictures} pictures`);
  });

itLong('oblong pixels, turned pictures and upright ones keep their shape', async (t) => {
  const dir = folder(t);
  const made = (name: string, size: string, ...more: string[]): string => {
    const path = join(dir, name);
    const picture = ['-f', 'lavfi', '-i', `testsrc2=s=${size}:r=25:d=5`, ...more];
    execFileSync('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...picture, path]);
    return path;
  };
  const coding = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];
  const wide = made('wide.mp4', '320x180', ...coding);
  const turned = join(dir, 'turned.mp4');
  execFileSync('ffmpeg', [
    '-nostdin',
    '-v',
    'error',
    '-y',
    '-i',
    wide,
    '-c',
    'copy',
    '-metadata:s:v',
    'rotate=90',
    turned,
  ]);
  for (const [path, width, height] of [
    [made('oblong.mp4', '180x180', '-vf', 'setsar=16/9', ...coding), 320, 180],
    [turned, 102, 180],
    [made('upright.mp4', '180x320', ...coding), 102, 180],
  ] as const) {
    const spec = runSpec(`shape-${path.length}`, fileSource(path), HLS, {
      renditions: OPEN.renditions.map((one) => ({ ...one, audio: null })),
    });
    const runner = startRunner(t, dir, spec);
    await running(runner);
    assert.deepEqual(videoOf(runner), { width, height, fps: 25 }, path);
    await runner.stop();
    await runner.exited;
    assert.match(
      ffprobe(rendered(dir).at(-1)!, '-show_entries', 'stream=width,height'),
      new RegExp(`width=${width}\\|height=${height}`, 'u'),
    );
  }
});

test('a run that may start without its source shows the slate at once, and the source when it comes', async (t) => {
  const dir = folder(t);
  const port = await freePort();
  const url = `udp://127.0.0.1:${port}?pkt_size=1316`;
  const from = {
    ...source('Stream', { url: `udp://127.0.0.1:${port}` }),
    lastFormat: { fps: 50, width: 1280, height: 720 },
  };
  const runner = startRunner(t, dir, runSpec('without', from, HLS, { ...OPEN, startWithoutSource: 'fallback' }));
  const report = await running(runner);
  assert.notEqual(report.source.state, 'up');
  t.diagnostic(runner.events().find(({ kind }) => kind === 'started')!.message);
  assert.deepEqual(videoOf(runner), { width: 320, height: 180, fps: 50 });
  await until('the slate', () => rendered(dir).length > 1 && lastBrightness(rendered(dir).at(-1)!) < 45);
  feed(t, clip(dir), '-f', 'mpegts', url);
  await until('the source', async () => (await runner.report()).source.state === 'up');
  await until('the picture', () => lastBrightness(rendered(dir).at(-1)!) > 60);
});

test('a source that changes its form in mid-show is an event, and the output keeps its own', async (t) => {
  const dir = folder(t);
  const port = await freePort();
  const url = `udp://127.0.0.1:${port}?pkt_size=1316`;
  const from = source('Stream', { url: `udp://127.0.0.1:${port}` });
  const first = feed(t, clip(dir), '-f', 'mpegts', url);
  const runner = startRunner(t, dir, runSpec('change', from, HLS, OPEN));
  await running(runner);
  assert.deepEqual(videoOf(runner), { width: 320, height: 180, fps: 30 });
  await until('the rate that comes in', async () => (await runner.report()).source.fps === 30);
  first.kill();
  const coding = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '25', '-pix_fmt', 'yuv420p', '-c:a', 'aac'];
  feed(t, clip(dir), ...['-vf', 'scale=180:320,fps=25'], ...coding, '-f', 'mpegts', url);
  const isChange = ({ kind, data }: { kind: string; data: object }): boolean =>
    kind === 'source_format_changed' && 'to' in data;
  const { data } = await until('the event', () => runner.events().find(isChange));
  const form = { interlaced: false, rotation: 0 };
  assert.deepEqual(data, {
    channelId: from.channelId,
    from: { width: 320, height: 180, fps: 30, ...form },
    to: { width: 180, height: 320, fps: 25, ...form },
  });
  await until('the rate that comes in', async () => (await runner.report()).source.fps === 25);
  assert.match(ffprobe(rendered(dir).at(-1)!, '-show_entries', 'stream=width,height'), /width=320\|height=180/u);
});
