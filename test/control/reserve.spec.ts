/** A Device group keeps its reserve free: starts leave it, and what is moved may use it. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import type { Run } from '../../domain/shapes/broadcasts/run.ts';
import { addBroadcast } from '../app/broadcast.ts';
import { startTestApp, type TestApp } from '../app/test-app.ts';
import { FakeDevice } from '../helpers/fake-device.ts';
import { until } from '../helpers/until.ts';

let app: TestApp;
let second: FakeDevice;
let secondId: number;
let groupId: number;
let ids: number[];

/** Room for three of the broadcasts on each of the two Devices. */
beforeEach(async () => {
  app = await startTestApp();
  ids = [];
  for (let n = 1; n <= 5; n += 1) ids.push((await addBroadcast(app, ` ${n}`)).livestreamId);
  await app.data('startLivestream', { livestreamId: ids[0] });
  const { cost } = (await app.store.get('runs', ids[0]!))!.row;
  await app.data('stopLivestream', { livestreamId: ids[0] });
  await until('off', async () => (await app.store.get('runs', ids[0]!))!.row.status === 0);
  const cores = (cost * 3.5) / 0.75;
  await app.store.tx((tx) => tx.put('devices', { ...tx.get('devices', app.deviceId)!, cores }));
  app.device.cores = cores;
  second = new FakeDevice({ cores, now: () => new Date(app.clock.now()).toISOString() });
  ({ id: secondId } = await app.data('addDevice', { name: 'enc2', ...app.network.stand('10.0.0.2:8092', second) }));
  await until('it is there', async () => {
    const device = await app.data('getDeviceById', { deviceId: secondId });
    return device['capabilities'] !== null && device['online'] === true;
  });
  const devices = [app.deviceId, secondId];
  ({ id: groupId } = await app.data('createDeviceGroup', { name: 'Pool', devices, reserve: 1 }));
});
afterEach(() => app.close());

const start = (at: number, more: object = {}): Promise<unknown> =>
  app.data('startLivestream', { livestreamId: ids[at], idEncoderGroup: groupId, ...more });
const left = async (): Promise<unknown> =>
  ((await app.call('channel_slot_usage', {})).body as { reserves: unknown }).reserves;

it('a start that would take the reserve is refused, whichever way it comes, and each answer says what is kept', async () => {
  for (const at of [0, 1, 2]) await start(at);
  const refused = await app.refused('no_capacity', 'startLivestream', {
    livestreamId: ids[3],
    idEncoderGroup: groupId,
  });
  assert.match(
    refused.message,
    /Device group \d+ "Pool" keeps enough free for the loss of 1 of its Devices \(reserve\)/u,
  );
  assert.match(
    refused.message,
    /this start needs \d\.\d slots, and (?:nothing more|about 0\.\d slots more) would fit/u,
  );
  assert.match(refused.extras.remedy ?? '', /lower its reserve with updateDeviceGroup/u);
  await app.refused('no_capacity', 'startLivestream', { livestreamId: ids[3], deviceId: secondId });
  await app.refused('no_capacity', 'startLivestream', { livestreamId: ids[3] });
  const { startAllowed, reasons } = await app.data('getLivestreamStartConfig', { livestreamId: ids[3] });
  assert.equal(startAllowed, false);
  assert.match(JSON.stringify(reasons), /"no_capacity".*\(reserve\)/u);
  const { targets } = (await app.call('get_start_targets', { livestream: 'Show 4' })).body as {
    targets: { available: boolean; reason: { code: string; message: string } }[];
  };
  assert.ok(targets.every(({ available, reason }) => !available && reason.code === 'no_capacity'));
  assert.match(targets[0]!.reason.message, /\(reserve\)/u);
  const [pool] = (await left()) as { name: string; reserve: number; slots_left: number }[];
  assert.deepEqual([pool?.name, pool?.reserve], ['Pool', 1]);
  assert.ok(pool!.slots_left < 1, JSON.stringify(pool));

  await app.data('updateDeviceGroup', { groupId, reserve: 0 });
  assert.deepEqual(await left(), []);
  await start(3);
});

it('what is moved may use the reserve, and a Device that is gone is of the reserve', async () => {
  await app.data('updateDeviceGroup', { groupId, reserve: 0 });
  const runOf = async (at: number): Promise<Run> => (await app.store.get('runs', ids[at]!))!.row;
  for (const at of [0, 1, 2, 3]) {
    await start(at, { idEncoderGroup: null, deviceId: at < 2 ? app.deviceId : secondId });
    const { runId } = await runOf(at);
    const device = at < 2 ? app.device : second;
    await until('there', () => device.runIds.includes(runId));
    device.running(runId);
    await until('on air', async () => (await runOf(at)).status === 2);
  }
  await app.data('updateDeviceGroup', { groupId, reserve: 1 });
  await app.refused('no_capacity', 'startLivestream', { livestreamId: ids[4], idEncoderGroup: groupId });
  const moving = app.data('moveLivestream', { livestreamId: ids[0], deviceId: secondId });
  const moved = await until('the run that waits', async () => (await runOf(0)).move?.runId);
  await until('there', () => second.runIds.includes(moved));
  second.armed(moved);
  assert.equal((await moving)['deviceId'], secondId);
  await app.data('stopLivestream', { livestreamId: ids[3] });
  await until('off', async () => (await runOf(3)).status === 0);

  app.device.goOffline();
  await until('lost', async () => {
    app.clock.advance(1000);
    return (await app.store.get('deviceLinks', app.deviceId))?.row.lost === true;
  });
  // The one on the lost Device has its place beside two others, which nothing else takes from it.
  await app.refused('no_capacity', 'startLivestream', { livestreamId: ids[4], idEncoderGroup: groupId });
  await app.data('startLivestream', { livestreamId: ids[1], idEncoderGroup: groupId });
  assert.equal((await runOf(1)).deviceId, secondId);
});

it('a reserve leaves one Device at least, and a group of an earlier version has none', async () => {
  const { message } = await app.refused('rule_violated', 'updateDeviceGroup', { groupId, reserve: 2 });
  assert.match(message, /must be less than its 2 Devices/u);
  await app.refused('rule_violated', 'updateDeviceGroup', { groupId, devices: [secondId] });
  await app.store.tx((tx) => {
    const { reserve: _none, ...earlier } = tx.get('deviceGroups', groupId)!;
    tx.put('deviceGroups', earlier);
  });
  const [group] = await app.rows('getAllDeviceGroups', {});
  assert.equal(group?.['reserve'], 0);
  for (const at of [0, 1, 2, 3]) await start(at);
});
