/** Destinations in trouble, one at a time: the others must not notice. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { liveDir } from '../../../device/run-dir.ts';
import { clip, folder, running, startRtmpServer, startRunner, type TestRunner } from './runner-fixture.ts';
import { until } from '../../helpers/until.ts';
import { capture, continuityErrors } from './receivers.ts';
import { fileSource, LIVESTREAM_ID, output, rendition, runSpec } from './specs.ts';
import { cleanUp } from '../../helpers/clean-up.ts';
import { freePort } from '../../helpers/ports.ts';

const SMALL = { renditions: [rendition(11, 320, 180, 300)] };

async function path(runner: TestRunner, publishingId: number, which: 'primary' | 'backup' = 'primary') {
  const report = await runner.report();
  return report.publishings.find((publishing) => publishing.publishingId === publishingId)![which]!;
}

function segments(dir: string): number {
  const playlist = join(liveDir(dir, LIVESTREAM_ID, 21), '11/index.m3u8');
  return existsSync(playlist) ? readFileSync(playlist, 'utf8').split('#EXTINF').length - 1 : 0;
}

test('a dead RTMP server is tried again until it is back, and neither HLS nor the primary path notices', async (t) => {
  const dir = folder(t);
  const [deadPort, alive] = [await freePort(), await startRtmpServer(t, dir, await freePort())];
  const urls = {
    url: `rtmp://127.0.0.1:${alive.port}/live`,
    backup_url: `rtmp://127.0.0.1:${deadPort}/live`,
    stream_key: 'canary-dead',
  };
  const outputs = [output(21, 'HLS / TS'), output(22, 'RTMP', urls, { backup: true })];
  const runner = startRunner(t, dir, runSpec('dead-rtmp', fileSource(clip(dir)), outputs, SMALL));
  await running(runner);
  const retrying = await until('the backup is tried again', async () => {
    const status = await path(runner, 22, 'backup');
    return status.state === 'retrying' && status.attempts >= 2 && status;
  });
  assert.match(retrying.last_error!, /refuses connections/u);
  assert.ok(retrying.next_retry_at !== null);
  await until('the primary is up', async () => (await path(runner, 22)).state === 'up');
  const before = segments(dir);
  await until('HLS goes on', () => segments(dir) > before);
  const [client] = await alive.publishers();
  mkdirSync(join(dir, 'second'));
  await startRtmpServer(t, join(dir, 'second'), deadPort);
  await until('the backup is up', async () => (await path(runner, 22, 'backup')).state === 'up');
  assert.deepEqual(
    (await alive.publishers()).map((one) => one.client),
    [client!.client],
    'the primary has kept its connection',
  );

  const live = liveDir(dir, LIVESTREAM_ID, 21);
  renameSync(live, `${live}-away`);
  writeFileSync(live, 'a file where the folder was');
  const broken = await until('HLS cannot be written', async () => {
    const status = await path(runner, 21);
    return status.state === 'retrying' && status;
  });
  assert.match(broken.last_error!, /segments cannot be written/u);
  assert.equal((await path(runner, 22)).state, 'up', 'RTMP does not notice');
  rmSync(live);
  await until('HLS is back', async () => (await path(runner, 21)).state === 'up');
  const kinds = runner.events().map(({ kind }) => kind);
  assert.ok(kinds.includes('destination_down') && !kinds.includes('destination_failed'));
  assert.ok(!JSON.stringify(await runner.report()).includes('canary-dead'));
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

test('a run has failed when every Destination has spent its attempts', async (t) => {
  const dir = folder(t);
  const retry = { max_attempts: 1, initial_delay_ms: 100, max_delay_ms: 100 };
  const outputs = [
    output(22, 'RTMP', { url: `rtmp://127.0.0.1:${await freePort()}/live/canary-key-in-url` }, { retry }),
  ];
  const runner = startRunner(t, dir, runSpec('all-failed', fileSource(clip(dir)), outputs, SMALL));
  assert.equal(await runner.exited, 0);
  const final = JSON.parse(readFileSync(runner.files.final, 'utf8')) as { phase: string; error: string };
  assert.equal(final.phase, 'failed');
  assert.match(final.error, /Every Destination has failed/u);
  assert.ok(!final.error.includes('canary'));
  assert.deepEqual(
    runner.events().map(({ kind }) => kind),
    ['destination_retrying', 'destination_failed', 'start_failed'],
  );
  assert.deepEqual(runner.left(), []);
});

test('a stop ends frozen processes', async (t) => {
  const dir = folder(t);
  const outputs = [output(21, 'HLS / TS'), output(23, 'Record')];
  const runner = startRunner(t, dir, runSpec('frozen', fileSource(clip(dir)), outputs, SMALL));
  await running(runner);
  await until('all up', async () => (await path(runner, 23)).state === 'up');
  for (const part of ['pipe:5', 'recordings', 'pipe:4']) process.kill(runner.childNamed(part), 'SIGSTOP');
  await runner.stop();
  assert.equal(await runner.exited, 0);
  assert.deepEqual(runner.left(), []);
});
