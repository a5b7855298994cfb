/** Starts go by the type of a Device. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import { addBroadcast } from '../app/broadcast.ts';
import { startTestApp, type TestApp } from '../app/test-app.ts';
import { FakeDevice } from '../helpers/fake-device.ts';
import { until } from '../helpers/until.ts';

let app: TestApp;
beforeEach(async () => void (app = await startTestApp()));
afterEach(() => app.close());

async function addDevice(name: string, type: string): Promise<number> {
  const stand = app.network.stand(`${name}.example`, new FakeDevice());
  const { id } = await app.data('addDevice', { name, ...stand });
  await app.data('updateDevice', { deviceId: id, type });
  await until('it is there', async () => (await app.data('getDeviceById', { deviceId: id }))['online'] === true);
  return id;
}

interface Target {
  kind: string;
  start: { deviceId?: number };
  available: boolean;
  recommended: boolean;
  reason: { code: string; message: string } | null;
}

const targets = async (livestream: string): Promise<Target[]> =>
  ((await app.call('get_start_targets', { livestream })).body as { targets: Target[] }).targets;
const deviceOf = async (livestreamId: number): Promise<number | null | undefined> =>
  (await app.store.get('runs', livestreamId))?.row.deviceId;

it('a relay gets what is copied alone, and a start that it may not take is told why', async () => {
  const relay = await addDevice('relay', 'relay');
  const { livestreamId, encodingId } = await addBroadcast(app);
  const refused = await app.refused('unsupported_by_device', 'startLivestream', { livestreamId, deviceId: relay });
  assert.match(refused.message, /"relay" is a relay, which takes only what is copied, and Encoding "720p" is encoded/u);
  const target = (await targets('Show')).find(({ start }) => start.deviceId === relay);
  assert.deepEqual([target?.available, target?.reason?.code], [false, 'unsupported']);
  await app.data('updateDevice', { deviceId: app.deviceId, enabled: false });
  await app.refused('unsupported_by_device', 'startLivestream', { livestreamId });
  await app.data('updateEncoding', {
    encodingId,
    settings_video: { codec: 'copy' },
    settings_audio: { codec: 'copy' },
  });
  await app.call('startLivestream', { livestreamId });
  assert.equal(await deviceOf(livestreamId), relay);
});

it('a Device of a cloud is taken once no other has room, or when it is named', async () => {
  const cloud = await addDevice('cloud', 'cloud');
  const { livestreamId } = await addBroadcast(app);
  const { livestreamId: second } = await addBroadcast(app, ' 2');
  const { livestreamId: named } = await addBroadcast(app, ' 3');
  await app.call('startLivestream', { livestreamId: named, deviceId: cloud });
  assert.equal(await deviceOf(named), cloud);
  await app.call('startLivestream', { livestreamId });
  await app.call('stopLivestream', { livestreamId: named });
  await until('the cloud is idle', async () => (await app.store.get('runs', named))?.row.status === 0);
  assert.equal(await deviceOf(livestreamId), app.deviceId);
  // The one on site is the more loaded one.
  const [first] = await targets('Show 2');
  assert.deepEqual([first?.start.deviceId, first?.recommended], [app.deviceId, true]);
  await app.data('updateDevice', { deviceId: app.deviceId, enabled: false });
  assert.equal((await targets('Show 2'))[0]?.start.deviceId, cloud);
  await app.call('startLivestream', { livestreamId: second });
  assert.equal(await deviceOf(second), cloud);
});
