/** The agent and the push process: orders, reports, and who outlives whom. */
import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { test } from 'node:test';
import type { IngestEvent, IngestReport } from '../../../domain/shapes/sources/ingest.ts';
import { isAlive, killExact } from '../../../device/process.ts';
import { readJson } from '../../../device/atomic-file.ts';
import { pushFiles, type PushRecord } from '../../../device/push/push-paths.ts';
import { shutdownAgent } from '../../../device/link/client.ts';
import { freePort } from '../../helpers/ports.ts';
import { until } from '../../helpers/until.ts';
import { answers, rtmpOrder } from '../push/push-fixture.ts';
import { feed } from '../runner/feeder.ts';
import { clip } from '../runner/runner-fixture.ts';
import { TestDevice, type Watched } from './fixtures/test-device.ts';

const reports = ({ messages }: Watched): IngestReport[] =>
  messages.flatMap((message) => (message.type === 'ingests' ? [message.ingests] : [])).at(-1) ?? [];
const kinds = ({ messages }: Watched): IngestEvent['kind'][] =>
  messages.flatMap((message) => (message.type === 'ingest_event' ? [message.event.kind] : []));

test('encoders stay connected while agents die; a push process that is killed listens again', async (t) => {
  const testDevice = new TestDevice(t);
  const files = pushFiles(testDevice.dir);
  const record = (): PushRecord | undefined => readJson(files.record) as PushRecord | undefined;
  const agent = await testDevice.agent();
  const link = testDevice.link();
  const watched = testDevice.watch(link);
  assert.deepEqual((await link.hello()).ingest, {
    host: '127.0.0.1',
    publicHost: '127.0.0.1',
    url: null,
    secureHost: null,
  });
  await until('online', () => watched.states.at(-1) === true);
  assert.equal(existsSync(files.record), false, 'a Device without listeners has no such process');

  const port = await freePort();
  await link.ingests!([rtmpOrder(1, port)]);
  assert.equal(statSync(files.orders).mode & 0o777, 0o600);
  await until('the port', () => answers(port));
  const pusher = feed(t, clip(testDevice.dir), '-f', 'flv', `rtmp://127.0.0.1:${port}/live/canary-key-1`);
  await until('receiving', () => reports(watched)[0]?.state === 'receiving');
  await until('the rate', () => reports(watched)[0]!.video?.fps === 30 && reports(watched)[0]!.bitrate_kbps > 0);
  const first = record()!;
  const { since } = reports(watched)[0]!;

  assert.ok(killExact(agent.process.pid, agent.process.startTicks, 'SIGKILL'));
  await testDevice.agent();
  const later = testDevice.watch(link);
  await until('its reports', () => reports(later)[0]?.state === 'receiving');
  await until('its events', () => kinds(later).length > 0);
  assert.deepEqual(kinds(later), ['ingest_connected']);
  assert.deepEqual([record()!.pid, reports(later)[0]!.since], [first.pid, since]);
  assert.equal(pusher.words(), '');

  assert.ok(killExact(first.pid, first.startTicks, 'SIGKILL'));
  await until('the port again', () => answers(port));
  await until('the end of the connection in the log', () => kinds(later).includes('ingest_ended'));
  await until('waiting', () => reports(later)[0]?.state === 'waiting');

  const second = record()!;
  await link.ingests!([]);
  assert.equal(isAlive(second.pid, second.startTicks), false);
  assert.equal(await answers(port), false);
  await until('no listener', () => reports(later).length === 0);

  await link.ingests!([rtmpOrder(1, port)]);
  await until('the port once more', () => answers(port));
  await shutdownAgent(testDevice.dir, 'stop');
  assert.equal(await answers(port), false);
  assert.equal(existsSync(files.record), false);
});
