/** The Device of a broadcast is lost: the broadcast goes on at another one, or stays, as it was asked for; never two of it deliver. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Run } from '../../domain/shapes/broadcasts/run.ts';
import { LEASE_MS, MOVE_AFTER_MS } from '../../domain/time/lease.ts';
import { addCamera, goOnAir, type OnAir } from '../app/on-air.ts';
import { fieldsOf, type Row } from '../app/calls.ts';
import { startTestApp, type TestApp } from '../app/test-app.ts';
import { FakeDevice } from '../helpers/fake-device.ts';
import { until } from '../helpers/until.ts';

describe('the loss of a Device', () => {
  let app: TestApp;
  let second: FakeDevice;
  let secondId: number;

  beforeEach(async () => {
    app = await startTestApp();
    second = new FakeDevice({ now: () => new Date(app.clock.now()).toISOString() });
    ({ id: secondId } = await app.data('addDevice', { name: 'enc2', ...app.network.stand('10.0.0.2:8092', second) }));
    await until('two Devices', async () =>
      (await app.rows('getAllDevices', { fields: '*' })).every((row) => row['online'] === true && row['capabilities']),
    );
  });
  afterEach(() => app.close());

  const row = async (show: OnAir): Promise<Run> => show.run();
  const events = (kind: string): Promise<Row[]> => app.rows('getAllEvents', { kind, pageSize: 50 });
  const lost = (show: OnAir): Promise<Row[]> =>
    app.rows('getLivestreamEvents', { livestreamId: show.livestreamId, kind: 'device_lost' });

  /** The Devices that are there ask each second. */
  async function pass(seconds: number): Promise<void> {
    for (let passed = 0; passed < seconds; passed += 1) {
      app.clock.advance(1000);
      for (const device of [app.device, second]) device.ask();
      for (let turns = 0; turns < 5; turns += 1) await turn();
    }
  }

  async function movable(): Promise<OnAir> {
    const show = await goOnAir(app, { onDeviceLoss: 'move' });
    await pass(3);
    return show;
  }

  it('a run that moves is granted a lease while its Device asks, and goes on elsewhere once the last one has ended', async () => {
    const show = await movable();
    assert.equal(show.spec().lease, true);
    const lists = show.spec().lists!;
    assert.equal(lists.firstNumber, 0);
    const { runIds } = app.device.grants.at(-1)!;
    assert.deepEqual(runIds, [show.runId]);
    const at = app.clock.now();
    app.device.goOffline();
    await pass(Math.floor(LEASE_MS / 1000));
    assert.equal((await row(show)).runId, show.runId, 'what was granted may still be used');
    await pass(2);
    const moved = await row(show);
    assert.notEqual(moved.runId, show.runId);
    assert.deepEqual([moved.deviceId, moved.status, moved.desired], [secondId, 1, 'on']);
    const runId = await until('the order there', () => second.runIds.find((id) => id === moved.runId));
    assert.equal(second.spec(runId).lease, true);
    const { since, firstNumber } = second.spec(runId).lists!;
    assert.equal(since, lists.since);
    assert.ok(firstNumber > (app.clock.now() - Date.parse(since)) / 1000, 'no segment is shorter than a second');
    await pass(1);
    second.running(runId);
    await until('on air', async () => (await row(show)).status === 2);
    const [event] = await events('run_moved');
    assert.match(
      String(event?.['message']),
      /^"Show" goes on at enc2, because .+ was lost; at most \d+\.\d s without a picture\.$/u,
    );
    const { gap_ms, from, to } = event?.['data'] as Row;
    assert.ok(Number(gap_ms) >= MOVE_AFTER_MS && Number(gap_ms) <= app.clock.now() - at + 1000, `${String(gap_ms)}`);
    assert.deepEqual([from, to], [app.deviceId, secondId]);
    assert.equal((await events('started')).length, 1, 'it was on air all the time, for its report');
    app.device.goOnline();
    await until('the former run has ended there', () => app.device.runIds.length === 0);
    await until(
      'it is noted',
      async () => (await app.store.get('deviceLinks', app.deviceId))?.row.given_up === undefined,
    );
    assert.equal((await row(show)).runId, runId);
    assert.ok(!app.device.grants.at(-1)!.runIds.includes(runId));
  });

  it('a run that stays is granted nothing and stays', async () => {
    const show = await goOnAir(app);
    app.device.goOffline();
    await pass(30);
    assert.equal(show.spec().lease, undefined);
    assert.deepEqual([(await row(show)).runId, (await row(show)).status], [show.runId, 2]);
    assert.equal(app.device.grants.length, 0);
  });

  it('a run that no other Device takes stays, is told of once, and goes on where it was when that is back', async () => {
    const show = await movable();
    await app.data('updateDevice', { deviceId: secondId, enabled: false });
    app.device.goOffline();
    await pass(30);
    assert.equal((await row(show)).runId, show.runId);
    const waits = (await lost(show)).filter(({ message }) => String(message).includes('cannot go on elsewhere'));
    assert.equal(waits.length, 1);
    assert.match(String(waits[0]?.['message']), /which is tried again: Device .* "enc2" is disabled\./u);
    app.device.goOnline();
    await until('heard again', async () => {
      await pass(1);
      return (await row(show)).loss === undefined;
    });
    assert.deepEqual(app.device.grants.at(-1)?.runIds, [show.runId]);
    assert.equal((await row(show)).status, 2);
    app.device.goOffline();
    await pass(12);
    await app.data('updateDevice', { deviceId: secondId, enabled: true });
    await until('it goes on elsewhere', async () => {
      await pass(1);
      return (await row(show)).deviceId === secondId;
    });
  });

  it('a new run that dies with its Device moves on, and people hear how long it was gone in all', async () => {
    const show = await movable();
    const at = app.clock.now();
    app.device.goOffline();
    await pass(10);
    await until('ordered', () => second.runIds.length === 1);
    app.device.goOnline();
    await until('the former run has ended', () => app.device.runIds.length === 0);
    second.goOffline();
    await pass(10);
    const { runId, deviceId } = await row(show);
    assert.equal(deviceId, app.deviceId);
    await until('ordered there', () => app.device.runIds.includes(runId));
    app.device.running(runId);
    await until('on air', async () => (await row(show)).status === 2);
    const { gap_ms, from } = (await events('run_moved'))[0]?.['data'] as Row;
    assert.ok(Number(gap_ms) > 2 * MOVE_AFTER_MS && Number(gap_ms) <= app.clock.now() - at + 1000);
    assert.equal(from, app.deviceId);
  });

  it('what keeps a Live stream at its place is refused with move, with what to do', async () => {
    const show = await goOnAir(app);
    await app.data('stopLivestream', { livestreamId: show.livestreamId });
    await until('off', async () => (await row(show)).status === 0);
    const refused = async (change: object): Promise<string> => {
      const error = await app.refused('rule_violated', 'updateLivestream', {
        livestreamId: show.livestreamId,
        onDeviceLoss: 'move',
        ...change,
      });
      assert.deepEqual(fieldsOf(error), ['onDeviceLoss']);
      return JSON.stringify(error.extras);
    };
    assert.match(await refused({ deviceId: secondId }), /pinned to Device .*enc2.*: send deviceId: null/u);
    const { id: pushed } = await app.data('addChannel', { name: 'Push', type: 'RTMP-Push', settings: { app: 'live' } });
    assert.match(await refused({ channelId: pushed }), /Push.* is pushed to Device 1/u);
    const { id: card } = await app.data('addChannel', {
      name: 'Card',
      type: 'SDI',
      settings: { deviceId: secondId, input: 1 },
    });
    assert.match(await refused({ channelId: card }), /Card.* is an input of/u);
    const { id: camera } = await addCamera(app, 'Cam');
    const saved = await app.data('updateLivestream', {
      livestreamId: show.livestreamId,
      onDeviceLoss: 'move',
      channelId: camera,
    });
    assert.equal(saved['onDeviceLoss'], 'move');
  });

  it('a Device whose agent knows no leases takes no run that moves, and is named', async () => {
    for (const device of [app.device, second]) {
      device.unable = ['leases'];
      device.goOffline();
      device.goOnline();
    }
    await until('asked anew', async () =>
      (await app.store.find('devices', {})).rows.every(
        ({ capabilities }) => capabilities?.features?.includes('leases') === false,
      ),
    );
    await assert.rejects(movable(), /unsupported_by_device|knows no leases/u);
  });

  it('a Live stream of an earlier version stays', async () => {
    const show = await goOnAir(app);
    await app.store.tx((tx) => {
      const { onDeviceLoss: _none, ...stored } = tx.get('livestreams', show.livestreamId)!;
      tx.put('livestreams', stored);
    });
    assert.equal((await app.data('getLivestreamById', { livestreamId: show.livestreamId }))['onDeviceLoss'], 'stay');
  });
});
