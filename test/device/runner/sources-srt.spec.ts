/** SRT sources, both ways round, with real peers. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { RunReport } from '../../../domain/shapes/broadcasts/run.ts';
import { clip, folder, running, startRunner, type TestRunner } from './runner-fixture.ts';
import { itLong } from '../../helpers/counts.ts';
import { until } from '../../helpers/until.ts';
import { feed, keepFeeding } from './feeder.ts';
import { output, QUICK, rendition, runSpec, source } from './specs.ts';
import { lastBrightness, rendered } from './viewing.ts';
import { freePort } from '../../helpers/ports.ts';
import { startPush } from '../push/push-fixture.ts';

const SMALL = { renditions: [rendition(11, 320, 180, 300, QUICK.rendition)] };
const HLS = [output(21, 'HLS / TS', QUICK.output)];
/** Characters that a URL or a list would take for its own. */
const PASSPHRASE = "canary's & +%41 phrase";

function ofChildren(runner: TestRunner, what: 'cmdline' | 'environ'): string {
  return runner
    .children()
    .map(({ pid }) => readFileSync(`/proc/${pid}/${what}`, 'utf8'))
    .join('\n');
}

/** Lost, slate, and back; the run is on air all the time. */
async function lostAndBack(runner: TestRunner, dir: string, lose: () => void, again: () => void): Promise<void> {
  await until('the picture is on air', () => lastBrightness(rendered(dir).at(-1)!) > 60);
  lose();
  await until('source_lost', () => runner.events().some(({ kind }) => kind === 'source_lost'));
  await until('the slate is on air', () => lastBrightness(rendered(dir).at(-1)!) < 45);
  assert.equal((await runner.report()).phase, 'running');
  again();
  await until('source_restored', () => runner.events().some(({ kind }) => kind === 'source_restored'));
  await until('the picture is back', () => lastBrightness(rendered(dir).at(-1)!) > 60);
}

test('an SRT listener refuses a wrong passphrase and none, takes the right one, listens again after its caller is lost', async (t) => {
  const dir = folder(t);
  const file = clip(dir);
  const port = await freePort();
  // As earlier versions stored a passphrase that came without a key length.
  const settings = { host: '127.0.0.1', port, mode: 'listener', latency_ms: 120, encryption: 0 } as const;
  const from = source('SRT', { ...settings, passphrase: PASSPHRASE });
  const { channelId, name } = from;
  const push = await startPush(t, dir, { channelId, name, type: 'SRT', settings: from.settings });
  const refusal = async (): Promise<string | undefined> => (await push.report(channelId)).last_refusal?.reason;
  const runner = startRunner(t, dir, runSpec('listener', from, HLS, { ...SMALL, startTimeoutSeconds: 60 }));
  const call = (...secret: string[]): ReturnType<typeof feed> =>
    feed(t, file, '-f', 'mpegts', ...secret, `srt://127.0.0.1:${port}`);

  const stranger = call('-passphrase', 'another phrase altogether', '-pbkeylen', '16');
  assert.notEqual(await stranger.ended, 0);
  assert.equal(await refusal(), 'passphrase');
  assert.notEqual(await call().ended, 0);
  assert.equal((await push.report(channelId)).state, 'refused');
  await until('the runner answers', () => existsSync(runner.files.socket));
  const before = await runner.report();
  assert.deepEqual([before.phase, before.source.state], ['starting', 'connecting']);

  const caller = call('-passphrase', PASSPHRASE, '-pbkeylen', '16');
  const report = await running(runner);
  assert.equal(report.source.state, 'up');
  for (const what of ['cmdline', 'environ'] as const) assert.ok(!ofChildren(runner, what).includes('canary'));
  assert.ok(!existsSync(`${runner.files.dir}/ingest.ffconcat`), 'the list is gone when it has been read');

  await lostAndBack(runner, dir, caller.kill, () => {
    keepFeeding(t, file, '-f', 'mpegts', '-passphrase', PASSPHRASE, '-pbkeylen', '16', `srt://127.0.0.1:${port}`);
  });
  await runner.stop();
  assert.equal(await runner.exited, 0);
  assert.deepEqual(runner.left(), []);
  for (const path of [runner.files.events, runner.files.log, runner.files.final])
    assert.ok(!readFileSync(path, 'utf8').includes('canary'));
});

itLong('an SRT caller with AES-256 calls until there is a listener, and again after it is lost', async (t) => {
  const dir = folder(t);
  const file = clip(dir);
  const port = await freePort();
  const listen = (): ReturnType<typeof keepFeeding> =>
    keepFeeding(
      t,
      file,
      ...['-f', 'mpegts', '-passphrase', PASSPHRASE, '-pbkeylen', '32'],
      `srt://127.0.0.1:${port}?mode=listener`,
    );
  const from = source('SRT', { host: '127.0.0.1', port, mode: 'caller', encryption: 256, passphrase: PASSPHRASE });
  const runner = startRunner(t, dir, runSpec('caller', from, HLS, { ...SMALL, startTimeoutSeconds: 60 }));
  await until('the caller runs', () => runner.children().length === 2);
  const peer = listen();
  await running(runner);
  assert.ok(!ofChildren(runner, 'cmdline').includes('canary'));
  await lostAndBack(runner, dir, peer.kill, listen);
});

test('an SRT caller with a wrong passphrase fails the start, with the reason', async (t) => {
  const dir = folder(t);
  const port = await freePort();
  feed(t, clip(dir), '-f', 'mpegts', '-passphrase', PASSPHRASE, `srt://127.0.0.1:${port}?mode=listener`);
  await until('the peer listens', () => listensOnUdp(port));
  const passphrase = 'canary of another kind';
  const from = source('SRT', { host: '127.0.0.1', port, mode: 'caller', encryption: 128, passphrase });
  const runner = startRunner(t, dir, runSpec('stranger', from, HLS, { ...SMALL, startTimeoutSeconds: 60 }));
  await runner.exited;
  const text = readFileSync(runner.files.final, 'utf8');
  assert.match(
    (JSON.parse(text) as RunReport).error!,
    /^Channel "Feed" cannot be taken in: its peer refuses the SRT connection: .*passphrase/u,
  );
  assert.ok(!text.includes('canary'));
});

test('an SRT Channel without its passphrase starts no process', async (t) => {
  const dir = folder(t);
  const from = source('SRT', { host: '127.0.0.1', port: 9, encryption: 128 });
  const runner = startRunner(t, dir, runSpec('bare', from, HLS, SMALL));
  await runner.exited;
  const { error } = JSON.parse(readFileSync(runner.files.final, 'utf8')) as RunReport;
  assert.match(error!, /passphrase of Channel "Feed" is required with encryption 128/u);
});

/** Some process has the port: /proc/net/udp has it in hexadecimal, the owner is of no interest. */
function listensOnUdp(port: number): boolean {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  return readFileSync('/proc/net/udp', 'utf8').includes(`:${hex} `);
}
