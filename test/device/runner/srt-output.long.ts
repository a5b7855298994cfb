/** SRT to a real ffmpeg that listens or calls, in the clear and encrypted, present and absent. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clip, folder, running, startRtmpServer, startRunner, type TestRunner } from './runner-fixture.ts';
import { until } from '../../helpers/until.ts';
import { capture, decoded, receive, type Receiver } from './receivers.ts';
import { fileSource, output, QUICK, rendition, runSpec } from './specs.ts';
import { changeRun } from '../../../device/agent/runs/ask-runner.ts';
import { flowOf, makeCountedClip, timelineOf } from '../../helpers/counted.ts';
import { publishingCreate } from '../../../domain/shapes/destinations/publishing.ts';
import { liveDir } from '../../../device/run-dir.ts';
import { LIVESTREAM_ID } from './specs.ts';
import { freePort } from '../../helpers/ports.ts';
import type { PublishingSettings } from '../../../domain/types/destination-settings.ts';

const LADDER = { renditions: [rendition(12, 320, 180, 300), rendition(11, 640, 360, 800)] };
const PHRASE = 'canary-phrase-of-79';
const srt = (encryption: 0 | 128 | 256, passphrase: string): PublishingSettings['srt'] => ({
  ...publishingCreate.settings.parse({}).srt,
  encryption,
  passphrase,
});

async function path(runner: TestRunner, publishingId: number, which: 'primary' | 'backup' = 'primary') {
  const { publishings } = await runner.report();
  return publishings.find((publishing) => publishing.publishingId === publishingId)![which]!;
}

function segments(dir: string): number {
  const playlist = join(liveDir(dir, LIVESTREAM_ID, 21), '11/index.m3u8');
  return existsSync(playlist) ? readFileSync(playlist, 'utf8').split('#EXTINF').length - 1 : 0;
}

test('a wrong SRT passphrase is reported and tried again, and HLS and RTMP do not notice', async (t) => {
  const dir = folder(t);
  const [port, rtmpPort] = await Promise.all([freePort(), freePort()]);
  const server = await startRtmpServer(t, dir, rtmpPort);
  const listen = `srt://127.0.0.1:${port}?mode=listener&pbkeylen=16&enforced_encryption=1&passphrase=`;
  receive(t, `${listen}another-phrase`, join(dir, 'wrong.ts'));
  const outputs = [
    output(21, 'HLS / TS'),
    output(22, 'RTMP', { url: `rtmp://127.0.0.1:${rtmpPort}/live`, stream_key: 'k' }),
    output(31, 'SRT', { url: `srt://127.0.0.1:${port}`, srt: srt(128, PHRASE) }),
  ];
  const runner = startRunner(t, dir, runSpec('srt-wrong', fileSource(clip(dir)), outputs, LADDER));
  await running(runner);
  const refused = await until('the peer refuses', async () => {
    const status = await path(runner, 31);
    return /refuses/u.test(status.last_error ?? '') && status.attempts >= 2 && status;
  });
  assert.match(refused.last_error!, /Incorrect passphrase/u);
  await until('RTMP is up', async () => (await path(runner, 22)).state === 'up');
  const [client] = await server.publishers();
  const before = segments(dir);
  const attempts = async (): Promise<number[]> => [
    (await path(runner, 22)).attempts,
    (await path(runner, 21)).attempts,
  ];
  const triedBefore = await attempts();
  await until('HLS goes on', () => segments(dir) > before + 1);
  assert.deepEqual(
    (await server.publishers()).map((one) => one.client),
    [client!.client],
  );
  assert.deepEqual(await attempts(), triedBefore);
  assert.equal((await path(runner, 31)).state === 'up', false);
  assert.ok(!JSON.stringify([await runner.report(), runner.events()]).includes('canary'));
});

test('an SRT Destination that gets another address and a passphrase on air goes on there, and nothing else loses a picture', async (t) => {
  const dir = folder(t);
  const [before, after] = await Promise.all([freePort(), freePort()]);
  const others = await capture(t);
  const listen = (port: number, name: string, more = ''): Receiver =>
    receive(t, `srt://127.0.0.1:${port}?mode=listener${more}`, join(dir, name));
  const first = listen(before, 'first.ts');
  const own = output(31, 'SRT', { url: `srt://127.0.0.1:${before}` });
  const outputs = [output(41, 'STREAM', { url: `udp://127.0.0.1:${others.port}` }), own];
  const counted = fileSource(makeCountedClip(join(dir, 'counted.mp4'), 3000));
  const renditions = [rendition(11, 320, 180, 400, QUICK.rendition)];
  const runner = startRunner(t, dir, runSpec('srt-moved', counted, outputs, { renditions }));
  await running(runner);
  const some = 60_000;
  await until('pictures at the first receiver', () => first.bytes() > some);
  const second = listen(after, 'second.ts', `&passphrase=${PHRASE}&pbkeylen=32&enforced_encryption=1`);
  const settings = { ...own.settings, url: `srt://127.0.0.1:${after}`, srt: srt(256, PHRASE) };
  await changeRun(runner.files.socket, { type: 'output', output: { ...own, settings } });
  await until('pictures at the second receiver', () => second.bytes() > some);
  assert.equal((await path(runner, 31)).state, 'up');
  const { dropped } = (await runner.report()).encodings[0]!;
  await runner.stop();
  assert.equal(await runner.exited, 0);
  const whole = join(dir, 'whole.ts');
  writeFileSync(whole, Buffer.concat(others.datagrams.map(({ data }) => data)));
  const shown = [first.path, second.path, whole].map((file) => timelineOf(file).pictures);
  for (const [i, pictures] of shown.entries()) {
    const { missing, repeated } = flowOf(pictures, 3000);
    const isWhole = missing <= dropped && repeated === 0 && !pictures.includes(undefined);
    assert.ok(pictures.length > 30 && isWhole, `${i}, ${dropped} dropped: ${pictures.join()}`);
  }
  assert.ok(shown[1]![0]! > shown[0]!.at(-1)!, 'no picture goes to both');
});

test('an SRT listener is up when its port is open, serves one caller after the other, and spends no attempt', async (t) => {
  const dir = folder(t);
  const port = await freePort();
  // The only Destination: a player can come as soon as the port is open, so the run is on air.
  const own = { url: `srt://127.0.0.1:${port}?mode=listener`, srt: srt(256, PHRASE) };
  const runner = startRunner(t, dir, runSpec('srt-listener', fileSource(clip(dir)), [output(31, 'SRT', own)], LADDER));
  await running(runner);
  assert.deepEqual([(await path(runner, 31)).state, (await path(runner, 31)).attempts], ['up', 0]);
  assert.deepEqual(
    readdirSync(runner.files.dir).filter((name) => name.endsWith('.preset')),
    [],
    'the passphrase is not on the disk while nobody calls',
  );
  for (const name of ['first.ts', 'second.ts']) {
    const call = `srt://127.0.0.1:${port}?mode=caller&connect_timeout=8000&passphrase=${PHRASE}&pbkeylen=32`;
    const caller = await until(`the caller of ${name} is served`, async () => {
      const one = receive(t, call, join(dir, name), 2);
      await until('its end', () => one.process.exitCode !== null);
      return one.bytes() > 0 && one;
    });
    const { video, complaints } = await decoded(caller.path);
    t.diagnostic(`${name}: ${video} pictures ${complaints}`);
    assert.ok(video >= 45 && complaints === '', `${video} ${complaints}`);
  }
  const { state, attempts, last_error } = await path(runner, 31);
  assert.deepEqual([state, attempts, last_error], ['up', 0, null]);
  assert.equal(runner.events().filter(({ kind }) => kind === 'destination_up').length, 1);
  await runner.stop();
  assert.equal(await runner.exited, 0);
  assert.deepEqual(runner.left(), []);
});
