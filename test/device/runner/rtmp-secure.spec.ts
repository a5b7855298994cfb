/** Servers that ask for more than a key: by RTMPS, whose certificates are verified, by a user and a password, by a redirect. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { keepNetworks } from '../../../device/network-rules.ts';
import { authority } from './certificates.ts';
import { feed } from './feeder.ts';
import { clip, everyCommandLine, folder, running, startRunner, type TestRunner } from './runner-fixture.ts';
import { until } from '../../helpers/until.ts';
import { rtmpGate, type GateRules } from './rtmp-gate.ts';
import { rtmpSink } from './rtmp-sink.ts';
import { fileSource, output, rendition, runSpec } from './specs.ts';

const SMALL = { renditions: [rendition(11, 320, 180, 300)] };

async function stateOf(runner: TestRunner, publishingId: number) {
  const { publishings } = await runner.report();
  return publishings.find((one) => one.publishingId === publishingId)!.primary;
}

/** The reason that the RTMP Destination gives once it was refused. */
async function refusalOf(runner: TestRunner, publishingId: number): Promise<string> {
  return until(`${publishingId} is refused`, async () => (await stateOf(runner, publishingId)).last_error ?? false);
}

test('a certificate of a configured authority is accepted, for its own host alone', async (t) => {
  const dir = folder(t);
  const { ca, ...tls } = authority(dir, 'DNS:localhost');
  const sink = await rtmpSink(t, tls);
  const to = (host: string) => ({ url: `rtmps://${host}:${sink.port}/live`, stream_key: 'canary-secure' });
  const outputs = [output(22, 'RTMP', to('localhost')), output(23, 'RTMP', to('127.0.0.1'))];
  process.env['SSL_CERT_FILE'] = ca;
  const runner = startRunner(t, dir, runSpec('known', fileSource(clip(dir)), outputs, SMALL));
  delete process.env['SSL_CERT_FILE'];
  await running(runner);
  await until('pictures over TLS', () => sink.messages.filter(({ type }) => type === 9).length > 30);
  assert.match(await refusalOf(runner, 23), /certificate of 127\.0\.0\.1:\d+ is for another host/u);
  assert.deepEqual(
    sink.admitted.map(({ key }) => key),
    ['canary-secure'],
  );
  assert.equal((await stateOf(runner, 22)).state, 'up');
  assert.ok(!everyCommandLine().includes('canary-secure'), 'no stream key in any process list');
  await runner.stop();
  assert.equal(await runner.exited, 0);
});

test('a server that asks for a user gets one, also behind a redirect; what is refused or leads astray is said, without any secret', async (t) => {
  const dir = folder(t);
  keepNetworks(dir, '!127.0.0.2');
  const sink = await rtmpSink(t);
  const user = { username: 'canary-user@site', password: 'canary-password' };
  const gate = (more: Omit<GateRules, 'to'>): Promise<number> => rtmpGate(t, { ...more, to: sink.port });
  const adobe = await gate({ login: { scheme: 'adobe', ...user } });
  const llnw = await gate({ login: { scheme: 'llnw', ...user } });
  const to = (port: number, host = '127.0.0.1'): string => `rtmp://${host}:${port}/live`;
  const leads = async (redirect: string): Promise<string> => to(await gate({ redirect }));
  const thrice = await leads(await leads(await leads(to(sink.port))));
  const wrong = { ...user, password: 'canary-wrong' };
  const failing = [
    [31, to(adobe), wrong, /The server 127\.0\.0\.1:\d+ does not take the user or the password/u],
    [32, to(llnw), { ...user, username: 'nobody' }, /does not take the user or the password/u],
    [33, to(adobe), {}, /asks for a user and a password; set username and password/u],
    [34, await leads(to(9, '127.0.0.2')), user, /not followed: 127\.0\.0\.2 is .*ONAIR_SOURCE_NETWORKS/u],
    [36, await leads(thrice), user, /sends the stream on once more, after 3 redirects/u],
    [35, await leads('http://127.0.0.1/live'), user, /not followed: it is none of RTMP/u],
  ] as const;
  const working = [
    [22, await leads(await leads(to(adobe)))],
    [23, to(llnw)],
    [24, await leads(`${to(sink.port)}/canary-key-24`)],
  ] as const;
  const outputs = [
    ...working.map(([id, url]) => output(id, 'RTMP', { url, stream_key: `canary-key-${id}`, ...user })),
    ...failing.map(([id, url, login]) => output(id, 'RTMP', { url, stream_key: `canary-key-${id}`, ...login })),
  ];
  const runner = startRunner(t, dir, runSpec('login', fileSource(clip(dir)), outputs, SMALL));
  await running(runner);
  for (const [id] of working) await until(`${id} is up`, async () => (await stateOf(runner, id)).state === 'up');
  for (const [id, , , reason] of failing) assert.match(await refusalOf(runner, id), reason);
  // ffmpeg speaks both schemes by itself.
  for (const port of [adobe, llnw]) {
    const address = `rtmp://canary-user@site:canary-password@127.0.0.1:${port}/live/of-ffmpeg-${port}`;
    feed(t, clip(dir), '-f', 'flv', address);
  }
  await until('ffmpeg, too', () => sink.admitted.filter(({ key }) => key.startsWith('of-ffmpeg')).length === 2);
  const keys = new Set(sink.admitted.map(({ key }) => key));
  assert.deepEqual([...keys].filter((key) => key.startsWith('canary')).sort(), [
    'canary-key-22',
    'canary-key-23',
    'canary-key-24',
  ]);
  assert.ok(!JSON.stringify([await runner.report(), runner.events()]).includes('canary'));
  assert.ok(!readFileSync(runner.files.log, 'utf8').includes('canary'));
  await runner.stop();
  assert.equal(await runner.exited, 0);
});
