/** Destinations in trouble, one at a time: the others must not notice. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { liveDir } from '../../../device/run-dir.ts';
import { clip, folder, running, startRtmpServer, startRunner, type TestRunner } from './runner-fixture.ts';
import { until } from '../../helpers/until.ts';
import { capture, continuityErrors } from './receivers.ts';
import { fileSource, LIVESTREAM_ID, output, rendition, runSpec } from './specs.ts';
import { cleanUp } from '../../helpers/clean-up.ts';
import { freePort } from '../../helpers/ports.ts';

const SMALL = { renditions: [rendition(11, 320, 180, 300)] };

async function path(runner: TestRunner, publishingId: number) {
  const report = await runner.report();
  return report.publishings.find((publishing) => publishing.publishingId === publishingId)!.primary;
}

function segments(dir: string): number {
  const playlist = join(liveDir(dir, LIVESTREAM_ID, 21), '11/index.m3u8');
  return existsSync(playlist) ? readFileSync(playlist, 'utf8').split('#EXTINF').length - 1 : 0;
}

test('segments that cannot be written are told and tried again, and RTMP does not notice', async (t) => {
  const dir = folder(t);
  const { port } = await startRtmpServer(t, dir, await freePort());
  const outputs = [
    output(21, 'HLS / TS'),
    output(22, 'RTMP', { url: `rtmp://127.0.0.1:${port}/live`, stream_key: 'key' }),
  ];
  const runner = startRunner(t, dir, runSpec('broken', fileSource(clip(dir)), outputs, SMALL));
  await running(runner);
  await until('RTMP is up', async () => (await path(runner, 22)).state === 'up');
  const live = liveDir(dir, LIVESTREAM_ID, 21);
  renameSync(live, `${live}-away`);
  writeFileSync(live, 'a file where the folder was');
  const broken = await until('HLS cannot be written', async () => {
    const status = await path(runner, 21);
    return status.state === 'retrying' && status;
  });
  assert.match(broken.last_error!, /segments cannot be written/u);
  assert.equal((await path(runner, 22)).state, 'up', 'RTMP does not notice');
  rmSync(live, { recursive: true, force: true });
  await until('HLS is back', async () => (await path(runner, 21)).state === 'up');
  const isTold = (kind: string): boolean => runner.events().some((event) => event.kind === kind);
  await until('it is told', () => isTold('destination_down'));
  assert.ok(!isTold('destination_failed'));
});

test('a server that takes the connection and then no more data is given up and tried again', async (t) => {
  const dir = folder(t);
  const port = await freePort();
  const server = await startRtmpServer(t, dir, port);
  const outputs = [
    output(21, 'HLS / TS'),
    output(22, 'RTMP', { url: `rtmp://127.0.0.1:${port}/live`, stream_key: 'k-stall' }),
  ];
  const counted = await capture(t);
  outputs.push(output(23, 'STREAM', { url: `udp://127.0.0.1:${counted.port}` }));
  const heavy = { renditions: [rendition(11, 640, 360, 6000)] };
  const runner = startRunner(t, dir, runSpec('stalled-rtmp', fileSource(clip(dir)), outputs, heavy));
  await running(runner);
  await until('RTMP is up', async () => (await path(runner, 22)).state === 'up');
  const pid = Number(readFileSync(join(dir, 'nginx.pid'), 'utf8'));
  process.kill(pid, 'SIGSTOP');
  cleanUp(t, () => server.stop());
  const before = segments(dir);
  await until('the path is down', async () => runner.events().some(({ kind }) => kind === 'destination_down'));
  assert.ok(segments(dir) > before, 'HLS went on meanwhile');
  process.kill(pid, 'SIGCONT');
  await until('RTMP is up again', async () => (await path(runner, 22)).state === 'up');
  assert.equal(continuityErrors(Buffer.concat(counted.datagrams.map(({ data }) => data))), 0, 'STREAM lost nothing');
  const downs = runner.events().filter(({ kind }) => kind === 'destination_down');
  assert.deepEqual([...new Set(downs.map(({ data }) => data['publishingId']))], [22]);
});

test('a stop ends frozen processes', async (t) => {
  const dir = folder(t);
  const outputs = [output(21, 'HLS / TS'), output(23, 'Record', { container: 'ts' })];
  const runner = startRunner(t, dir, runSpec('frozen', fileSource(clip(dir)), outputs, SMALL));
  await running(runner);
  await until('all up', async () => (await path(runner, 23)).state === 'up');
  for (const part of ['pipe:5', 'recordings', 'pipe:4']) process.kill(runner.childNamed(part), 'SIGSTOP');
  await runner.stop();
  assert.equal(await runner.exited, 0);
  assert.deepEqual(runner.left(), []);
});
