/** One good Destination beside those that fail, each with its reason; and sources that may not be taken in. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { channelIssues } from '../../../domain/shapes/sources/channel.ts';
import type { RunReport } from '../../../domain/shapes/broadcasts/run.ts';
import { launch } from '../../../device/ffmpeg/launch.ts';
import { trySandbox } from '../../../device/ffmpeg/trial.ts';
import { rawIngestArgs } from '../../../device/media/arguments/ingest-args.ts';
import { ingestInput } from '../../../device/media/arguments/source-input.ts';
import { planLadder } from '../../../device/media/ladder/ladder-plan.ts';
import { keepNetworks, reachOf } from '../../../device/network-rules.ts';
import { reachedSource } from '../../../device/runner/input/checked-address.ts';
import { refusalOfChild } from '../../../device/runner/input/ingest-end.ts';
import { hugeAvi, hugePng } from '../../helpers/huge-picture.ts';
import { freePort } from '../../helpers/ports.ts';
import { until } from '../../helpers/until.ts';
import { authority } from './certificates.ts';
import { capture } from './receivers.ts';
import { rtmpSink } from './rtmp-sink.ts';
import { clip, folder, running, startRtmpServer, startRunner } from './runner-fixture.ts';
import { innerService } from './inner-service.ts';
import { fileSource, output, QUICK, rendition, runSpec, source } from './specs.ts';
import { rendered } from './viewing.ts';
import { startWebServer } from './web-server.ts';

const SMALL = { renditions: [rendition(11, 320, 180, 300, QUICK.rendition)], startTimeoutSeconds: 60 };
const FORBIDDEN = /127\.0\.0\.2 is .*ONAIR_SOURCE_NETWORKS/u;

test('each Destination that fails says why, a good one beside them goes on, and one whose server comes is up', async (t) => {
  const dir = folder(t);
  keepNetworks(dir, '!127.0.0.2');
  const { there, connections } = await innerService(t);
  const [dead, deadOrigin] = [await freePort(), await freePort()];
  const { key, cert } = authority(dir, 'IP:127.0.0.1,DNS:localhost');
  const sink = await rtmpSink(t, { key, cert });
  const taken = await capture(t);
  const failing = [
    [output(22, 'RTMP', { url: `rtmp://127.0.0.1:${dead}/live`, stream_key: 'canary-key' }), /refuses connections/u],
    [
      output(23, 'RTMP', { url: `rtmps://localhost:${sink.port}/live`, stream_key: 'canary' }),
      /is not signed by an authority that/u,
    ],
    [
      output(24, 'RTMP', { url: `rtmps://127.0.0.1:${sink.port}/app/${'z'.repeat(985)}tls_verify=0` }),
      /of 997 bytes; RTMP Destinations take at most 900/u,
    ],
    [output(25, 'RTMP', { url: `rtmp://${there}/live`, stream_key: 'key' }), FORBIDDEN],
    [output(26, 'DASH', { url: `http://${there}/dash/` }), FORBIDDEN],
    [output(27, 'SRT', { url: `srt://${there}` }), FORBIDDEN],
    [output(28, 'STREAM', { url: `udp://${there}` }), FORBIDDEN],
    [output(29, 'HLS / TS', { url: 'http://169.254.169.254/live/' }), /169\.254\.169\.254 is .*ONAIR_SOURCE_NETWORKS/u],
    [output(30, 'CMAF', { url: `http://127.0.0.1:${deadOrigin}/in` }), /refuses connections/u],
    [output(31, 'STREAM', { url: 'udp://127.0.0.1:9?localaddr=192.0.2.1' }), /cannot be sent: bind/u],
    [output(32, 'STREAM', { url: 'udp://127.0.0.1' }), /needs a port/u],
    [output(34, 'STREAM', { url: 'udp://no-such-host.invalid:5000' }), /no-such-host\.invalid cannot be resolved/u],
    [
      output(33, 'SRT', { url: `srt://127.0.0.1:${taken.port}?mode=listener` }),
      /The UDP port of 127\.0\.0\.1:\d+ is in use/u,
    ],
  ] as const;
  const outputs = [output(21, 'HLS / TS', QUICK.output), ...failing.map(([spec]) => spec)];
  const runner = startRunner(t, dir, runSpec('refused', fileSource(clip(dir, { seconds: 3 })), outputs, SMALL));
  await running(runner);
  const pathOf = async (id: number) =>
    (await runner.report()).publishings.find(({ publishingId }) => publishingId === id)!.primary;
  for (const [{ publishingId }, reason] of failing) {
    const path = await until(`${publishingId} has failed`, async () => {
      const now = await pathOf(publishingId);
      return now.last_error !== null && now;
    });
    assert.match(path.last_error!, reason);
    assert.notEqual(path.state, 'up');
  }
  assert.deepEqual([connections(), sink.admitted.length, sink.messages.length], [0, 0, 0]);
  mkdirSync(join(dir, 'server'));
  await startRtmpServer(t, join(dir, 'server'), dead);
  await until('it is up once its server is there', async () => (await pathOf(22)).state === 'up');
  const from = rendered(dir).length;
  await until('the good one goes on', () => rendered(dir).length > from + 1);
  const { state, attempts } = await pathOf(21);
  assert.deepEqual([state, attempts], ['up', 0]);
  assert.ok(!JSON.stringify([await runner.report(), runner.events()]).includes('canary'));
  await runner.stop();
  assert.equal(await runner.exited, 0);
  assert.deepEqual(runner.left(), []);
});

test('a run has failed when every Destination has spent its attempts', async (t) => {
  const dir = folder(t);
  const retry = { max_attempts: 1, initial_delay_ms: 100, max_delay_ms: 100 };
  const url = `rtmp://127.0.0.1:${await freePort()}/live/canary-key-in-url`;
  const from = fileSource(clip(dir, { seconds: 3 }));
  const runner = startRunner(t, dir, runSpec('all-failed', from, [output(22, 'RTMP', { url }, { retry })], SMALL));
  assert.equal(await runner.exited, 0);
  const { phase, error } = JSON.parse(readFileSync(runner.files.final, 'utf8')) as RunReport;
  assert.equal(phase, 'failed');
  assert.match(error!, /Every Destination has failed/u);
  assert.ok(!error!.includes('canary'));
  assert.deepEqual(
    // A busy machine may also lose the source for a moment.
    runner.events().flatMap(({ kind }) => (kind.startsWith('source_') ? [] : [kind])),
    ['destination_retrying', 'destination_failed', 'start_failed'],
  );
  assert.deepEqual(runner.left(), []);
});

test('a start whose source is refused begins with the backup, says so, and fails when that is refused too', async (t) => {
  const dir = folder(t);
  execFileSync('ffmpeg', ['-v', 'error', '-i', clip(dir, { seconds: 3 }), '-c', 'copy', join(dir, 'line.ts')]);
  const web = await startWebServer(t, dir);
  const channel = (channelId: number, name: string, path: string) => ({
    ...source('Stream', { url: `${web.url}/${path}` }),
    channelId,
    name,
  });
  const start = (runId: string, second: string) => {
    const more = { ...SMALL, backup: channel(32, 'Line B', second), pair: { first: 31, backup: 32 } };
    const outputs = [output(21, 'HLS / TS', QUICK.output)];
    return startRunner(t, dir, runSpec(runId, channel(31, 'Line A', 'gone.ts'), outputs, more));
  };
  const runner = start('backup', 'line.ts');
  const { source: now, runtime } = await running(runner);
  assert.deepEqual([now.channelId, now.state, runtime.source], [32, 'up', 32]);
  const [failover] = runner.events().filter(({ kind }) => kind === 'failover');
  assert.deepEqual(failover?.data, { reason: 'loss', from: 31, to: 32 });
  assert.match(failover.message, /"Line A" gives nothing; Channel "Line B" is on air in its place/u);
  await runner.stop();
  assert.equal(await runner.exited, 0);
  const neither = start('neither', 'gone-too.ts');
  assert.equal(await neither.exited, 0);
  const { error } = JSON.parse(readFileSync(neither.files.final, 'utf8')) as RunReport;
  assert.match(error!, /"Line A" cannot be taken in: .*404/u);
});

test('a source in a forbidden network is refused by its opener before any connection, and another is opened', async (t) => {
  const dir = folder(t);
  keepNetworks(dir, '!127.0.0.2');
  const { there, connections } = await innerService(t);
  const network = { reach: reachOf(dir), proxyUrl: '', rtspAddress: (url: string) => url };
  const stream = (url: string) => reachedSource(source('Stream', { url }), network);
  for (const url of [
    `http://${there}/live.ts`,
    `http://user:secret@${there}/live.ts?x=1`,
    `https://${there}/live.ts`,
    `rtmp://${there}/live/key`,
    `rtsp://${there}/camera`,
  ])
    await assert.rejects(stream(url), FORBIDDEN, url);
  const [host, port] = there.split(':');
  const caller = source('SRT', { host: host!, port: Number(port), mode: 'caller' });
  await assert.rejects(reachedSource(caller, network), FORBIDDEN);
  await assert.rejects(
    stream('http://169.254.169.254/latest/x.ts'),
    /is an address where clouds answer their metadata/u,
  );
  assert.equal(connections(), 0);
  assert.equal((await stream('http://127.0.0.1:9/live.ts')).settings.url, 'http://127.0.0.1:9/live.ts');
});

/** The words of the ingest's ffmpeg about a source, its greatest resident memory in MB, and why the run would refuse it. */
async function opened(path: string): Promise<{ megabytes: number; words: string; refusal: string | undefined }> {
  const from = path.startsWith('http') ? source('Stream', { url: path }) : fileSource(path, false);
  const input = ingestInput(from);
  const args = rawIngestArgs(from, input, planLadder(SMALL.renditions), 'video');
  const { sandbox } = await trySandbox();
  const access = { reads: input.reads ?? [] };
  const child = launch('ffmpeg', args, {
    stdio: ['ignore', 'ignore', 'pipe', 'ignore'],
    work: 'read',
    sandbox,
    access,
  });
  let megabytes = 0;
  let words = '';
  child.stderr!.on('data', (chunk: Buffer) => {
    words += chunk.toString();
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      megabytes = Math.max(megabytes, Number(/^VmHWM:\s+(\d+)/mu.exec(status)?.[1] ?? 0) / 1024);
    } catch {
      // It has ended.
    }
  });
  await new Promise((resolve) => child.once('close', resolve));
  return { megabytes, words, refusal: refusalOfChild({ recentStderr: words } as Parameters<typeof refusalOfChild>[0]) };
}

test('a text, a list that leads to a file and a picture of 256 million pixels are refused before any picture of them is decoded', async (t) => {
  const dir = folder(t);
  const put = (name: string, content: string | Buffer): string => {
    writeFileSync(join(dir, name), content);
    return join(dir, name);
  };
  const canary = put('canary.txt', 'SecretAccessKey: canary-of-the-machine\n'.repeat(400));
  const inner = put('inner.mp4', 'no media');
  put('evil.m3u8', `#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\nfile://${inner}\n#EXT-X-ENDLIST\n`);
  put('list.txt', `ffconcat version 1.0\nfile '${canary}'\n`);
  const [png, avi] = [put('huge.png', hugePng(16_000)), put('huge.avi', hugeAvi(16_000))];
  const web = await startWebServer(t, dir);
  for (const [path, words, refusal] of [
    [`${web.url}/canary.txt`, /not on whitelist/u, /is a text, a picture or a list/u],
    [`${web.url}/list.txt`, /not on whitelist/u, /is a text, a picture or a list/u],
    [canary, /not on whitelist|Invalid data/u, undefined],
    [`${web.url}/evil.m3u8`, /Protocol 'file' not on whitelist/u, undefined],
    [png, /Format not on whitelist/u, /is a text, a picture or a list/u],
    [avi, /16000x16000 exceeds/u, /pictures of 16000x16000 pixels, more than 36 million/u],
  ] as const) {
    const answer = await opened(path);
    assert.match(answer.words, words, path);
    if (refusal !== undefined) assert.match(answer.refusal ?? '', refusal, path);
    assert.ok(answer.megabytes < 300, `${answer.megabytes} MB for ${path}`);
  }
});

test('an address that does not fit the type of its Channel is refused when it is stored', () => {
  const fields = (type: 'Stream' | 'SRT', settings: object): string[] =>
    channelIssues({ type, settings } as Parameters<typeof channelIssues>[0]).map(({ field }) => field);
  for (const url of [
    ...['concat:/etc/passwd', 'file:///etc/passwd', '/etc/passwd', '-f lavfi -i testsrc', 'pipe:0', 'lavfi:testsrc'],
    ...['subfile,,start,0,end,9,,:/etc/passwd', 'srt://host:1', "http://host/x' \nfile '/etc/passwd"],
  ])
    assert.deepEqual(fields('Stream', { url }), ['settings.url'], url);
  for (const host of ['host?mode=listener', 'host:9/x', "host'\nfile '/etc/passwd", 'a b', 'user@host'])
    assert.deepEqual(fields('SRT', { host, port: 9000 }), ['settings.host'], host);
  for (const host of ['far.example', '192.0.2.1', '::', '[2001:db8::1]', 'fe80::1%eth0'])
    assert.deepEqual(fields('SRT', { host, port: 9000 }), [], host);
});
