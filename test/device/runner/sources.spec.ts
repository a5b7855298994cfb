/** Sources of all kinds, from their start to their loss and return. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import type { RunReport } from '../../../domain/shapes/broadcasts/run.ts';
import {
  clip,
  everyCommandLine,
  ffprobe,
  folder,
  running,
  startRtmpServer,
  startRunner,
  type TestRunner,
} from './runner-fixture.ts';
import { itLong } from '../../helpers/counts.ts';
import { until } from '../../helpers/until.ts';
import { lastBrightness, loudness, rendered } from './viewing.ts';
import { fileSource, output, QUICK, rendition, runSpec, source } from './specs.ts';
import { cleanUp, type TestScope } from '../../helpers/clean-up.ts';
import { freePort } from '../../helpers/ports.ts';

const SMALL = { renditions: [rendition(11, 160, 90, 200, QUICK.rendition)] };
const HLS = [output(21, 'HLS / TS', QUICK.output)];

/** A server that takes connections and says nothing. */
async function mute(t: TestScope): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp(t, () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

function final(runner: TestRunner): RunReport {
  return JSON.parse(readFileSync(runner.files.final, 'utf8')) as RunReport;
}

test('a source that never answers fails the start with the reason, and no process or file is left', async (t) => {
  const dir = folder(t);
  const from = source('Stream', {
    url: `http://user:canary-unheard-password@127.0.0.1:${await mute(t)}/live.ts?token=canary-unheard-token`,
  });
  const runner = startRunner(t, dir, runSpec('silent', from, HLS, { ...SMALL, startTimeoutSeconds: 10 }));
  await until('the ingest runs', () => runner.children().length === 2);
  assert.ok(!everyCommandLine().includes('canary-unheard'), 'no secret of the URL in any process list');
  assert.equal((await runner.report()).phase, 'starting');
  assert.equal(await runner.exited, 0);
  assert.equal(final(runner).phase, 'failed');
  assert.match(final(runner).error!, /"Feed" has given no media within 10 s/u);
  assert.equal(runner.events().at(-1)!.kind, 'start_failed');
  assert.ok(!runner.events().some(({ kind }) => kind === 'started'));
  assert.deepEqual(runner.left(), []);
  assert.deepEqual(
    readdirSync(runner.files.dir).filter((name) => name.endsWith('.ffconcat')),
    [],
  );
  for (const file of [runner.files.events, runner.files.final, runner.files.log])
    assert.ok(!readFileSync(file, 'utf8').includes('canary-unheard'));
});

itLong('a source that refuses is named in the failure, and a type that this ffmpeg lacks fails at once', async (t) => {
  const dir = folder(t);
  const refusing = runSpec('refusing', source('Stream', { url: `http://127.0.0.1:${await freePort()}/x.m3u8` }), HLS, {
    ...SMALL,
    startTimeoutSeconds: 2,
  });
  const unsupported = runSpec('ndi', source('NDI', { discovery: 'auto' }), HLS, SMALL);
  const runners = [startRunner(t, dir, refusing), startRunner(t, dir, unsupported)];
  await Promise.all(runners.map((runner) => runner.exited));
  assert.match(final(runners[0]!).error!, /Connection refused/u);
  assert.match(final(runners[1]!).error!, /type NDI needs .* push it to a Channel of type SRT or RTMP-Push/u);
  assert.deepEqual(
    runners[1]!.events().map(({ kind }) => kind),
    ['start_failed'],
  );
});

test('a file without sound gets silence, and sound without pictures gets the slate', async (t) => {
  const dir = folder(t);
  const picture = startRunner(t, dir, runSpec('mute', fileSource(clip(dir, { audio: false })), HLS, SMALL));
  await running(picture);
  await picture.stop();
  await picture.exited;
  const [first] = rendered(dir);
  assert.match(ffprobe(first!, '-show_entries', 'stream=codec_name'), /h264\n.*aac/u);
  assert.ok(loudness(first!) < -80, 'silence');
  assert.ok(lastBrightness(first!) > 60, 'the picture of the file');

  const sound = startRunner(t, dir, runSpec('audio-only', fileSource(clip(dir, { video: false })), HLS, SMALL));
  await running(sound);
  await sound.stop();
  await sound.exited;
  const [slate] = rendered(dir);
  assert.ok(loudness(slate!) > -40, 'the tone of the file');
  assert.ok(lastBrightness(slate!) < 45, 'the slate');
});

itLong('an RTMP source that is lost gives way to the slate and comes back', async (t) => {
  const dir = folder(t);
  const server = await startRtmpServer(t, dir, await freePort());
  const address = `rtmp://127.0.0.1:${server.port}/live/canary-path`;
  const file = clip(dir);
  const publish = (): (() => void) => {
    const args = ['-v', 'error', '-re', '-stream_loop', '-1', '-i', file, '-c', 'copy', '-f', 'flv', address];
    const feeder = spawn('ffmpeg', args, { stdio: 'ignore' });
    const kill = (): void => void feeder.kill('SIGKILL');
    cleanUp(t, kill);
    return kill;
  };
  const kill = publish();
  await until('the feed is on the server', async () => (await server.publishers()).length === 1);
  const runner = startRunner(t, dir, runSpec('lost', source('Stream', { url: address }), HLS, SMALL));
  await running(runner);
  const ownChildren = runner
    .children()
    .map(({ pid }) => readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
    .join('\n');
  assert.ok(!ownChildren.includes('canary'));
  assert.ok(lastBrightness(rendered(dir).at(-1)!) > 60);
  kill();
  await until('source_lost', () => runner.events().some(({ kind }) => kind === 'source_lost'));
  assert.equal((await runner.report()).phase, 'running');
  assert.equal((await runner.report()).source.state, 'lost');
  await until('the slate is on air', () => lastBrightness(rendered(dir).at(-1)!) < 45);
  publish();
  await until('source_restored', () => runner.events().some(({ kind }) => kind === 'source_restored'));
  await until('the picture is back', () => lastBrightness(rendered(dir).at(-1)!) > 60);
  const sequence = rendered(dir).map((path) => Number.parseInt(path.split('/').at(-1)!, 10));
  assert.deepEqual(
    sequence,
    sequence.map((_, i) => sequence[0]! + i),
    'segments went on all the time',
  );
  assert.ok(!readFileSync(runner.files.events, 'utf8').includes('canary'));
});

test('a file that does not loop ends, and the fallback file takes its place', async (t) => {
  const dir = folder(t);
  const fallback = { mode: 'file' as const, path: clip(dir) };
  const runner = startRunner(
    t,
    dir,
    runSpec('ends', fileSource(clip(dir, { seconds: 3 }), false), HLS, { ...SMALL, fallback }),
  );
  await running(runner);
  await until('source_lost', () => runner.events().some(({ kind }) => kind === 'source_lost'));
  const count = rendered(dir).length;
  await until('two more segments', () => rendered(dir).length >= count + 2);
  await until('the picture of the fallback file', () => lastBrightness(rendered(dir).at(-1)!) > 60);
  await until('its tone', () => loudness(rendered(dir).at(-1)!) > -40);
  await runner.stop();
  assert.equal(await runner.exited, 0);
});
