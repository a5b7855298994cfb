import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { onAir, startWorkflowApp, type WorkflowApp } from './workflow-app.ts';

let app: WorkflowApp;
beforeEach(async () => {
  app = await startWorkflowApp();
});
afterEach(() => app.close());

test('channel_slot_usage says which slot holds what', async () => {
  const before = await app.run('channel_slot_usage', {});
  assert.equal(before.devices[0].slots.used, 0);
  await onAir(app);
  const { devices, message } = await app.run('channel_slot_usage', {});
  const channelId = (await app.store.get('livestreams', app.livestreamId))?.row.channelId;
  assert.deepEqual(devices[0].occupied, [
    { slot: 1, livestreamId: app.livestreamId, name: 'Show', channelId, status: 2 },
  ]);
  assert.match(message, /^"studio" uses 1 of \d+ slots; \d+ (?:is|are) free\.$/u);
  const second = await app.store.tx((tx) => {
    const { id: _, ...channel } = tx.get('channels', channelId!)!;
    return tx.insert('channels', { ...channel, name: 'Second' }).id;
  });
  await app.run('runtimeApplySourceSwitch', { livestreamId: app.livestreamId, channelId: second });
  const after = await app.run('channel_slot_usage', {});
  assert.equal(after.devices[0].occupied[0].channelId, second, 'the one on air, not the one that is configured');
});

test('channel_slot_usage answers for one Device, for one that is not there and for one that is offline', async () => {
  assert.equal((await app.run('channel_slot_usage', { deviceId: 1 })).devices.length, 1);
  assert.equal((await app.refusal('channel_slot_usage', { deviceId: 9 })).code, 'not_found');
  app.device.goOffline();
  assert.equal((await app.run('channel_slot_usage', {})).message, '"studio" is offline.');
});
