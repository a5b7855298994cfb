/** A broadcast that was on air and begins anew ends by an order alone, however slow that is; a first start has its bound. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { AppError } from '../../domain/base/errors.ts';
import type { Run } from '../../domain/shapes/broadcasts/run.ts';
import { goOnAir, type OnAir } from '../app/on-air.ts';
import type { Row } from '../app/calls.ts';
import { startTestApp, type TestApp } from '../app/test-app.ts';
import { FakeDevice } from '../helpers/fake-device.ts';
import { until } from '../helpers/until.ts';

describe('a broadcast that begins anew', () => {
  let app: TestApp;
  let second: FakeDevice;
  let third: FakeDevice;
  let ids: number[];

  beforeEach(async () => {
    app = await startTestApp();
    const stand = async (name: string, address: string): Promise<{ device: FakeDevice; id: number }> => {
      const device = new FakeDevice({ now: () => new Date(app.clock.now()).toISOString() });
      const { id } = await app.data('addDevice', { name, ...app.network.stand(address, device) });
      return { device, id };
    };
    const others = [await stand('enc2', '10.0.0.2:8092'), await stand('enc3', '10.0.0.3:8092')];
    [second, third] = others.map(({ device }) => device) as [FakeDevice, FakeDevice];
    ids = [app.deviceId, ...others.map(({ id }) => id)];
    await until('three Devices', async () =>
      (await app.rows('getAllDevices', { fields: '*' })).every((row) => row['online'] === true && row['capabilities']),
    );
  });
  afterEach(() => app.close());

  async function pass(seconds: number): Promise<void> {
    for (let passed = 0; passed < seconds; passed += 1) {
      app.clock.advance(1000);
      for (const device of [app.device, second, third]) device.ask();
      for (let turns = 0; turns < 5; turns += 1) await turn();
    }
  }
  const eventsOf = ({ livestreamId }: OnAir, kind: string): Promise<Row[]> =>
    app.rows('getLivestreamEvents', { livestreamId, kind, pageSize: 50 });
  const comes = (what: string, show: OnAir, isThere: (run: Run) => boolean): Promise<Run> =>
    until(what, async () => {
      const run = await show.run();
      if (isThere(run)) return run;
      await pass(1);
      return undefined;
    });
  const deviceOf = ({ deviceId }: Run): FakeDevice => [app.device, second, third][ids.indexOf(deviceId!)]!;
  const begun = async (run: Run): Promise<void> =>
    void (await until('it has begun there', async () => {
      await pass(1);
      return deviceOf(run).runIds.includes(run.runId);
    }));

  /** On air at the first Device, which is lost then. */
  async function lost(): Promise<{ show: OnAir; moved: Run }> {
    const show = await goOnAir(app, { onDeviceLoss: 'move' });
    await pass(3);
    app.device.goOffline();
    const moved = await comes('it has moved', show, ({ runId }) => runId !== show.runId);
    await begun(moved);
    return { show, moved };
  }

  it('one that moved and shows nothing begins anew on the next able Device, each time later, and people are told why and when', async () => {
    const { show, moved } = await lost();
    assert.equal(deviceOf(moved).spec(moved.runId).wasOnAir, true);
    const places = [moved.deviceId];
    let run = moved;
    for (let tries = 1; tries <= 3; tries += 1) {
      const before = run;
      run = await comes('it begins anew', show, ({ runId }) => runId !== before.runId);
      assert.deepEqual([run.status, run.desired, run.again?.failed], [1, 'on', tries]);
      assert.ok(!deviceOf(before).runIds.includes(before.runId), 'nothing is left where it was');
      places.push(run.deviceId);
      await begun(run);
    }
    assert.ok(
      places.every((id, index) => id !== places[index - 1] && id !== app.deviceId),
      places.join(),
    );
    const events = await eventsOf(show, 'encoder_restarted');
    assert.equal(events.length, 3);
    assert.match(
      String(events[0]?.['message']),
      /^"Show" has not come back on air on enc[23]: No media evidence within 30 s: .+\. It begins anew on enc[32] in 2 s\.$/u,
    );
    assert.match(String(events[1]?.['message']), /within 60 s: the Device answers, .+ in 4 s\.$/u);
    const pauses = events.map(({ at, data }) => Date.parse(String((data as Row)['at'])) - Date.parse(String(at)));
    assert.deepEqual(pauses, [2000, 4000, 8000]);
    deviceOf(run).running(run.runId);
    const onAir = await comes('on air', show, ({ status }) => status === 2);
    assert.deepEqual([onAir.again, onAir.loss], [undefined, undefined]);
    assert.equal((await eventsOf(show, 'run_moved')).length, 1);
    assert.deepEqual([(await eventsOf(show, 'stopped')).length, (await eventsOf(show, 'start_failed')).length], [0, 0]);
  });

  it('one whose encoder fails at once begins anew, where it is when no other Device takes it, and stops in its pause', async () => {
    await app.data('updateDevice', { deviceId: ids[2], enabled: false });
    const { show, moved } = await lost();
    second.failed(moved.runId, 'Every Destination has failed.');
    const next = await comes('it waits to begin', show, ({ runId }) => runId !== moved.runId);
    assert.equal(next.deviceId, ids[1]);
    assert.match(
      String((await eventsOf(show, 'encoder_restarted'))[0]?.['message']),
      /on enc2: Every Destination has failed\. It begins anew there in 2 s\.$/u,
    );
    assert.ok(!second.runIds.includes(next.runId), 'not before its pause is over');
    await app.data('stopLivestream', { livestreamId: show.livestreamId });
    await comes('off', show, ({ status }) => status === 0);
    await pass(10);
    assert.deepEqual(second.runIds, []);
    assert.equal((await show.run()).again, undefined);
  });

  it('one that its Device has lost, and cannot begin again, is begun anew there and stays', async () => {
    const show = await goOnAir(app);
    app.device.goOffline();
    app.device.vanish(show.runId);
    app.device.goOnline();
    await until('begun again', () => app.device.runIds.includes(show.runId));
    assert.equal(show.spec().wasOnAir, true);
    app.device.failed(show.runId, 'The Device cannot keep the run directory.');
    const next = await comes('it begins anew', show, ({ runId }) => runId !== show.runId);
    assert.deepEqual([next.deviceId, next.status, next.again?.failed], [app.deviceId, 1, 1]);
    await begun(next);
    app.device.running(next.runId);
    await comes('on air', show, ({ status, again }) => status === 2 && again === undefined);
    // From here on it is on air as any other.
    app.device.failed(next.runId, 'Every Destination has failed.');
    assert.equal(
      (await comes('off air', show, ({ status }) => status === 3)).errorstatus,
      'Every Destination has failed.',
    );
  });

  it('one whose second Device is away as well waits for it, and has all of its time once more when that is back', async () => {
    await app.data('updateDevice', { deviceId: ids[2], enabled: false });
    const { show, moved } = await lost();
    await app.data('updateDevice', { deviceId: app.deviceId, enabled: false });
    second.goOffline();
    await pass(120);
    assert.deepEqual([(await show.run()).runId, (await show.run()).status], [moved.runId, 1]);
    second.goOnline();
    await comes('heard again', show, ({ loss }) => loss?.isWaiting === undefined);
    await pass(20);
    assert.equal((await show.run()).runId, moved.runId, 'its time counts from its return');
    second.running(moved.runId);
    await comes('on air', show, ({ status }) => status === 2);
    const [event] = await eventsOf(show, 'run_moved');
    assert.equal((event?.['data'] as Row)['from'], app.deviceId, 'how long it was gone in all');
  });

  it('what a Device refuses of one that was on air is tried again, and a restart of the server changes nothing', async () => {
    second.refuseStarts(new AppError('unsupported_by_device', 'no such codec'));
    third.refuseStarts(new AppError('unsupported_by_device', 'no such codec'));
    const show = await goOnAir(app, { onDeviceLoss: 'move' });
    await pass(3);
    app.device.goOffline();
    const waits = await comes('refused', show, ({ again }) => (again?.failed ?? 0) >= 2);
    assert.equal(waits.status, 1);
    for (const device of [second, third]) device.refuseStarts(undefined);
    const run = await comes('taken', show, (now) => deviceOf(now).runIds.includes(now.runId));
    deviceOf(run).running(run.runId);
    await comes('on air', show, ({ status }) => status === 2);
  });

  it('a first start whose Device is lost has a bound where it goes on, and fails as a start', async () => {
    const show = await goOnAir(app, { onDeviceLoss: 'move' });
    await app.data('stopLivestream', { livestreamId: show.livestreamId });
    await comes('off', show, ({ status }) => status === 0);
    await app.data('startLivestream', { livestreamId: show.livestreamId });
    const first = await show.run();
    const { deviceId } = first;
    await begun(first);
    deviceOf(first).goOffline();
    const moved = await comes('it has moved', show, (now) => now.deviceId !== deviceId);
    await begun(moved);
    assert.equal(deviceOf(moved).spec(moved.runId).wasOnAir, undefined);
    deviceOf(moved).failed(moved.runId, 'The source never sent a frame.');
    await comes('failed', show, ({ status }) => status === 3);
    assert.equal((await eventsOf(show, 'start_failed')).length, 1);
  });
});
