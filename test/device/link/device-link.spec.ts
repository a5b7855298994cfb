import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../../domain/base/errors.ts';
import { FakeDevice } from '../../helpers/fake-device.ts';
import { deviceLinkSuite } from './device-link.suite.ts';
import { runSpec } from '../agent/fixtures/spec.ts';
import { TestDevice, Watched } from '../agent/fixtures/test-device.ts';
import { until } from '../../helpers/until.ts';

deviceLinkSuite('the fake Device', async () => {
  const device = new FakeDevice();
  return { link: device, goOnAir: (runId) => device.running(runId) };
});

deviceLinkSuite('the agent', async (t) => {
  const testDevice = new TestDevice(t);
  await testDevice.agentHere();
  return { link: testDevice.link(), goOnAir: () => undefined };
});

test('a Device that is away is unavailable, and the watch reports it', async (t) => {
  const testDevice = new TestDevice(t);
  const link = testDevice.link();
  const watched = testDevice.watch(link);
  await until('offline', () => watched.states.length > 0);
  await assert.rejects(link.hello(), (error: AppError) => error.code === 'unavailable');
  await assert.rejects(link.start(runSpec()), (error: AppError) => error.code === 'unavailable');
  await testDevice.agentHere();
  await until('online', () => watched.states.at(-1) === true);
  assert.deepEqual(watched.states, [false, true]);
});

test('the fake Device goes offline, refuses and holds stops as it is asked', async () => {
  const device = new FakeDevice();
  const watched = new Watched();
  device.watch(
    (message) => watched.messages.push(message),
    (online) => watched.states.push(online),
  );
  const spec = runSpec();
  device.refuseStarts(new AppError('unsupported_by_device', 'No encoder for av1.'));
  await assert.rejects(device.start(spec), { code: 'unsupported_by_device' });
  device.refuseStarts(undefined);
  await device.start(spec);
  device.running(spec.runId);
  device.goOffline();
  device.failed(spec.runId, 'The source did not answer.');
  await assert.rejects(device.hello(), { code: 'unavailable' });
  assert.equal(watched.phase(spec.runId), 'running');
  device.goOnline();
  assert.equal(watched.phase(spec.runId), 'failed');
  assert.deepEqual(watched.states, [true, false, true]);

  const other = runSpec();
  await device.start(other);
  const release = device.holdStops();
  let stopped = false;
  const stopping = device.stop(other.runId).then(() => (stopped = true));
  await device.hello();
  assert.equal(stopped, false);
  release();
  await stopping;
  assert.equal(device.report(other.runId).phase, 'stopped');
});
