/** A Live stream with a pushed Channel has a second Device that listens for it, where it is started, moved and goes on. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { ChannelIngest, Ingest } from '../../domain/shapes/sources/ingest.ts';
import { addBroadcast } from '../app/broadcast.ts';
import { fieldsOf } from '../app/calls.ts';
import { startTestApp, type TestApp } from '../app/test-app.ts';
import { FakeDevice } from '../helpers/fake-device.ts';
import { until } from '../helpers/until.ts';

const KEY = 'a-key-of-the-camera';

describe('the second Device of a pushed Channel', () => {
  let app: TestApp;
  let second: FakeDevice;
  let backupDeviceId: number;
  let channelId: number;
  let livestreamId: number;
  let publishingId: number;

  beforeEach(async () => {
    app = await startTestApp();
    second = new FakeDevice({ now: () => new Date(app.clock.now()).toISOString() });
    second.ingest = { host: '10.0.0.2', publicHost: 'enc2.example', url: null, secureHost: null };
    const stand = app.network.stand('10.0.0.2:8092', second);
    ({ id: backupDeviceId } = await app.data('addDevice', { name: 'enc2', ...stand }));
    const settings = { app: 'live', stream_key: KEY };
    ({ id: channelId } = await app.data('addChannel', { name: 'OBS', type: 'RTMP-Push', settings }));
    ({ livestreamId, publishingId } = await addBroadcast(app));
    await save({ channelId, backupDeviceId });
    await until('both listen', () => app.device.orders.length === 1 && second.orders.length === 1);
  });
  afterEach(() => app.close());

  const save = (change: object) => app.data('updateLivestream', { livestreamId, ...change });
  const ingest = async (): Promise<ChannelIngest> =>
    (await app.data('getChannelById', { channelId }))['ingest'] as ChannelIngest;
  const run = async () => (await app.store.get('runs', livestreamId))!.row;
  const refusal = async (operation: string, args: object): Promise<string> => {
    const error = await app.refused('rule_violated', operation, args);
    return `${fieldsOf(error).join()}: ${JSON.stringify(error.extras)}`;
  };
  async function start(device: FakeDevice, request: object = {}): Promise<string> {
    await app.data('startLivestream', { livestreamId, ...request });
    const { runId } = await run();
    await until('the order', () => device.runIds.includes(runId));
    device.running(runId);
    await until('on air', async () => (await run()).status === 2);
    return runId;
  }

  it('both listen with the same key at addresses of their own, which the reads and the key show, until it is taken away', async () => {
    assert.deepEqual(second.orders, app.device.orders);
    second.ingestTurns(channelId, { state: 'receiving', from: '10.0.0.9' });
    const shown = await until('received there', async () => {
      const { backups } = await ingest();
      return backups[0]?.state === 'receiving' ? backups : undefined;
    });
    assert.deepEqual(shown, [
      {
        deviceId: backupDeviceId,
        name: 'enc2',
        url: 'rtmp://enc2.example/live/****mera',
        state: 'receiving',
        error: null,
        from: '10.0.0.9',
        note: null,
      },
    ]);
    assert.equal((await ingest()).state, 'waiting');
    const { url, backup_urls } = await app.data('revealIngestKey', { channelId });
    assert.deepEqual([url, backup_urls], [`rtmp://127.0.0.1/live/${KEY}`, [`rtmp://enc2.example/live/${KEY}`]]);
    const read = await app.data('getLivestreamEnriched', { livestreamId });
    assert.equal(read['backupDeviceId'], backupDeviceId);
    await app.data('rotateIngestKey', { channelId });
    await until('the new key there', () => second.orders[0]?.settings.stream_key !== KEY);
    await save({ backupDeviceId: null });
    await until('nobody listens there', () => second.orders.length === 0);
    assert.deepEqual((await ingest()).backups, []);
    assert.equal(app.device.orders.length, 1);
  });

  it('what cannot be its second Device is refused by name', async () => {
    const refused = (change: object): Promise<string> => refusal('updateLivestream', { livestreamId, ...change });
    assert.match(await refused({ backupDeviceId: 99 }), /^backupDeviceId: .*there is no Device 99/u);
    assert.match(
      await refused({ backupDeviceId: app.deviceId }),
      /^backupDeviceId: .*listens for Channel .*OBS.* already/u,
    );
    assert.match(await refused({ deviceId: backupDeviceId }), /^backupDeviceId: .*is pinned to Device .*enc2/u);
    const { id: pulled } = await app.data('addChannel', {
      name: 'Pulled',
      type: 'SRT',
      settings: { mode: 'caller', host: '127.0.0.1', port: 9 },
    });
    assert.match(
      await refused({ channelId: pulled }),
      /^backupDeviceId: .*RTMP-Push.*Pulled.* is of type SRT; send null/u,
    );
    const { id: idEncoderGroup } = await app.data('createDeviceGroup', { name: 'Pool', devices: [app.deviceId] });
    assert.match(await refused({ idEncoderGroup }), /^backupDeviceId: .*enc2.* is not in Device group .*Pool/u);
    const twin = { type: 'RTMP-Push', settings: { app: 'live', stream_key: KEY }, deviceId: backupDeviceId };
    assert.match(
      await refusal('addChannel', { name: 'Twin', ...twin }),
      /^settings\.stream_key: .*leads to Channel .*OBS.* already; give this one another key/u,
    );
    await save({ backupDeviceId: null });
    await app.data('addChannel', { name: 'Twin', ...twin });
    assert.match(
      await refused({ backupDeviceId }),
      /^backupDeviceId: .*enc2.* could not tell Channel .*OBS.* from Channel .*Twin.*; give one of both another key/u,
    );
    const listener = { type: 'SRT', settings: { mode: 'listener', port: 9710 } };
    const { id: srt } = await app.data('addChannel', { name: 'Line', ...listener });
    const both = await app.data('addLivestream', {
      name: 'Other',
      channelId: srt,
      publishingId,
      encodingId: (await app.data('getLivestreamById', { livestreamId }))['encodingId'],
      backupDeviceId,
    });
    assert.equal(both['backupDeviceId'], backupDeviceId);
    const inUse = await app.refused('in_use', 'deleteDevice', { deviceId: backupDeviceId });
    assert.match(JSON.stringify(inUse.extras), /Other/u);
  });

  it('a start goes to the Device of the Channel, and to the second one while that takes nothing', async () => {
    await start(app.device);
    assert.equal((await run()).deviceId, app.deviceId);
    await app.data('stopLivestream', { livestreamId });
    await until('off', async () => (await run()).status === 0);
    await app.data('updateDevice', { deviceId: app.deviceId, enabled: false });
    await start(second);
    assert.equal((await run()).deviceId, backupDeviceId);
    second.ingestTurns(channelId, { state: 'receiving', from: '10.0.0.9' });
    const source = await until('its source', async () => {
      const status = await app.data('getLivestreamStatus', { livestreamId });
      const { ingest: own } = status['source'] as { ingest: Ingest };
      return own.state === 'receiving' ? own : undefined;
    });
    assert.equal(source.url, 'rtmp://enc2.example/live/****mera', 'the ingest of a broadcast is that of its Device');
    await app.data('stopLivestream', { livestreamId });
    await until('off', async () => (await run()).status === 0);
    second.goOffline();
    const { reasons } = await app.data('getLivestreamStartConfig', { livestreamId });
    assert.match(JSON.stringify(reasons), /is disabled.*enc2.* is offline/u);
  });

  it('its Device is lost: with onDeviceLoss move it goes on at the second one', async () => {
    await save({ onDeviceLoss: 'move' });
    const { id: third } = await app.data('addDevice', {
      name: 'enc3',
      ...app.network.stand('10.0.0.3:8092', new FakeDevice()),
    });
    await until('three Devices', async () =>
      (await app.rows('getAllDevices', { fields: '*' })).every((row) => row['online'] === true && row['capabilities']),
    );
    const runId = await start(app.device);
    const pass = async (seconds: number): Promise<void> => {
      for (let passed = 0; passed < seconds; passed += 1) {
        app.clock.advance(1000);
        for (const device of [app.device, second]) device.ask();
        for (let turns = 0; turns < 5; turns += 1) await turn();
      }
    };
    await pass(3);
    app.device.goOffline();
    await until('it has moved', async () => {
      await pass(1);
      return (await run()).runId !== runId;
    });
    assert.equal((await run()).deviceId, backupDeviceId, `not to ${third}, where nobody listens`);
  });

  it('moveLivestream goes to the second Device and back without naming one, also while it is pinned', async () => {
    await save({ deviceId: app.deviceId });
    await start(app.device);
    const move = async (to: FakeDevice): Promise<unknown> => {
      const moving = app.data('moveLivestream', { livestreamId });
      const armed = await until('the run that waits', () => to.runIds.at(-1));
      to.armed(armed);
      return (await moving)['deviceId'];
    };
    assert.equal(await move(second), backupDeviceId);
    await until('the former one has ended', () => app.device.runIds.length === 0);
    assert.equal(await move(app.device), app.deviceId);
  });

  it('an encoder at the second Device is told to the Live streams that name it alone, with the name of the Device', async () => {
    const { id: other } = await app.data('addLivestream', {
      name: 'Other',
      channelId,
      publishingId,
      encodingId: (await app.data('getLivestreamById', { livestreamId }))['encodingId'],
    });
    const event = { epoch: 'a', seq: 1, at: new Date(app.clock.now()).toISOString(), channelId } as const;
    second.emitIngest({ ...event, kind: 'ingest_connected', severity: 'info', message: 'An encoder sends.', data: {} });
    const [stored] = await until('the event', async () => {
      const rows = await app.rows('getAllEvents', { kind: 'ingest_connected' });
      return rows.length > 0 ? rows : undefined;
    });
    assert.equal(stored?.['livestreamId'], livestreamId, `not ${String(other)}`);
    assert.match(String(stored?.['message']), /enc2.*second one.*An encoder sends/u);
  });

  it('a row of an earlier version has none', async () => {
    await app.store.tx((tx) => {
      const { backupDeviceId: _none, ...stored } = tx.get('livestreams', livestreamId)!;
      tx.put('livestreams', stored);
    });
    assert.equal((await app.data('getLivestreamById', { livestreamId }))['backupDeviceId'], null);
    await until('nobody listens there', () => second.orders.length === 0);
  });
});
