/** The place of a start, and the Device of a question, as people name them. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startWorkflowApp, type WorkflowApp } from './workflow-app.ts';

const stamps = { created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' };
let app: WorkflowApp;
let deviceId: number;
before(async () => {
  app = await startWorkflowApp();
  const device = (await app.store.find('devices', {})).rows[0]!;
  deviceId = device.id;
  await app.store.tx((tx) => {
    const group = { ...stamps, description: null };
    tx.insert('deviceGroups', { ...group, name: 'Outside broadcast', devices: [deviceId] });
    tx.insert('deviceGroups', { ...group, name: 'Studio two', devices: [] });
  });
});
after(() => app.close());

const plan = (place: object): Promise<any> =>
  app.run('start_livestream', { livestream: 'Show', dry_run: true, ...place });

test('a Device or Device group is named by id or by name', async () => {
  for (const place of [
    { target: 'STUDIO' },
    { target: String(deviceId) },
    { target: deviceId },
    { target: 'outside' },
    { deviceId },
    { deviceId: 'stud' },
    { idEncoderGroup: 'OUTSIDE broadcast' },
    { idEncoderGroup: 1 },
  ]) {
    assert.equal((await plan(place)).startAllowed, true, JSON.stringify(place));
  }
  const empty = await plan({ target: 'studio t' });
  assert.equal(empty.startAllowed, false, 'a group without Devices');
});

test('a name of several places, or of none, is refused with the places that there are', async () => {
  const several = await app.refusal('start_livestream', { livestream: 'Show', target: 'stud', dry_run: true });
  assert.equal(several.code, 'conflict');
  assert.deepEqual(several.extras.facts?.['matches'], [
    { id: deviceId, name: 'studio', kind: 'Device' },
    { id: 2, name: 'Studio two', kind: 'Device group' },
  ]);
  const none = await app.refusal('start_livestream', { livestream: 'Show', target: 'the moon', dry_run: true });
  assert.equal(none.code, 'not_found');
  assert.equal((none.extras.facts?.['nearest'] as unknown[]).length, 3);
  const two = await app.refusal('start_livestream', { livestream: 'Show', target: 'studio', deviceId });
  assert.equal(two.extras.errors?.[0]?.code, 'ambiguous');
});

test('channel_slot_usage takes a Device by its name', async () => {
  assert.deepEqual(
    (await app.run('channel_slot_usage', { deviceId: 'Studio' })).devices.map((device: any) => device.deviceId),
    [deviceId],
  );
  assert.equal((await app.refusal('channel_slot_usage', { deviceId: 'moon' })).code, 'not_found');
  assert.equal((await app.refusal('channel_slot_usage', { deviceId: 999 })).code, 'not_found');
});

test('a Schedule names its Device group by id or by name', async () => {
  const times = { livestream: 'Show', start: '2090-01-02T19:00:00Z', end: '2090-01-02T20:00:00Z' };
  const { scheduleId } = await app.run('schedule_livestream', { ...times, idEncoderGroup: 'outside' });
  assert.equal((await app.store.get('schedules', scheduleId))?.row.idEncoderGroup, 1);
  const none = await app.refusal('schedule_livestream', { ...times, idEncoderGroup: 'the moon' });
  assert.equal(none.code, 'not_found');
});
