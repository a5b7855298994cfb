/** Disks of a Device, as it tells of them: shown, told as events, and a Recording that could not be written is refused by name. */
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { addBroadcast } from '../app/broadcast.ts';
import { startTestApp, type TestApp } from '../app/test-app.ts';
import { until } from '../helpers/until.ts';

let app: TestApp;
let livestreamId: number;
let recordId: number;
let hlsId: number;
before(async () => {
  app = await startTestApp();
  ({ livestreamId } = await addBroadcast(app));
  ({ id: recordId } = await app.data('addPublishing', { name: 'Archive', type: 'Record', settings: {} }));
  ({ id: hlsId } = await app.data('addPublishing', { name: 'Player', type: 'HLS / TS', settings: {} }));
  const group = await app.data('addPublishingGroup', { name: 'Archive and player', elements: [recordId, hlsId] });
  await app.data('updateLivestream', { livestreamId, publishingId: null, publishingGroupId: group.id });
});
after(() => app.close());

const device = (): Promise<Record<string, unknown>> => app.data('getDeviceById', { deviceId: 1 }) as never;
const state = (wanted: string): Promise<unknown> =>
  until(wanted, async () => (await device())['mountstatus'] === wanted && (await stored()) === wanted);
const stored = async (): Promise<string | undefined> =>
  (await app.store.get('devices', 1))?.row.storage_states?.recordings;
const eventsOf = async (livestream: number | null): Promise<unknown[]> =>
  (await app.store.find('events', { where: { kind: 'device_storage' } })).rows
    .filter((event) => event.livestreamId === livestream)
    .map(({ severity, data }) => [severity, data['status'], data['before']]);

it('a start with a Record is refused by the state of the disk, one without it is not, and whoever records is told', async () => {
  await state('mounted');
  const disks = (await device())['storage'] as { use: string; free: number }[];
  assert.deepEqual(disks[0], { use: 'recordings', total: 1e12, free: 9e11, status: 'mounted' });
  assert.deepEqual(await eventsOf(null), [], 'a disk that is well is no news');

  for (const bad of ['readonly', 'full', 'missing'] as const) {
    app.device.reportStorage('recordings', bad);
    await state(bad);
    const refused = await app.refused('no_capacity', 'startLivestream', { livestreamId });
    assert.match(refused.message, /Device 1 "studio" keeps no Recordings now: the disk of its Recordings/u);
    assert.match(String(refused.extras.remedy), /Record switched off in startConfig/u);
  }
  const { reasons } = (await app.data('getLivestreamStartConfig', { livestreamId })) as never as {
    reasons: { code: string }[];
  };
  assert.deepEqual(
    reasons.map(({ code }) => code),
    ['no_capacity'],
  );
  const startConfig = [{ publishingId: hlsId, primary: true, backup: false }];
  await app.data('startLivestream', { livestreamId, startConfig });
  const runId = await until('a run', () => app.device.runIds.at(-1));
  app.device.running(runId);
  await until('on air', async () => (await app.store.get('runs', livestreamId))?.row.status === 2);
  assert.match(
    (await app.refused('unavailable', 'runtimeRecord', { livestreamId, action: 'start' })).message,
    /not mounted/u,
  );
  const publishings = [{ publishingId: recordId, primary: true }];
  await app.refused('unavailable', 'runtimeTogglePublishings', { livestreamId, publishings });
  assert.deepEqual(await eventsOf(livestreamId), [], 'it records nothing');

  app.device.reportStorage('recordings', 'mounted');
  await state('mounted');
  const takes = { count: 1, isOpen: true };
  await app.store.tx((tx) => tx.put('runs', { ...tx.get('runs', livestreamId)!, takes }));
  app.device.reportStorage('recordings', 'full');
  await state('full');
  assert.deepEqual(await eventsOf(livestreamId), [['error', 'full', 'mounted']]);
  assert.deepEqual(await eventsOf(null), [
    ['error', 'readonly', 'mounted'],
    ['error', 'full', 'readonly'],
    ['error', 'missing', 'full'],
    ['info', 'mounted', 'missing'],
    ['error', 'full', 'mounted'],
  ]);
});

it('a Device that does not tell of its disks any more, as one of an earlier version, is refused nothing', async () => {
  app.device.storage = undefined;
  app.device.goOffline();
  await until('offline', async () => (await device())['online'] === false);
  assert.equal((await device())['mountstatus'], 'unknown');
  app.device.goOnline();
  await until('forgotten', async () => (await stored()) === undefined && (await device())['online']);
  assert.deepEqual([(await device())['mountstatus'], (await device())['storage']], ['unknown', []]);
});
