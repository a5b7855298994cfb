import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { broadcastStatusOutput } from '../../domain/rules/broadcasts/broadcast-status.ts';
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
  const { message, server_time, timezone, ...status } = await app.run('get_livestream_status', {
    livestream: 'Show',
  });
  assert.equal(broadcastStatusOutput.parse(status).status, 2);
  const { watch } = (await app.run('getLivestreamStatus', { livestreamId: app.livestreamId })).data;
  const enriched = (await app.run('getLivestreamEnriched', { livestreamId: app.livestreamId })).data;
  assert.deepEqual([watch, enriched.runtime_status.watch], [status.watch, status.watch]);
  assert.deepEqual(watch, [
    {
      publishingId,
      name: 'Web',
      type: 'HLS / TS',
      url: 'http://127.0.0.1:8091/live/1/1/index.m3u8',
      device_url: null,
      expires_at: null,
    },
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

test('a silent, black or frozen source, and a broadcast that falls behind, is said by the status of one and of all, since when, until it is better', async () => {
  await onAir(app);
  const runId = await app.runId();
  const status = (): Promise<any> => app.run('get_livestream_status', { livestream: 'Show' });
  const since = new Date(Date.now() - 60_000).toISOString();
  const conditions = (['silence', 'black', 'frozen'] as const).map((kind) => ({ kind, since }));
  app.device.tell(runId, { conditions, source_watched: true });
  const bad = await status();
  assert.match(
    bad.message,
    /deliver, but its source has been silent for 1 minute and black for 1 minute and frozen for 1 minute\.$/u,
  );
  const { rows } = await app.run('getLivestreamsStatus', {});
  const { data } = await app.run('getLivestreamStatus', { livestreamId: app.livestreamId });
  for (const row of [bad, data, rows[0]]) assert.deepEqual([row.conditions, row.source_watched], [conditions, true]);
  const behind = { kind: 'behind' as const, since, fps: 14, wanted_fps: 30, remedy: 'Stop another.' };
  app.device.tell(runId, { conditions: [behind], source_watched: false });
  const slow = await status();
  assert.match(
    slow.message,
    /black or frozen pictures\. It falls behind: 14 of 30 pictures a second\. Stop another\.$/u,
  );
  assert.deepEqual((await app.run('getLivestreamsStatus', {})).rows[0].conditions, [behind]);
  app.device.tell(runId, { conditions: [], source_watched: false });
  assert.match(
    (await status()).message,
    /deliver\. Its source is not watched for silence, black or frozen pictures\.$/u,
  );
  app.device.tell(runId, { source_watched: true });
  assert.match((await status()).message, /deliver\.$/u);
  app.device.tell(runId, { conditions });
  await app.run('stop_livestream', { livestream: 'Show' });
  const off = await status();
  assert.deepEqual([off.conditions, off.source_watched], [[], null]);
});

test('the status of a Live stream that is off says when it is on next, by a Schedule or a planned action', async () => {
  const now = Math.ceil(Date.now() / 1000) * 1000;
  const at = (hours: number): string => new Date(now + hours * 3_600_000).toISOString();
  const status = (): Promise<any> => app.run('get_livestream_status', { livestream: 'Show' });
  assert.equal((await status()).next, null);
  const times = { start: at(48), end: at(49), recurrence: { type: 'daily' } };
  const { scheduleId } = await app.run('schedule_livestream', { livestream: 'Show', ...times });
  await app.run('skipOccurrence', { scheduleId, occurrence_start: at(48) });
  const planned = await status();
  assert.deepEqual(planned.next, { start: at(72), end: at(73), scheduleId, actionId: null });
  assert.match(planned.message, /^"Show" is off air\. It is on next on \w+ \d+ \w+ (?:\d{4} )?at \d\d:\d\d\.$/u);
  const args = { livestreamId: app.livestreamId, type: 'start', payload: {}, execute_at: at(3) };
  const { data: action } = await app.run('addLivestreamAction', args);
  assert.deepEqual((await status()).next, { start: at(3), end: null, scheduleId: null, actionId: action.id });
});
