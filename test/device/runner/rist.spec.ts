/** RIST both ways, with real peers: who is let in, when a Destination is up, and what is said of a wrong secret. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DEFAULT_RIST } from '../../../domain/network/rist.ts';
import type { RunReport } from '../../../domain/shapes/broadcasts/run.ts';
import { openRistRelay } from '../../../device/runner/rist/rist-relay.ts';
import { clip, folder, running, startRunner } from './runner-fixture.ts';
import { freePort } from '../../helpers/ports.ts';
import { itLong } from '../../helpers/counts.ts';
import { until } from '../../helpers/until.ts';
import { feed, keepFeeding } from './feeder.ts';
import { receive } from './receivers.ts';
import { output, QUICK, rendition, runSpec, source } from './specs.ts';

const SECRET = "canary's secret";
const RIST = { ...DEFAULT_RIST, buffer_ms: 300, secret: SECRET };
const KEYS = ['-secret', SECRET, '-encryption', '128'];

test('a RIST listener says of plain UDP, of no encryption and of a port in use what is wrong, and takes one sender at a time', async (t) => {
  const file = clip(folder(t));
  const port = await freePort();
  const address = `rist://@127.0.0.1:${port}`;
  const relay = await openRistRelay(address, RIST, '');
  t.after(() => relay.close());
  await assert.rejects(openRistRelay(address, RIST, ''), /in use/u);
  const received = receive(t, relay.url, join(folder(t), 'in.ts'), undefined, KEYS);
  const refused = async (words: RegExp, ...to: string[]): Promise<void> => {
    const sender = feed(t, file, '-f', 'mpegts', ...to);
    await until(`${words}`, () => words.test(relay.trouble?.message ?? ''));
    sender.kill();
    await sender.ended;
  };
  await refused(/plain UDP/u, `udp://127.0.0.1:${port}?pkt_size=1316`);
  await refused(/without encryption/u, `rist://127.0.0.1:${port}`);
  assert.equal(received.bytes(), 0);
  feed(t, file, '-f', 'mpegts', ...KEYS, `rist://127.0.0.1:${port}`);
  await until('the sender with the secret is let in', () => received.bytes() > 30_000);
  assert.equal(relay.trouble, undefined);
});

itLong('a source whose sender has another secret is named, and nothing of it is on air', async (t) => {
  const dir = folder(t);
  const port = await freePort();
  keepFeeding(
    t,
    clip(dir),
    ...['-f', 'mpegts', '-secret', 'another secret', '-encryption', '128', `rist://127.0.0.1:${port}`],
  );
  const own = source('Stream', { url: `rist://@127.0.0.1:${port}`, rist: RIST });
  const small = { renditions: [rendition(11, 320, 180, 300, QUICK.rendition)], startTimeoutSeconds: 30 };
  const runner = startRunner(t, dir, runSpec('stranger', own, [output(21, 'HLS / TS', QUICK.output)], small));
  await runner.exited;
  const { error } = JSON.parse(readFileSync(runner.files.final, 'utf8')) as RunReport;
  assert.match(error ?? '', /the RIST secret of its sender is another one/u);
  for (const written of [runner.files.events, runner.files.log, runner.files.final])
    assert.ok(!readFileSync(written, 'utf8').includes('canary'), written);
});

test('a RIST Destination is up once its receiver answers, names a wrong secret, and shows its own to nobody', async (t) => {
  const dir = folder(t);
  const [from, to] = [await freePort(), await freePort()];
  const outputs = [
    output(21, 'HLS / TS', QUICK.output),
    output(31, 'STREAM', { url: `rist://127.0.0.1:${to}`, rist: RIST }),
  ];
  const own = source('Stream', { url: `rist://@127.0.0.1:${from}`, rist: RIST });
  const small = { renditions: [rendition(11, 320, 180, 300, QUICK.rendition)], startTimeoutSeconds: 90 };
  keepFeeding(t, clip(dir), '-f', 'mpegts', ...KEYS, `rist://127.0.0.1:${from}`);
  const runner = startRunner(t, dir, runSpec('rist', own, outputs, small));
  await running(runner);

  const path = async () => (await runner.report()).publishings.find(({ publishingId }) => publishingId === 31)!.primary;
  assert.notEqual((await path()).state, 'up', 'nobody is there');
  const other = ['-secret', 'another secret', '-encryption', '128'];
  const stranger = receive(t, `rist://@127.0.0.1:${to}`, join(dir, 'wrong.ts'), undefined, other);
  await until('the secret is named', async () => /another secret/u.test((await path()).last_error ?? ''));
  await stranger.stop();
  const receiver = receive(t, `rist://@127.0.0.1:${to}`, join(dir, 'right.ts'), undefined, KEYS);
  await until('it is up', async () => (await path()).state === 'up');
  await until('media at the receiver', () => receiver.bytes() > 30_000);
  assert.deepEqual(
    readdirSync(runner.files.dir).filter((name) => name.endsWith('.preset')),
    [],
  );
  for (const { pid } of runner.children()) assert.ok(!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('canary'));
  await receiver.stop();
  await until('its end is noticed', async () => (await path()).state !== 'up');
  receive(t, `rist://@127.0.0.1:${to}`, join(dir, 'again.ts'), undefined, KEYS);
  await until('it comes back by itself', async () => (await path()).state === 'up');
  await runner.stop();
  assert.equal(await runner.exited, 0);
  for (const written of [runner.files.events, runner.files.log, runner.files.final])
    assert.ok(!readFileSync(written, 'utf8').includes('canary'), written);
});
