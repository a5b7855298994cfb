import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { livestreamStatusOutput } from '../../domain/livestream-status.ts';
import { onAir, startWorkflowApp, type WorkflowApp } from './workflow-app.ts';

let app: WorkflowApp;
beforeEach(async () => {
  app = await startWorkflowApp();
});
afterEach(() => app.close());

test('get_livestream_status answers the status object of the contract, and a sentence', async () => {
  await onAir(app);
  const runId = await app.runId();
  const { publishingId } = app.device.report(runId).publishings[0]!;
  app.device.tell(runId, { watch: [{ publishingId, path: '/live/1/1/index.m3u8' }] });
  const { message, watch, server_time, timezone, ...status } = await app.run('get_livestream_status', {
    livestream: 'Show',
  });
  assert.equal(livestreamStatusOutput.parse(status).status, 2);
  assert.deepEqual(watch, [
    { publishingId, name: 'Web', type: 'HLS / TS', url: 'http://127.0.0.1:8091/live/1/1/index.m3u8', expires_at: null },
  ]);
  assert.equal(timezone, app.dispatcher.timezone);
  assert.ok(Date.parse(server_time) >= Date.parse(status.since), 'the clock that since is told by');
  assert.match(message, /^"Show" is on air for .* and all its outputs deliver\.$/u);
});

test('get_livestream_status says what is down', async () => {
  await onAir(app);
  const runId = await app.runId();
  const report = app.device.report(runId);
  const publishings = report.publishings.map((p) => ({ ...p, primary: { ...p.primary, state: 'retrying' as const } }));
  app.device.tell(runId, { publishings, source: { ...report.source, state: 'lost' } });
  const { message } = await app.run('get_livestream_status', { livestream: app.livestreamId });
  assert.match(message, /1 output of 1 is down\. Its source is lost/u);
});

test('get_livestream_status does not report a Destination as down before it was up', async () => {
  await onAir(app);
  const runId = await app.runId();
  const publishings = app.device
    .report(runId)
    .publishings.map((p) => ({ ...p, primary: { ...p.primary, state: 'connecting' as const } }));
  app.device.tell(runId, { publishings });
  const { message } = await app.run('get_livestream_status', { livestream: app.livestreamId });
  assert.match(message, /and 1 output of 1 is still connecting\.$/u);
});

test('get_livestream_status answers for a Live stream that is off, starting or failed', async () => {
  const message = async (): Promise<string> => (await app.run('get_livestream_status', { livestream: 'sh' })).message;
  assert.equal(await message(), '"Show" is off air.');
  await app.run('start_livestream', { livestream: 'Show', wait_seconds: 0 });
  assert.equal(await message(), '"Show" is starting.');
  const refused = app.refusal('start_livestream', { livestream: 'Show' });
  app.device.failed(await app.runId(), 'The source gave no picture. It was asked three times.');
  await refused;
  assert.equal(await message(), '"Show" has failed and is off air. The reason given is: "The source gave no picture".');
});
