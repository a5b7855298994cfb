/** A broadcast on air is moved to another Device: at no moment may both deliver, and where it comes to nothing it stays. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { AppError, ErrorCode } from '../../domain/base/errors.ts';
import type { Backups } from '../../domain/shapes/broadcasts/run-move.ts';
import type { Run } from '../../domain/shapes/broadcasts/run.ts';
import type { Recording } from '../../domain/shapes/media/recording.ts';
import { goOnAir, type OnAir } from '../app/on-air.ts';
import type { Row } from '../app/calls.ts';
import { startTestApp, type TestApp } from '../app/test-app.ts';
import { FakeDevice } from '../helpers/fake-device.ts';
import { recordingRow } from '../helpers/recording-row.ts';
import { until } from '../helpers/until.ts';

describe('a move on air', () => {
  let app: TestApp;
  let show: OnAir;
  let second: FakeDevice;
  let secondId: number;

  beforeEach(async () => {
    app = await startTestApp();
    show = await goOnAir(app);
    second = new FakeDevice({ now: () => new Date(app.clock.now()).toISOString() });
    ({ id: secondId } = await app.data('addDevice', { name: 'enc2', ...app.network.stand('10.0.0.2:8092', second) }));
    await until('two Devices', async () =>
      (await app.rows('getAllDevices', { fields: '*' })).every((row) => row['online'] === true && row['capabilities']),
    );
  });
  afterEach(() => app.close());

  const row = (): Promise<Run> => show.run();
  const move = (more: object = {}): Promise<Row> =>
    app.data('moveLivestream', { livestreamId: show.livestreamId, ...more });
  const refused = (code: ErrorCode, more: object = {}): Promise<AppError> =>
    app.refused(code, 'moveLivestream', { livestreamId: show.livestreamId, ...more });
  const events = (kind: string): Promise<Row[]> => app.rows('getAllEvents', { kind, pageSize: 50 });
  const armedRun = (): Promise<string> => until('the run that waits', () => second.runIds.at(-1));
  const pass = (seconds: number): void => {
    for (let passed = 0; passed < seconds; passed += 1) app.clock.advance(1000);
  };
  /** Seconds pass until it has come to its end. */
  async function inTime<T>(outcome: Promise<T>): Promise<T> {
    let isOver = false;
    void outcome.finally(() => (isOver = true)).catch(() => undefined);
    await until('the end of the move', () => {
      if (!isOver) pass(1);
      return isOver;
    });
    return outcome;
  }
  const isOpen = (device: FakeDevice, runId: string): boolean => device.spec(runId).gate?.primary ?? true;

  it('a broadcast is delivered by its new Device once the gate of the former one is shut, and the former one has ended', async () => {
    const moving = move();
    const runId = await armedRun();
    assert.deepEqual(second.spec(runId).gate, { primary: false, backup: false, epoch: 1 });
    assert.ok(second.spec(runId).lists!.firstNumber >= 120, 'the run on air goes on while this one waits');
    assert.equal((await row()).runId, show.runId, 'the first one is on air until the second has its picture');
    const before = (await app.rows('getAllDevices', { fields: '*' })).map(
      ({ slots }) => (slots as { used: number }).used,
    );
    assert.ok(
      before.every((used) => used > 0),
      'both hold the place of the broadcast',
    );
    const orders: string[] = [];
    const note = (name: string, device: FakeDevice): void => {
      const change = device.change.bind(device);
      device.change = async (id, order, changeId) => {
        const report = await change(id, order, changeId);
        if (order.type === 'gate') orders.push(`${name} ${order.gate.primary ? 'open' : 'shut'}`);
        return report;
      };
    };
    note('first', app.device);
    note('second', second);
    second.armed(runId);
    const { deviceId, formerDeviceId, gap_ms, forced } = await moving;
    assert.deepEqual([deviceId, formerDeviceId, forced], [secondId, app.deviceId, false]);
    assert.equal(typeof gap_ms, 'number');
    assert.deepEqual(orders, ['first shut', 'second open']);
    await until('the former one is over', () => !app.device.runIds.includes(show.runId));
    assert.deepEqual([(await row()).runId, (await row()).status, (await row()).move], [runId, 2, null]);
    const [event] = await events('run_moved');
    assert.match(String(event?.['message']), /^"Show" moved from .+ to enc2, \d+\.\d s without a picture\.$/u);
    assert.deepEqual(await app.store.find('firings', {}).then(({ total }) => total), 0);
  });

  /** Each order of a gate from now on, by Device: which paths it leaves open. */
  function gateOrders(): string[] {
    const orders: string[] = [];
    for (const [name, device] of Object.entries({ first: app.device, second })) {
      const change = device.change.bind(device);
      device.change = async (id, order, changeId) => {
        const report = await change(id, order, changeId);
        if (order.type === 'gate') {
          const { primary, backup } = order.gate;
          orders.push(`${name} ${primary ? 'primary' : '-'} ${backup ? 'backup' : '-'}`);
        }
        return report;
      };
    }
    return orders;
  }
  const withBackups = (first: Backups, other: Backups | undefined): void => {
    app.device.backups = first;
    second.backups = other;
    app.device.running(show.runId);
  };

  it('with backup paths one of both paths delivers at every moment of a move', async () => {
    withBackups('all', 'all');
    const moving = move();
    const runId = await armedRun();
    const orders = gateOrders();
    second.armed(runId);
    assert.equal((await moving)['gap_ms'], 0);
    assert.deepEqual(orders, ['first primary -', 'second - backup', 'first - -', 'second primary backup']);
    assert.match(
      String((await events('run_moved'))[0]?.['message']),
      /with a path to each Destination at every moment/u,
    );
    await until('the former one is over', () => !app.device.runIds.includes(show.runId));
  });

  it('a broadcast whose backup paths the new Device does not deliver stays, and has them back once that one has answered', async () => {
    withBackups('some', 'some');
    second.isReached = false;
    const moving = refused('upstream_failed');
    const runId = await armedRun();
    const orders = gateOrders();
    second.armed(runId);
    await until('it has the backup paths', () => orders.includes('second - backup'));
    const release = second.holdChanges();
    pass(16);
    await until('they are wanted back', async () => (await row()).move?.stage === 'reclaiming');
    await app.data('setLivestreamText', { livestreamId: show.livestreamId, action: 'show', text: 'now' });
    assert.equal(app.device.spec(show.runId).gate?.backup, false, 'the other one may still deliver them');
    release();
    assert.match((await moving).message, /enc2 has not delivered the backup paths within 15 s/u);
    await until('open', () => app.device.spec(show.runId).gate?.backup === true);
    assert.deepEqual([...new Set(orders)].slice(0, 3), ['first primary -', 'second - backup', 'second - -']);
    await until('nothing is left there', () => second.runIds.length === 0);
  });

  it('backup paths that were lent to a Device which was booted meanwhile come back once that is there', async () => {
    withBackups('some', 'some');
    second.isReached = false;
    const moving = refused('upstream_failed');
    const runId = await armedRun();
    const orders = gateOrders();
    second.armed(runId);
    await until('it has the backup paths', () => orders.includes('second - backup'));
    second.goOffline();
    pass(16);
    await until('they are wanted back', async () => (await row()).move?.stage === 'reclaiming');
    second.vanish(runId);
    second.goOnline();
    await moving;
    assert.equal((await row()).move, null);
    await until('open', () => app.device.spec(show.runId).gate?.backup === true);
  });

  it('a runner of an earlier version, which says nothing of backup paths, gets all paths at once', async () => {
    withBackups('all', undefined);
    const moving = move();
    const runId = await armedRun();
    const orders = gateOrders();
    second.armed(runId);
    await moving;
    assert.deepEqual(orders, ['first - -', 'second primary backup']);
  });

  it('a broadcast stays when the new Device gets no picture, and the answer says why', async () => {
    const moving = refused('upstream_failed', { deviceId: secondId });
    second.failed(await armedRun(), 'Channel "Clip" has given no media within 25 s.');
    assert.match((await moving).message, /stays where it was.*has given no media/u);
    assert.deepEqual([(await row()).runId, (await row()).status], [show.runId, 2]);
    assert.equal(isOpen(app.device, show.runId), true);
    await until('nothing is left there', () => second.runIds.length === 0);
  });

  it('a broadcast stays when nothing is heard of a picture in time', async () => {
    const moving = refused('upstream_failed');
    await armedRun();
    assert.match((await inTime(moving)).message, /enc2 has not shown its picture within 35 s/u);
    assert.equal((await row()).runId, show.runId);
  });

  it('a broadcast stays when its Device does not answer that it has stopped delivering, and gets its gate open again', async () => {
    const moving = refused('upstream_failed');
    const runId = await armedRun();
    const release = app.device.holdChanges();
    second.armed(runId);
    await until('the gate is asked for', async () => (await row()).move?.stage === 'switching');
    assert.match((await inTime(moving)).message, /has not answered within 10 s/u);
    assert.ok(
      !second.changes.some((change) => change.type === 'gate' && change.gate.primary),
      'the other never delivers',
    );
    release();
    app.device.tell(show.runId, {});
    await until('it is open', () => app.device.spec(show.runId).gate?.primary === true);
    await until('nothing waits', () => second.runIds.length === 0);
  });

  /** The row of a Recording that is being written, as it is now. */
  async function recordingOf(runId: string): Promise<() => Promise<Readonly<Recording>>> {
    const { livestreamId } = show;
    const fields = { livestreamId, runId, deviceId: app.deviceId, publishingId: 9 };
    const written = { ...fields, status: 'recording', ended_at: null } as const;
    const { id } = await app.store.tx((tx) => tx.insert('recordings', recordingRow(written)));
    return async () => (await app.store.get('recordings', id))!.row;
  }

  it('a broadcast that is recorded, and of which no bucket has the Recording, moves by force alone, and both know of each other', async () => {
    await app.store.tx((tx) =>
      tx.put('runs', { ...tx.get('runs', show.livestreamId)!, takes: { count: 1, isOpen: true } }),
    );
    const recording = await recordingOf(show.runId);
    const { message } = await refused('conflict');
    assert.match(message, /has an open Recording on Device 1 .*cut in two/u);
    assert.equal(second.runIds.length, 0);
    const moving = move({ force: true });
    const runId = await armedRun();
    assert.ok(second.spec(runId).outputs.some(({ publishingId }) => publishingId === -1));
    assert.equal((await recording()).goes_on, undefined, 'it is not moved yet');
    second.armed(runId);
    const { deviceId, forced } = await moving;
    assert.deepEqual([deviceId, forced], [secondId, false]);
    assert.equal((await recording()).goes_on, runId);
  });

  it('a broadcast goes back when its new Device does not reach the Destinations', async () => {
    second.isReached = false;
    const recording = await recordingOf(show.runId);
    const moving = refused('upstream_failed');
    const runId = await armedRun();
    second.armed(runId);
    await until('it has its place', async () => (await row()).runId === runId);
    assert.equal(isOpen(app.device, show.runId), false);
    assert.equal((await recording()).goes_on, runId);
    assert.match((await inTime(moving)).message, /nothing was delivered from there/u);
    assert.equal((await recording()).goes_on, undefined, 'it goes on where it was');
    assert.deepEqual([(await row()).runId, (await row()).deviceId], [show.runId, app.deviceId]);
    await until('the former one delivers', () => isOpen(app.device, show.runId));
    await until('nothing is left there', () => !second.runIds.includes(runId));
    const orders = second.changes.flatMap((change) => (change.type === 'gate' ? [change.gate.primary] : []));
    assert.deepEqual(orders, [true, false], 'it was shut before the former one was opened');
  });

  it('a broadcast whose encoder ends while another waits with its picture goes on there', async () => {
    const moving = move();
    const runId = await armedRun();
    app.device.holdChanges();
    second.armed(runId);
    await until('the gate is asked for', async () => (await row()).move?.stage === 'switching');
    app.device.failed(show.runId, 'The source is gone.');
    assert.equal((await moving)['deviceId'], secondId);
    assert.equal((await row()).status, 2);
  });

  it('a change on air comes before a move that has only begun', async () => {
    const moving = refused('upstream_failed');
    await armedRun();
    await app.data('setLivestreamText', { livestreamId: show.livestreamId, action: 'show', text: 'now' });
    assert.match((await moving).message, /was changed meanwhile/u);
    assert.equal((await row()).runId, show.runId);
  });

  it('a stop ends both runs of a move', async () => {
    const moving = refused('conflict');
    await armedRun();
    await app.data('stopLivestream', { livestreamId: show.livestreamId });
    await moving;
    await until('off', async () => (await row()).status === 0);
    await until('nothing is left', () => second.runIds.length === 0 && app.device.runIds.length === 0);
  });

  it('a move is refused by name', async () => {
    const same = await refused('rule_violated', { deviceId: app.deviceId });
    assert.match(same.message, /is on Device 1 .* already/u);
    await refused('not_found', { deviceId: 99 });
    await app.data('updateDevice', { deviceId: secondId, enabled: false });
    assert.match((await refused('no_capacity')).message, /"enc2" is disabled/u);
    await app.data('updateDevice', { deviceId: secondId, enabled: true });
    second.unable = ['moves'];
    second.goOffline();
    assert.match((await refused('no_capacity', { deviceId: secondId })).message, /"enc2" is offline/u);
    second.goOnline();
    await until(
      'asked anew',
      async () => (await app.store.get('devices', secondId))?.row.capabilities?.features?.includes('moves') === false,
    );
    assert.match((await refused('unsupported_by_device')).message, /agent of an earlier version/u);
    const { id: idEncoderGroup } = await app.data('createDeviceGroup', { name: 'Pool', devices: [app.deviceId] });
    const bound = (change: object) =>
      app.store.tx((tx) => tx.put('livestreams', { ...tx.get('livestreams', show.livestreamId)!, ...change }));
    await bound({ idEncoderGroup });
    assert.match((await refused('rule_violated', { deviceId: secondId })).message, /is not in Device group/u);
    await bound({ idEncoderGroup: null, deviceId: app.deviceId });
    assert.match((await refused('rule_violated')).message, /is pinned to Device 1/u);
    await app.data('stopLivestream', { livestreamId: show.livestreamId });
    await until('off', async () => (await row()).status === 0);
    await refused('wrong_state');
  });

  it('a broadcast of a Device that does not answer is started elsewhere by force alone, which the log says', async () => {
    app.device.goOffline();
    pass(10);
    assert.match((await refused('unavailable')).message, /does not answer/u);
    await until('noted', async () => (await app.store.get('deviceLinks', app.deviceId))?.row.away_since !== undefined);
    const { forced, deviceId } = await move({ force: true });
    assert.deepEqual([forced, deviceId], [true, secondId]);
    assert.match(String((await events('run_given_up'))[0]?.['message']), /moved it by force.*If it still delivers/u);
    await until('started there', () => second.runIds.length === 1);
    app.device.goOnline();
    await until('the former one ends when it is back', () => app.device.runIds.length === 0);
  });

  it('nothing is moved while the fleet is held, but for a person who insists, and it goes on once it is released', async () => {
    const hold = await app.data('holdFleet', {});
    await app.refused('forbidden', 'releaseFleet', {}, { user: 'operator' });
    pass(5);
    assert.deepEqual(await app.data('holdFleet', {}), hold, 'a second call changes nothing');
    assert.deepEqual((await app.data('getDevicesStatus', {}))['held'], hold);
    const [alarm] = (await app.rows('getSystemAlarms', {})).filter(({ check }) => check === 'fleet');
    assert.deepEqual([alarm?.['state'], alarm?.['since']], ['warning', hold['since']]);
    assert.match(String(alarm?.['detail']), /^admin holds the fleet/u);
    assert.match((await refused('conflict')).message, /admin holds the fleet since .*"Show" stays/u);
    const { staying } = await app.data('drainDevice', { deviceId: app.deviceId });
    assert.match(String((staying as Row[])[0]?.['message']), /holds the fleet/u);
    pass(5);
    assert.equal(second.runIds.length, 0);
    await app.data('stopLivestream', { livestreamId: show.livestreamId });
    await until('off', async () => (await row()).status === 0);
    await app.data('startLivestream', { livestreamId: show.livestreamId });
    second.running(await armedRun());
    await until('on air', async () => (await row()).status === 2);
    await app.data('undrainDevice', { deviceId: app.deviceId });
    const moving = move({ force: true });
    app.device.armed(await until('the run that waits', () => app.device.runIds.at(-1)));
    assert.deepEqual([(await moving)['deviceId'], (await moving)['forced']], [app.deviceId, false]);
    await app.data('drainDevice', { deviceId: app.deviceId });
    assert.deepEqual((await app.data('releaseFleet', {}))['former'], hold);
    assert.deepEqual((await app.data('releaseFleet', {}))['former'], null);
    pass(2);
    await until('moved on', async () => (await row()).move?.stage === 'arming');
    const noted = [...(await events('fleet_held')), ...(await events('fleet_released'))];
    assert.deepEqual(
      noted.map(({ data }) => (data as Row)['user']),
      ['admin', 'admin'],
    );
  });

  it('a Device is emptied: what can be moved is, what cannot is named and stays until its deadline', async () => {
    await app.store.tx((tx) =>
      tx.put('livestreams', { ...tx.get('livestreams', show.livestreamId)!, deviceId: app.deviceId }),
    );
    const deadline = new Date(app.clock.now() + 60_000).toISOString();
    const first = await app.data('drainDevice', { deviceId: app.deviceId, deadline });
    assert.deepEqual([first['enabled'], first['moving']], [false, []]);
    const [staying] = first['staying'] as Row[];
    assert.match(String(staying?.['message']), /is pinned to/u);
    await app.store.tx((tx) => tx.put('livestreams', { ...tx.get('livestreams', show.livestreamId)!, deviceId: null }));
    pass(2);
    second.armed(await armedRun());
    await until('moved', async () => (await row()).deviceId === secondId && (await row()).move === null);
    await until('empty', async () => {
      pass(1);
      return (await events('device_drained')).length === 1;
    });
    assert.match(String((await events('device_drained'))[0]?.['message']), /is empty/u);
    const late = await app.data('drainDevice', { deviceId: secondId, deadline });
    assert.match(String((late['staying'] as Row[])[0]?.['message']), /is disabled/u);
    pass(61);
    await until('late', async () => {
      pass(1);
      return (await events('device_drained')).length === 2;
    });
    assert.match(String((await events('device_drained'))[0]?.['message']), /still has Live streams.*"Show"/u);
    await app.data('undrainDevice', { deviceId: secondId });
    const { enabled, drain } = await app.data('getDeviceById', { deviceId: secondId });
    assert.deepEqual([enabled, drain], [true, null]);
  });
});
