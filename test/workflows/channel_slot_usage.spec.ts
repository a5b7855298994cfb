import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { onAir, openStage, type Stage } from './workflow-app.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await openStage();
});
afterEach(() => stage.close());

test('which slot holds what', async () => {
  const before = await stage.run('channel_slot_usage', {});
  assert.equal(before.devices[0].slots.used, 0);
  await onAir(stage);
  const { devices, message } = await stage.run('channel_slot_usage', {});
  const channelId = (await stage.store.get('livestreams', stage.livestreamId))?.row.channelId;
  assert.deepEqual(devices[0].occupied, [
    { slot: 1, livestreamId: stage.livestreamId, name: 'Show', channelId, status: 2 },
  ]);
  assert.match(message, /^studio uses 1 of \d+ slots; \d+ (?:is|are) free\.$/u);
  const second = await stage.store.tx((tx) => {
    const { id: _, ...channel } = tx.get('channels', channelId!)!;
    return tx.insert('channels', { ...channel, name: 'Second' }).id;
  });
  await stage.run('runtimeApplySourceSwitch', { livestreamId: stage.livestreamId, channelId: second });
  const after = await stage.run('channel_slot_usage', {});
  assert.equal(after.devices[0].occupied[0].channelId, second, 'the one on air, not the one that is configured');
});

test('one Device; one that is not there; one that is offline', async () => {
  assert.equal((await stage.run('channel_slot_usage', { deviceId: 1 })).devices.length, 1);
  assert.equal((await stage.refusal('channel_slot_usage', { deviceId: 9 })).code, 'not_found');
  stage.device.goOffline();
  assert.equal((await stage.run('channel_slot_usage', {})).message, 'studio is offline.');
});
