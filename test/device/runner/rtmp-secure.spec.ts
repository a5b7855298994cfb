/** RTMPS: certificates are verified, and what is wrong with one is said. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authority } from './certificates.ts';
import { clip, everyCommandLine, folder, running, startRunner, type TestRunner } from './runner-fixture.ts';
import { until } from '../../helpers/until.ts';
import { rtmpSink } from './rtmp-sink.ts';
import { fileSource, output, rendition, runSpec } from './specs.ts';

const SMALL = { renditions: [rendition(11, 320, 180, 300)] };

async function stateOf(runner: TestRunner, publishingId: number) {
  const { publishings } = await runner.report();
  return publishings.find((one) => one.publishingId === publishingId)!.primary;
}

/** The reason that the RTMP Destination gives once it was refused. */
async function refusalOf(runner: TestRunner): Promise<string> {
  return until('it is refused', async () => (await stateOf(runner, 22)).last_error ?? false);
}

function withAuthority<T>(file: string, task: () => T): T {
  process.env['SSL_CERT_FILE'] = file;
  try {
    return task();
  } finally {
    delete process.env['SSL_CERT_FILE'];
  }
}

test('a certificate of an unknown authority is refused, and one of a configured authority is accepted', async (t) => {
  const dir = folder(t);
  const { ca, ...tls } = authority(dir, 'IP:127.0.0.1,DNS:localhost');
  const sink = await rtmpSink(t, tls);
  const url = `rtmps://localhost:${sink.port}/live`;
  const outputs = [output(21, 'HLS / TS'), output(22, 'RTMP', { url, stream_key: 'canary-secure' })];
  const runner = startRunner(t, dir, runSpec('strange', fileSource(clip(dir)), outputs, SMALL));
  await running(runner);
  const reason = await refusalOf(runner);
  assert.match(reason, /certificate of localhost:\d+ is not signed by an authority that this Device trusts/u);
  assert.equal(sink.admitted.length, 0);
  await runner.stop();
  await runner.exited;

  const trusting = withAuthority(ca, () =>
    startRunner(t, dir, runSpec('known', fileSource(clip(dir)), outputs, SMALL)),
  );
  await running(trusting);
  await until('pictures over TLS', () => sink.messages.filter(({ type }) => type === 9).length > 30);
  assert.deepEqual(
    sink.admitted.map(({ key }) => key),
    ['canary-secure'],
  );
  assert.equal((await stateOf(trusting, 22)).state, 'up');
  assert.ok(!everyCommandLine().includes('canary-secure'), 'no stream key in any process list');
  await trusting.stop();
  assert.equal(await trusting.exited, 0);
});

test('a certificate for another host is refused, whoever has signed it', async (t) => {
  const dir = folder(t);
  const { ca, ...tls } = authority(dir, 'DNS:other.example');
  const sink = await rtmpSink(t, tls);
  const outputs = [output(21, 'HLS / TS'), output(22, 'RTMP', { url: `rtmps://localhost:${sink.port}/live/k` })];
  const runner = withAuthority(ca, () => startRunner(t, dir, runSpec('other', fileSource(clip(dir)), outputs, SMALL)));
  await running(runner);
  const reason = await refusalOf(runner);
  t.diagnostic(reason);
  assert.match(reason, /certificate of localhost:\d+ is for another host/u);
  assert.equal(sink.admitted.length, 0);
});

test('a key that is too long is not even tried', async (t) => {
  const dir = folder(t);
  const { key, cert } = authority(dir, 'IP:127.0.0.1');
  const sink = await rtmpSink(t, { key, cert });
  const url = `rtmps://127.0.0.1:${sink.port}/app/${'z'.repeat(985)}tls_verify=0`;
  const outputs = [output(21, 'HLS / TS'), output(22, 'RTMP', { url })];
  const runner = startRunner(t, dir, runSpec('attack', fileSource(clip(dir)), outputs, SMALL));
  await running(runner);
  const reason = await refusalOf(runner);
  assert.match(reason, /stream key of 997 bytes; RTMP Destinations take at most 900/u);
  assert.equal(sink.messages.length, 0);
  await runner.stop();
  await runner.exited;
});
