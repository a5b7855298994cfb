/** Live streams whose Device is silent: callers hear what is known, and a person decides. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Run } from '../../domain/shapes/broadcasts/run.ts';
import { addBroadcast } from '../app/broadcast.ts';
import { goOnAir, type OnAir } from '../app/on-air.ts';
import { startTestApp, type TestApp } from '../app/test-app.ts';
import { FakeDevice } from '../helpers/fake-device.ts';
import { until } from '../helpers/until.ts';

describe('a Device that is lost', () => {
  let app: TestApp;
  let show: OnAir;
  let second: FakeDevice;
  let secondId: number;

  beforeEach(async () => {
    app = await startTestApp();
    show = await goOnAir(app);
    second = new FakeDevice({ now: () => new Date(app.clock.now()).toISOString() });
    ({ id: secondId } = await app.data('addDevice', { name: 'second', ...app.network.stand('10.0.0.2:8092', second) }));
    await until('two Devices', async () => (await app.rows('getAllDevices')).every((row) => row['online'] === true));
  });
  afterEach(() => app.close());

  const on = (more: object = {}): object => ({ livestreamId: show.livestreamId, ...more });
  const status = () => app.data('getLivestreamStatus', on());
  const kinds = async (): Promise<string[]> =>
    (await app.rows('getLivestreamEvents', on({ pageSize: 100 }))).map(({ kind }) => String(kind));
  const row = async (): Promise<Run> => (await app.store.get('runs', show.livestreamId))!.row;
  /** Seconds pass one by one, as the server looks around each second. */
  async function pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second += 1) {
      app.clock.advance(1000);
      await app.store.tx(() => undefined);
    }
  }
  async function lose(): Promise<void> {
    await pass(6);
    app.device.goOffline();
    await pass(30);
    await until('lost', async () => (await status())['device_lost_since'] !== null);
  }

  it('its Live streams are not on air after 15 s, and say since when nothing is known; all is as before once it is back', async () => {
    await pass(6);
    app.device.goOffline();
    await pass(10);
    assert.deepEqual([(await status())['on_air'], (await status())['device_lost_since']], [true, null]);
    await pass(20);
    const { status: code, on_air, device_lost_since: since, publishings, source } = await status();
    assert.deepEqual([code, on_air, publishings, source], [2, false, [], null]);
    assert.equal(typeof since, 'string');
    assert.deepEqual((await kinds()).filter((kind) => kind === 'device_lost').length, 1);
    app.device.goOnline();
    await until('back', async () => (await status())['device_lost_since'] === null);
    assert.equal((await status())['on_air'], true);
    await until('told', async () => (await kinds()).includes('device_returned'));
    assert.equal((await row()).runId, show.runId, 'the run goes on');
  });

  it('a stop gives the run up, so that it can be deleted; the Device ends it when it is back, and that is told', async () => {
    await lose();
    await app.call('stopLivestream', on());
    assert.equal((await row()).status, 0);
    const [entry] = await app.rows('getAuditLog', { operation: 'stopLivestream' });
    assert.deepEqual([entry?.['user'], entry?.['outcome']], ['admin', 'ok']);
    assert.ok((await kinds()).includes('run_given_up'));
    assert.ok(app.device.runIds.includes(show.runId), 'nobody can reach it');
    app.device.goOnline();
    await until('ended there', () => !app.device.runIds.includes(show.runId));
    const ended = /the run that was given up has ended there/u;
    await until('told', async () =>
      (await app.rows('getLivestreamEvents', on({ pageSize: 100 }))).some(({ message }) => ended.test(String(message))),
    );
    assert.equal((await app.store.get('deviceLinks', app.deviceId))?.row.given_up, undefined);
    await app.call('deleteLivestream', on());
  });

  it('a start elsewhere is accepted, and the Device that is back ends what it still runs', async () => {
    await lose();
    assert.deepEqual((await app.data('getLivestreamStartConfig', on()))['startAllowed'], true);
    const reply = await app.call('startLivestream', on({ deviceId: secondId }));
    assert.equal(reply.status, 202);
    const { runId, deviceId } = await row();
    assert.deepEqual([deviceId, runId === show.runId], [secondId, false]);
    await until('the run there', () => second.runIds.includes(runId));
    second.running(runId);
    await until('on air', async () => (await status())['on_air'] === true);
    app.device.goOnline();
    await until('one run is left', () => app.device.runIds.length === 0);
    assert.deepEqual(second.runIds, [runId]);
  });

  it('a start is accepted from the moment on at which the status says that it is lost', async () => {
    await pass(6);
    app.device.goOffline();
    app.clock.advance(16_000);
    assert.equal((await status())['on_air'], false);
    const reply = await app.call('startLivestream', on({ deviceId: secondId }));
    assert.equal(reply.status, 202);
    assert.equal((await row()).deviceId, secondId);
  });

  it('people and assistants are told what is known, before and after', async () => {
    await lose();
    const livestream = show.livestreamId;
    const messageOf = async (tool: string, more = {}): Promise<string> =>
      String(((await app.call(tool, { livestream, ...more })).body as { message: string }).message);
    assert.match(await messageOf('get_livestream_status'), /on air is not known: Device "[^"]+" has been silent/u);
    assert.match(await messageOf('start_livestream', { dry_run: true }), /can start now, to/u);
    assert.match(await messageOf('stop_livestream', { dry_run: true }), /would give its run up/u);
    assert.match(await messageOf('stop_livestream'), /is given up/u);
  });

  it('a start that nobody else can take leaves everything as it was', async () => {
    await lose();
    await app.refused('no_capacity', 'startLivestream', on({ deviceId: app.deviceId }));
    assert.deepEqual([(await row()).runId, (await row()).status], [show.runId, 2]);
  });

  it('a stop that was ordered before is given up with the Device', async () => {
    await pass(6);
    app.device.goOffline();
    await app.call('stopLivestream', on());
    assert.equal((await row()).status, 2);
    await pass(20);
    await until('given up', async () => (await row()).status === 0);
  });

  it('what is off meanwhile says so: a start on a Device that was heard a moment ago asks the caller to come again', async () => {
    const { livestreamId } = await addBroadcast(app, ' 2');
    await pass(6);
    app.device.goOffline();
    const request = { livestreamId, deviceId: app.deviceId };
    const refusal = await app.refused('no_capacity', 'startLivestream', request);
    assert.equal(typeof refusal.extras.retryAfterSeconds, 'number');
    await pass(30);
    const final = await app.refused('no_capacity', 'startLivestream', request);
    assert.equal(final.extras.retryAfterSeconds, undefined);
  });

  it('a Destination delivers one Live stream at a time, at the start and when it is switched on', async () => {
    const { livestreamId } = await addBroadcast(app, ' 2');
    const { id: groupId } = await app.data('addPublishingGroup', { name: 'Two', elements: [show.web, show.cdn] });
    await app.data('updateLivestream', { livestreamId, publishingGroupId: groupId });
    const refusal = await app.refused('in_use', 'startLivestream', { livestreamId });
    assert.match(refusal.message, /Destination \d+ "CDN" delivers Live stream 1 "Show"/u);
    // What a Device serves itself has a place for each Live stream.
    await app.call('startLivestream', { livestreamId, startConfig: [{ publishingId: show.web }] });
    const started = (await app.store.get('runs', livestreamId))!.row.runId;
    const device = await until('at a Device', () => [app.device, second].find((each) => each.runIds.includes(started)));
    device.running(started);
    await until('on air', async () => (await app.store.get('runs', livestreamId))?.row.status === 2);
    const turn = { livestreamId, publishings: [{ publishingId: show.cdn, primary: true }] };
    await app.refused('in_use', 'runtimeTogglePublishings', turn);
    await app.call('runtimeTogglePublishings', on({ publishings: [{ publishingId: show.cdn, primary: false }] }));
    await app.call('runtimeTogglePublishings', turn);
  });
});
