/** A real runner whose run has a lease: what others could deliver to gets nothing beyond it, and gets it all again with the next one. */
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { bootMs } from '../../../device/process.ts';
import { callSocket } from '../../../device/socket-http.ts';
import { LEASE_MS } from '../../../domain/time/lease.ts';
import type { PathStatus } from '../../../domain/shapes/broadcasts/livestream-status.ts';
import type { OutputSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { cleanUp, type TestScope } from '../../helpers/clean-up.ts';
import { itLong } from '../../helpers/counts.ts';
import { freePort } from '../../helpers/ports.ts';
import { until } from '../../helpers/until.ts';
import { loggingOrigin } from './push-origins.ts';
import { receive } from './receivers.ts';
import { rtmpSink } from './rtmp-sink.ts';
import { clip, folder, running, startRunner, type TestRunner } from './runner-fixture.ts';
import { fileSource, output, rendition, runSpec } from './specs.ts';

/** A lease of which so much is left. */
async function grant({ files }: TestRunner, leftMs: number): Promise<void> {
  const body = { asked_ms: bootMs() - LEASE_MS + leftMs };
  const { status } = await callSocket({
    socket: files.socket,
    method: 'POST',
    path: '/lease',
    body,
    timeoutMs: 60_000,
  });
  assert.equal(status, 200);
}

function leased(t: TestScope, dir: string, outputs: OutputSpec[]): TestRunner {
  const small = { lease: true as const, renditions: [rendition(11, 160, 90, 100)] };
  return startRunner(t, dir, runSpec('leased', fileSource(clip(dir)), outputs, small));
}

async function states(runner: TestRunner): Promise<PathStatus['state'][]> {
  return (await runner.report()).publishings.map(({ primary }) => primary.state);
}

const are = (runner: TestRunner, ...wanted: PathStatus['state'][]): Promise<true> =>
  until(wanted.join(), async () => (await states(runner)).join() === wanted.join() || undefined).then(() => true);

/** Datagrams that have come. */
async function datagrams(t: TestScope): Promise<{ port: number; count: () => number }> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  let count = 0;
  socket.on('message', () => (count += 1));
  cleanUp(t, () => void socket.close());
  return { port: (socket.address() as AddressInfo).port, count: () => count };
}

test('a run delivers to others by its lease alone; its own delivery goes on, and a process that stood still sends nothing of what waits', async (t) => {
  const dir = folder(t);
  const [sink, stream] = [await rtmpSink(t), await datagrams(t)];
  const runner = leased(t, dir, [
    output(21, 'HLS / TS'),
    output(22, 'RTMP', { url: `rtmp://127.0.0.1:${sink.port}/live`, stream_key: 'show' }),
    output(23, 'STREAM', { url: `udp://127.0.0.1:${stream.port}` }),
  ]);
  await running(runner);
  await are(runner, 'up', 'fenced', 'fenced');
  assert.deepEqual([sink.admitted.length, stream.count()], [0, 0], 'a run begins without one');
  await grant(runner, LEASE_MS);
  await are(runner, 'up', 'up', 'up');

  await grant(runner, 100);
  assert.deepEqual(await states(runner), ['up', 'up', 'up'], 'an answer that comes late takes nothing away');
  await are(runner, 'up', 'fenced', 'fenced');
  const [down] = runner.events().filter(({ kind, data }) => kind === 'destination_down' && data['fenced'] === true);
  assert.match(
    down?.message ?? '',
    /^Destination "RTMP 22" gets nothing more: its Device has had no answer of a server for 8 s/u,
  );
  const { publishings } = await runner.report();
  assert.match(publishings[1]?.primary.last_error ?? '', /another Device may deliver in its place/u);

  const endsAt = bootMs() + 1500;
  await grant(runner, 1500);
  await are(runner, 'up', 'up', 'up');
  process.kill(runner.pid, 'SIGSTOP');
  await until('the lease is over', () => bootMs() > endsAt + 500);
  const before = [sink.messages.length, stream.count()];
  process.kill(runner.pid, 'SIGCONT');
  await are(runner, 'up', 'fenced', 'fenced');
  assert.deepEqual([sink.messages.length, stream.count()], before);
  await grant(runner, LEASE_MS);
  await are(runner, 'up', 'up', 'up');
  assert.equal((await runner.report()).phase, 'running');
});

itLong(
  'a lease that ends kills the processes of Destinations, and nothing is put on an origin beyond it',
  async (t) => {
    const dir = folder(t);
    const [srtPort, ristPort] = [await freePort(), await freePort()];
    const origin = await loggingOrigin(t);
    receive(t, `srt://127.0.0.1:${srtPort}?mode=listener`, join(dir, 'srt.ts'));
    const runner = leased(t, dir, [
      output(24, 'SRT', { url: `srt://127.0.0.1:${srtPort}` }),
      output(25, 'HLS / TS', { url: `http://127.0.0.1:${origin.port}/show` }),
      output(26, 'SRT', { url: `srt://127.0.0.1:${ristPort}?mode=listener` }),
    ]);
    await until('it reports', () => runner.report().catch(() => undefined));
    await grant(runner, LEASE_MS);
    await running(runner);
    await until('all are up', async () => {
      await grant(runner, LEASE_MS);
      return (await states(runner)).every((state) => state === 'up') || undefined;
    });
    const pids = runner.children().map(({ pid }) => pid);
    await are(runner, 'fenced', 'fenced', 'fenced');
    const put = origin.log.length;
    await until('the processes of Destinations are gone', () => runner.children().length <= pids.length - 2);
    assert.equal((await runner.report()).phase, 'running');
    assert.equal(origin.log.length, put);
  },
);
