/** RTMP-Push: what viewers see when the pusher comes and goes. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { RunReport } from '../../../domain/shapes/broadcasts/run.ts';
import { clip, commandLine, folder, running, startRunner } from './runner-fixture.ts';
import { itLong } from '../../helpers/counts.ts';
import { until } from '../../helpers/until.ts';
import { feed } from './feeder.ts';
import { output, QUICK, rendition, runSpec, source } from './specs.ts';
import { lastBrightness, rendered } from './viewing.ts';
import { freePort } from '../../helpers/ports.ts';
import { answers, publish, rtmpOrder, startPush } from '../push/push-fixture.ts';

const SMALL = { renditions: [rendition(11, 320, 180, 300, QUICK.rendition)] };
const HLS = [output(21, 'HLS / TS', QUICK.output)];
const KEY = 'canary-key-1';

test('a connected pusher goes on air, stays connected when the run ends, and when it is lost, the slate shows until it is back', async (t) => {
  const dir = folder(t);
  const file = clip(dir);
  const port = await freePort();
  const from = source('RTMP-Push', { app: 'live', stream_key: KEY, port });
  const push = await startPush(t, dir, rtmpOrder(from.channelId, port, { stream_key: KEY }));
  const call = (): ReturnType<typeof feed> => feed(t, file, '-f', 'flv', `rtmp://127.0.0.1:${port}/live/${KEY}`);
  const pusher = call();
  await until('receiving', async () => (await push.report(from.channelId)).state === 'receiving');
  await until('a rate', async () => (await push.report(from.channelId)).video?.fps === 30);
  const runner = startRunner(t, dir, runSpec('push', from, HLS, { ...SMALL, startTimeoutSeconds: 60 }));
  assert.equal((await running(runner)).source.state, 'up');
  assert.ok(!runner.children().some(({ pid }) => commandLine(pid).includes('canary')));

  await until('the picture is on air', () => lastBrightness(rendered(dir).at(-1)!) > 60);
  assert.ok(!runner.events().some(({ kind }) => kind === 'source_lost'), 'the first one was not disturbed');
  pusher.kill();
  await until('source_lost', () => runner.events().some(({ kind }) => kind === 'source_lost'));
  await until('the slate is on air', () => lastBrightness(rendered(dir).at(-1)!) < 45);
  call();
  await until('source_restored', () => runner.events().some(({ kind }) => kind === 'source_restored'));
  await until('the picture is back', () => lastBrightness(rendered(dir).at(-1)!) > 60);

  await runner.stop();
  assert.equal(await runner.exited, 0);
  assert.deepEqual(runner.left(), []);
  assert.equal(await answers(port), true);
  for (const path of [runner.files.events, runner.files.log, runner.files.final])
    assert.ok(!readFileSync(path, 'utf8').includes('canary'));
});

test('a start without a pusher fails with what the listener says of the last one', async (t) => {
  const dir = folder(t);
  const port = await freePort();
  const from = source('RTMP-Push', { app: 'live', stream_key: KEY, port });
  await startPush(t, dir, rtmpOrder(from.channelId, port, { stream_key: KEY }));
  assert.match((await publish(port, 'live', KEY, [9, '9076766331']))!, /VVC/u);
  const runner = startRunner(t, dir, runSpec('vvc', from, HLS, { ...SMALL, startTimeoutSeconds: 3 }));
  await runner.exited;
  const { error } = JSON.parse(readFileSync(runner.files.final, 'utf8')) as RunReport;
  assert.match(error!, /no encoder sends to it; .* was refused: Its video .*VVC.* set the encoder to H\.264/u);
});

itLong('a pusher without sound goes on air on its one connection', async (t) => {
  const dir = folder(t);
  const port = await freePort();
  const from = source('RTMP-Push', { app: 'live', stream_key: KEY, port });
  await startPush(t, dir, rtmpOrder(from.channelId, port, { stream_key: KEY }));
  const runner = startRunner(t, dir, runSpec('mute', from, HLS, { ...SMALL, startTimeoutSeconds: 60 }));
  await until('the ingest runs', () => runner.children().length > 0);
  const pusher = feed(t, clip(dir, { audio: false }), '-f', 'flv', `rtmp://127.0.0.1:${port}/live/${KEY}`);
  await running(runner);
  await until('the picture is on air', () => lastBrightness(rendered(dir).at(-1)!) > 60);
  assert.equal(pusher.words(), '');
});
