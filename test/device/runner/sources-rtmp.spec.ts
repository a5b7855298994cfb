/** RTMP-Push: who is let in, and what viewers see when the pusher comes and goes. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { test } from 'node:test';
import type { RunReport } from '../../../domain/run.ts';
import { clip, commandLine, folder, running, startRunner } from './runner-fixture.ts';
import { until } from '../../helpers/until.ts';
import { feed } from './feeder.ts';
import { output, QUICK, rendition, runSpec, source } from './specs.ts';
import { lastBrightness, rendered } from './viewing.ts';
import { cleanUp } from '../../helpers/clean-up.ts';
import { freePort } from '../../helpers/ports.ts';

const SMALL = { renditions: [rendition(11, 320, 180, 300, QUICK.rendition)] };
const HLS = [output(21, 'HLS / TS', QUICK.output)];
const KEY = 'canary-key-1';

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

test(
  'application and key together alone let a pusher in, one only; when lost, the slate shows until it is back',
  { timeout: 400_000 },
  async (t) => {
    const dir = folder(t);
    const file = clip(dir);
    const port = await freePort();
    const from = source('RTMP-Push', { app: 'live', stream_key: KEY, port });
    const runner = startRunner(t, dir, runSpec('push', from, HLS, { ...SMALL, startTimeoutSeconds: 25 }));
    await until('the door is open', () => answers(port), 10_000);
    const push = (path: string): ReturnType<typeof feed> =>
      feed(t, file, '-f', 'flv', `rtmp://127.0.0.1:${port}/${path}`);

    for (const path of ['live/canary-key', `live/${KEY}2`, `other/${KEY}`, 'live/x']) {
      const stranger = push(path);
      assert.notEqual(await stranger.ended, 0, path);
      assert.match(stranger.words(), /application or the key is wrong/u);
    }
    const before = await runner.report();
    assert.deepEqual([before.phase, before.source.state], ['starting', 'connecting']);

    const pusher = push(`live/${KEY}`);
    assert.equal((await running(runner, 20)).source.state, 'up');
    assert.ok(!runner.children().some(({ pid }) => commandLine(pid).includes('canary')));
    const second = push(`live/${KEY}`);
    assert.notEqual(await second.ended, 0);
    assert.match(second.words(), /publishes here already/u);

    await until('the picture is on air', () => lastBrightness(rendered(dir).at(-1)!) > 60, 10_000);
    assert.ok(!runner.events().some(({ kind }) => kind === 'source_lost'), 'the first one was not disturbed');
    pusher.kill();
    await until('source_lost', () => runner.events().some(({ kind }) => kind === 'source_lost'), 10_000);
    await until('the slate is on air', () => lastBrightness(rendered(dir).at(-1)!) < 45, 10_000);
    push(`live/${KEY}`);
    await until('source_restored', () => runner.events().some(({ kind }) => kind === 'source_restored'), 15_000);
    await until('the picture is back', () => lastBrightness(rendered(dir).at(-1)!) > 60, 10_000);

    await runner.stop();
    assert.equal(await runner.exited, 0);
    assert.deepEqual(runner.left(), []);
    assert.equal(await answers(port), false);
    for (const path of [runner.files.events, runner.files.log, runner.files.final])
      assert.ok(!readFileSync(path, 'utf8').includes('canary'));
  },
);

test('a port that is taken fails the start at once, with the remedy', { timeout: 400_000 }, async (t) => {
  const dir = folder(t);
  const port = await freePort();
  const other = createServer().listen(port);
  cleanUp(t, () => other.close());
  const from = source('RTMP-Push', { app: 'live', stream_key: KEY, port });
  const runner = startRunner(t, dir, runSpec('taken', from, HLS, { ...SMALL, startTimeoutSeconds: 15 }));
  await runner.exited;
  const { error } = JSON.parse(readFileSync(runner.files.final, 'utf8')) as RunReport;
  assert.match(error!, new RegExp(`port ${port} for RTMP is in use on this Device; set another port`, 'u'));
});

test('a pusher without sound goes on air on its one connection', { timeout: 400_000 }, async (t) => {
  const dir = folder(t);
  const port = await freePort();
  const from = source('RTMP-Push', { app: 'live', stream_key: KEY, port });
  const runner = startRunner(t, dir, runSpec('mute', from, HLS, { ...SMALL, startTimeoutSeconds: 25 }));
  await until('the door is open', () => answers(port), 10_000);
  const pusher = feed(t, clip(dir, { audio: false }), '-f', 'flv', `rtmp://127.0.0.1:${port}/live/${KEY}`);
  await running(runner, 25);
  await until('the picture is on air', () => lastBrightness(rendered(dir).at(-1)!) > 60, 10_000);
  assert.equal(pusher.words(), '');
});
