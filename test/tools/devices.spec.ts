import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Run } from '../../domain/shapes/broadcasts/run.ts';
import { channel_slot_usage } from '../../workflows/channel_slot_usage.ts';
import { FAKE_CAPABILITIES, FakeDevice } from '../helpers/fake-device.ts';
import { until } from '../helpers/until.ts';
import { addBroadcast } from '../app/broadcast.ts';
import { type Row, fieldsOf } from '../app/calls.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';

const ADDRESS = '10.0.0.2:8092';
const SECRETS = /canary/u;

describe('Devices', () => {
  let app: TestApp;
  beforeEach(async () => void (app = await startTestApp()));
  afterEach(() => app.close());

  const online = (deviceId: number, wanted = true): Promise<unknown> =>
    until(`Device ${deviceId} online ${wanted}`, async () => {
      const { online: is, capabilities } = await app.data('getDeviceById', { deviceId });
      return is === wanted && (!wanted || capabilities !== null);
    });

  async function second(name = 'second', options = {}, address = ADDRESS): Promise<{ id: number; device: FakeDevice }> {
    const device = new FakeDevice({ now: () => new Date(app.clock.now()).toISOString(), ...options });
    const { id } = await app.data('addDevice', { name, ...app.network.stand(address, device) });
    await online(id);
    return { id, device };
  }

  describe('addDevice', () => {
    it('addDevice pairs, the Device is in service at once, and no answer, audit entry or error shows a secret', async () => {
      const device = new FakeDevice({ cores: 8 });
      const given = app.network.stand(ADDRESS, device);
      const answered = await app.data('addDevice', { alias: 'Studio 2', location: 'Basel', ...given });
      assert.deepEqual(
        [answered['name'], answered['alias'], answered['ip_address'], answered['type'], answered['enabled']],
        ['Studio 2', 'Studio 2', ADDRESS, 'standalone', true],
      );
      await online(answered.id);
      const shown = await app.data('getDeviceById', { deviceId: answered.id });
      assert.equal((shown['slots'] as { total: number }).total, 10);
      assert.deepEqual(shown['capabilities'], FAKE_CAPABILITIES);
      assert.deepEqual(shown['licensed'], { channels: null, outputs: null, publishing_points: null });
      assert.equal(shown['mountstatus'], 'mounted');
      const again = await app.refused('conflict', 'addDevice', { name: 'again', ...given });
      const messages = [answered, shown, again, await app.rows('getAllDevices', { fields: '*' })];
      assert.doesNotMatch(JSON.stringify(messages), SECRETS);
      assert.doesNotMatch(JSON.stringify((await app.store.find('audit', {})).rows), SECRETS);
      const { rows } = await app.store.find('devices', { where: { id: answered.id } });
      assert.doesNotMatch(JSON.stringify(rows), /one-time/u);
    });

    it('addDevice stores nothing when the pairing fails, and spends no password on what could not be stored', async () => {
      const given = app.network.stand(ADDRESS, new FakeDevice());
      await app.refused('rule_violated', 'addDevice', { name: 'x', ...given, register_password: 'wrong' });
      await app.refused('upstream_failed', 'addDevice', { name: 'x', ...given, ip_address: '10.0.0.9' });
      const taken = await app.refused('conflict', 'addDevice', { name: 'studio', ...given });
      assert.match(taken.message, /Device 1 has the name "studio" already/u);
      assert.equal(app.network.isPaired(ADDRESS), false);
      assert.deepEqual(await app.ids('getAllDevices'), [1]);
    });

    it('addDevice undoes the pairing when another call took the name meanwhile', async () => {
      const first = app.network.stand(ADDRESS, new FakeDevice());
      const other = app.network.stand('10.0.0.3', new FakeDevice());
      const outcomes = await Promise.allSettled([
        app.call('addDevice', { name: 'twin', ...first }),
        app.call('addDevice', { name: 'twin', ...other }),
      ]);
      assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
      assert.equal([ADDRESS, '10.0.0.3'].filter((address) => app.network.isPaired(address)).length, 1);
    });

    it('addDevice refuses what is not valid, by its field', async () => {
      const given = app.network.stand(ADDRESS, new FakeDevice());
      const refused = async (args: object): Promise<string[]> =>
        fieldsOf(await app.refused('invalid_input', 'addDevice', { name: 'x', ...given, ...args }));
      assert.deepEqual(await refused({ name: undefined }), ['name']);
      assert.deepEqual(await refused({ alias: 'y' }), ['alias']);
      assert.deepEqual(await refused({ register_password: undefined }), ['register_password']);
      assert.deepEqual(await refused({ type: 'box' }), ['type']);
      assert.deepEqual(await refused({ link_key: 'x' }), ['link_key']);
      for (const ip_address of ['http://10.0.0.2', '10.0.0.2:99999', 'a b', '10.0.0.2/x', '', ':8092', '-x'])
        assert.deepEqual(await refused({ ip_address }), ['ip_address'], ip_address);
      for (const ip_address of ['encoder-2.example.org', '[fe80::1]:9000', 'fe80::1', '10.0.0.7'])
        await app.refused('upstream_failed', 'addDevice', { name: 'x', ...given, ip_address });
    });
  });

  describe('updateDevice', () => {
    it('updateDevice changes only what is sent; null clears; If-Match and unknown ids are honoured', async () => {
      const before = await app.data('updateDevice', { deviceId: 1, location: 'Zurich', alias: 'Main' });
      assert.deepEqual([before['name'], before['alias'], before['location']], ['Main', 'Main', 'Zurich']);
      const cleared = await app.data('updateDevice', { deviceId: 1, location: null });
      assert.deepEqual([cleared['name'], cleared['location']], ['Main', null]);
      await app.refused('version_mismatch', 'updateDevice', { deviceId: 1, location: 'x' }, { ifMatch: '"1"' });
      await app.refused('not_found', 'updateDevice', { deviceId: 99, location: 'x' });
      await app.refused('not_found', 'getDeviceById', { deviceId: 99 });
      const { id } = await second();
      await app.refused('conflict', 'updateDevice', { deviceId: id, name: 'Main' });
    });

    it('updateDevice pairs anew with new credentials, and informs the former agent when it is there', async () => {
      const { id, device } = await second();
      const replacement = new FakeDevice({ cores: 2 });
      const given = app.network.stand('10.0.0.9', replacement);
      assert.deepEqual(
        fieldsOf(await app.refused('invalid_input', 'updateDevice', { deviceId: id, register_username: 'a' })),
        ['register_password'],
      );
      await app.data('updateDevice', { deviceId: id, ...given });
      await until('the slots of the new one', async () => {
        const { slots } = await app.data('getDeviceById', { deviceId: id });
        return (slots as { total: number }).total === 2;
      });
      assert.equal(app.network.isPaired('10.0.0.9'), true);
      await until('the former one freed', () => !app.network.isPaired(ADDRESS));
      device.goOffline();
      await online(id);
    });

    it('a Device is offline at a wrong address, and back at the right one with its key', async () => {
      const { id } = await second();
      await app.data('updateDevice', { deviceId: id, ip_address: '10.9.9.9' });
      await online(id, false);
      assert.equal(app.network.isPaired(ADDRESS), true);
      await app.data('updateDevice', { deviceId: id, ip_address: ADDRESS });
      await online(id);
    });

    it('updateDevice leaves the pairing of the server’s own machine alone', async () => {
      const given = app.network.stand(ADDRESS, new FakeDevice());
      const error = await app.refused('rule_violated', 'updateDevice', { deviceId: 1, ...given });
      assert.deepEqual(fieldsOf(error), ['ip_address', 'register_username']);
      assert.equal(app.network.isPaired(ADDRESS), false);
    });
  });

  describe('deleteDevice', () => {
    it('deleteDevice refuses the machine of the server, and says what to do instead', async () => {
      const error = await app.refused('conflict', 'deleteDevice', { deviceId: 1 });
      assert.match(error.message, /Set enabled to false/u);
    });

    it('deleteDevice names every user of the Device, and unpairs once there is none', async () => {
      const { id, device } = await second();
      const { livestreamId } = await addBroadcast(app);
      const { id: groupId } = await app.data('createDeviceGroup', { name: 'Pool', devices: [id] });
      const { id: channelId } = await app.data('addChannel', {
        name: 'Card',
        type: 'SDI',
        settings: { deviceId: id, input: 1 },
      });
      await app.data('updateLivestream', { livestreamId, deviceId: id });
      const users = async (): Promise<unknown> =>
        ((await app.refused('in_use', 'deleteDevice', { deviceId: id })).extras.facts?.['users'] as Row[]).map(
          (user) => `${String(user['resource'])} ${user.id}`,
        );
      assert.deepEqual(await users(), [
        `Live stream ${livestreamId}`,
        `Channel ${channelId}`,
        `Device group ${groupId}`,
      ]);
      await app.call('deleteDeviceGroup', { groupId });
      await app.call('deleteChannel', { channelId });

      await app.call('startLivestream', { livestreamId });
      const runId = await until('the run there', () => device.runIds[0]);
      await app.call('stopLivestream', { livestreamId });
      await until('stopped', async () => (await app.store.get('runs', livestreamId))?.row.status === 0);
      assert.equal(device.runIds.includes(runId), false);
      await app.data('updateLivestream', { livestreamId, deviceId: null });
      await app.call('startLivestream', { livestreamId, deviceId: id });
      assert.deepEqual(await users(), [`Live stream ${livestreamId}`], 'it runs there, though not pinned');
      await app.call('stopLivestream', { livestreamId });
      await until('stopped', async () => (await app.store.get('runs', livestreamId))?.row.status === 0);

      await app.call('deleteDevice', { deviceId: id });
      await until('unpaired', () => !app.network.isPaired(ADDRESS));
      assert.deepEqual(await app.ids('getAllDevices'), [1]);
      await app.refused('not_found', 'deleteDevice', { deviceId: id });
    });

    it('a Live stream that failed on a deleted Device can be stopped and started elsewhere', async () => {
      const { id, device } = await second();
      const { livestreamId } = await addBroadcast(app);
      await app.call('startLivestream', { livestreamId, deviceId: id });
      const runId = await until('the run there', () => device.runIds[0]);
      device.failed(runId, 'no source');
      const status = async (): Promise<number | undefined> => (await app.store.get('runs', livestreamId))?.row.status;
      await until('failed', async () => (await status()) === 3);
      await app.call('deleteDevice', { deviceId: id });
      await app.call('stopLivestream', { livestreamId });
      await until('stopped', async () => (await status()) === 0);
      await app.call('startLivestream', { livestreamId });
      await until('started here', () => app.device.runIds[0]);
    });
  });

  it('getDevicesStatus sums up by state and by type, and lists the most loaded first', async () => {
    const { id } = await second('cloudy', { cores: 8 });
    await app.data('updateDevice', { deviceId: id, type: 'cloud' });
    const { livestreamId } = await addBroadcast(app);
    type Slots = Record<'used' | 'free' | 'total', number>;
    const idle = (await app.data('getDevicesStatus'))['slots'] as Slots;
    await app.call('startLivestream', { livestreamId, deviceId: id });
    const full = await app.data('getDevicesStatus');
    assert.deepEqual(full['slots'], { used: 1, free: idle.total - 1, total: idle.total });
    assert.deepEqual([full['total'], full['online'], full['enabled']], [2, 2, 2]);
    const types = full['types'] as { type: string; load: number }[];
    assert.deepEqual(
      types.map(({ type, load }) => [type, load > 0]),
      [
        ['cloud', true],
        ['standalone', false],
      ],
    );
    assert.deepEqual(
      (full['devices'] as { deviceId: number }[]).map(({ deviceId }) => deviceId),
      [id, 1],
    );
    await app.data('updateDevice', { deviceId: id, enabled: false });
    app.device.goOffline();
    const none = await app.data('getDevicesStatus');
    assert.deepEqual(
      [none['total'], none['online'], none['enabled'], none['slots'], none['load']],
      [2, 1, 1, { used: 0, free: 0, total: 0 }, 0],
    );
  });

  describe('Device groups', () => {
    it('Device groups hold Devices that exist, of one type, each once', async () => {
      const { id } = await second();
      const other = await second('cloudy', {}, '10.0.0.3');
      await app.data('updateDevice', { deviceId: other.id, type: 'cloud' });
      const refused = async (devices: number[]): Promise<string[]> =>
        fieldsOf(await app.refused('rule_violated', 'createDeviceGroup', { name: 'x', devices }));
      assert.deepEqual(await refused([1, 99]), ['devices.1']);
      assert.deepEqual(await refused([1, 1]), ['devices.1']);
      assert.deepEqual(await refused([1, id, other.id]), ['devices.2']);
      const { id: groupId } = await app.data('createDeviceGroup', { name: 'Pool', devices: [1, id] });
      assert.deepEqual(await app.rows('getAllDeviceGroups', { fields: 'id,devices' }), [
        { id: groupId, devices: [1, id] },
      ]);
      await app.refused('conflict', 'createDeviceGroup', { name: 'Pool' });
      await app.refused('rule_violated', 'updateDeviceGroup', { groupId, devices: [1, other.id] });
      assert.deepEqual(fieldsOf(await app.refused('rule_violated', 'updateDevice', { deviceId: id, type: 'relay' })), [
        'type',
      ]);
      await app.data('updateDeviceGroup', { groupId, devices: [id] });
      await app.data('updateDevice', { deviceId: id, type: 'relay' });
    });

    it('Device groups stay while a Live stream names them', async () => {
      const { id: groupId } = await app.data('createDeviceGroup', { name: 'Pool', devices: [1] });
      const { livestreamId } = await addBroadcast(app);
      await app.refused('rule_violated', 'updateLivestream', { livestreamId, idEncoderGroup: 99 });
      await app.data('updateLivestream', { livestreamId, idEncoderGroup: groupId });
      assert.deepEqual(await app.ids('getAllLivestreams', { idEncoderGroup: groupId }), [livestreamId]);
      const error = await app.refused('in_use', 'deleteDeviceGroup', { groupId });
      assert.match(error.message, /Live stream \d+ "Show"/u);
      await app.data('updateLivestream', { livestreamId, idEncoderGroup: null });
      await app.call('deleteDeviceGroup', { groupId });
    });
  });

  describe('the place of a start', () => {
    let livestreamId: number;
    beforeEach(async () => void ({ livestreamId } = await addBroadcast(app)));

    const runOf = async (id: number): Promise<Run | undefined> => (await app.store.get('runs', id))?.row;
    const startsOn = async (id: number, args: object = {}): Promise<number | null | undefined> => {
      await app.call('startLivestream', { livestreamId: id, ...args });
      return (await runOf(id))?.deviceId;
    };

    it('a start takes the least loaded Device of all, then of its group; the group of the request goes first', async () => {
      const two = await second('two');
      const three = await second('three', {}, '10.0.0.3');
      const shows = [livestreamId];
      for (const mark of [' b', ' c', ' d']) shows.push((await addBroadcast(app, mark)).livestreamId);
      const [a = 0, b = 0, c = 0, d = 0] = shows;
      assert.deepEqual([await startsOn(a), await startsOn(b), await startsOn(c)], [1, two.id, three.id]);
      const { id: pool } = await app.data('createDeviceGroup', { name: 'Pool', devices: [two.id, three.id] });
      const { id: home } = await app.data('createDeviceGroup', { name: 'Home', devices: [1] });
      await app.call('stopLivestream', { livestreamId: c });
      await until('stopped', async () => (await runOf(c))?.status === 0);
      await app.data('updateLivestream', { livestreamId: d, idEncoderGroup: pool });
      const { startConfig: _config, ...check } = await app.data('getLivestreamStartConfig', { livestreamId: d });
      assert.equal(check['startAllowed'], true);
      assert.equal(await startsOn(d), three.id);
      assert.equal(await startsOn(c, { idEncoderGroup: home }), 1);
    });

    it('a refused start says of each Device of the group why not', async () => {
      const two = await second('two', { capabilities: { ...FAKE_CAPABILITIES, outputs: ['Record'] } });
      const three = await second('three', { cores: 0.1 }, '10.0.0.3');
      const four = await second('four', {}, '10.0.0.4');
      four.device.goOffline();
      await online(four.id, false);
      await app.data('updateDevice', { deviceId: 1, enabled: false });
      const devices = [1, two.id, three.id, four.id];
      const { id: group } = await app.data('createDeviceGroup', { name: 'Pool', devices });
      const error = await app.refused('no_capacity', 'startLivestream', { livestreamId, idEncoderGroup: group });
      for (const why of [
        /Device group 1 "Pool"/u,
        /Device 1 "studio" is disabled/u,
        /Device 2 "two" cannot do Publishing HLS \/ TS/u,
        /Device 3 "three" has 0\.0\d cores free \(0 of 0 slots used\), of the about 0\.\d+ that/u,
        /Device 4 "four" is offline/u,
      ])
        assert.match(error.message, why);
      const codeFor = async (of: number[]): Promise<unknown> => {
        await app.data('updateDeviceGroup', { groupId: group, devices: of });
        await app.data('updateLivestream', { livestreamId, idEncoderGroup: group });
        const { reasons } = await app.data('getLivestreamStartConfig', { livestreamId });
        return (reasons as { code: string }[]).map(({ code }) => code);
      };
      assert.deepEqual(await codeFor([]), ['no_device']);
      assert.deepEqual(await codeFor([1, four.id]), ['no_device']);
      assert.deepEqual(await codeFor([1, two.id]), ['unsupported']);
      assert.deepEqual(await codeFor([two.id, three.id]), ['no_capacity']);
      four.device.goOnline();
      await online(four.id);
      await app.data('updateDeviceGroup', { groupId: group, devices });
      assert.equal(await startsOn(livestreamId), four.id);
    });

    it('a start refuses a group that is not there, and a Device outside the group that is asked for', async () => {
      const { id } = await second();
      const { id: group } = await app.data('createDeviceGroup', { name: 'Pool', devices: [1] });
      await app.refused('rule_violated', 'startLivestream', { livestreamId, idEncoderGroup: 77 });
      const outside = { livestreamId, idEncoderGroup: group, deviceId: id };
      assert.match((await app.refused('rule_violated', 'startLivestream', outside)).message, /not in Device group/u);
    });

    it('a start of a source on a card runs on the Device that has the card', async () => {
      const able = { ...FAKE_CAPABILITIES, inputs: [...FAKE_CAPABILITIES.inputs, 'SDI'] };
      const two = await second('two', { capabilities: able });
      const three = await second('three', { capabilities: able, cores: 16 }, '10.0.0.3');
      const { id: channelId } = await app.data('addChannel', {
        name: 'Card',
        type: 'SDI',
        settings: { deviceId: two.id, input: 1 },
      });
      await app.data('updateLivestream', { livestreamId, channelId });
      const error = await app.refused('no_capacity', 'startLivestream', { livestreamId, deviceId: three.id });
      assert.match(error.message, /has not the input of Channel "Card", which is on Device 2/u);
      assert.equal(await startsOn(livestreamId), two.id);
    });

    it('a burst of starts over two Devices is never promised more than there is', async () => {
      const two = await second('two', { cores: 2 });
      const shows = [livestreamId];
      for (let mark = 0; mark < 24; mark += 1) shows.push((await addBroadcast(app, ` ${mark}`)).livestreamId);
      const outcomes = await Promise.allSettled(shows.map((id) => app.call('startLivestream', { livestreamId: id })));
      assert.ok(outcomes.some(({ status }) => status === 'rejected'));
      const { rows } = await app.store.find('runs', { where: { status: 1 } });
      assert.equal(rows.length, outcomes.filter(({ status }) => status === 'fulfilled').length);
      for (const [deviceId, cores] of [
        [1, 4],
        [two.id, 2],
      ] as const) {
        const here = rows.filter((run) => run.deviceId === deviceId);
        const cost = here.reduce((sum, run) => sum + run.cost, 0);
        assert.ok(cost <= cores * 0.75 && cost > cores * 0.75 - 0.5, `Device ${deviceId}: ${cost}`);
        assert.deepEqual(here.map(({ slot }) => slot).sort(), here.map((_, index) => index + 1).sort());
      }
    });
  });

  it('channel_slot_usage answers for every Device', async () => {
    const other = await startTestApp({ extraTools: [channel_slot_usage] });
    try {
      const given = other.network.stand(ADDRESS, new FakeDevice());
      const { id } = await other.data('addDevice', { name: 'second', ...given });
      await until('online', async () => (await other.data('getDeviceById', { deviceId: id }))['capabilities']);
      const { livestreamId } = await addBroadcast(other);
      await other.call('startLivestream', { livestreamId, deviceId: id });
      const { devices, message } = (await other.call('channel_slot_usage')).body as {
        devices: { deviceId: number; occupied: object[] }[];
        message: string;
      };
      assert.deepEqual(
        devices.map(({ deviceId, occupied }) => [deviceId, occupied.length]),
        [
          [1, 0],
          [id, 1],
        ],
      );
      assert.match(message, /^2 of 2 Devices are online; they use 1 of 10 slots, and 9 are free\.$/u);
    } finally {
      await other.close();
    }
  });

  it('an offline Device keeps its Live stream, and has it again when it is back', async () => {
    const { id, device } = await second();
    const { livestreamId } = await addBroadcast(app);
    await app.call('startLivestream', { livestreamId, deviceId: id });
    const runId = await until('the run there', () => device.runIds[0]);
    device.running(runId);
    const status = async (): Promise<unknown> => (await app.data('getLivestreamStatus', { livestreamId }))['status'];
    await until('on air', async () => (await status()) === 2);
    device.goOffline();
    await online(id, false);
    assert.equal(await status(), 2);
    device.goOnline();
    await online(id);
    assert.equal(await status(), 2);
    assert.equal(device.calls.filter(({ method }) => method === 'start').length, 1);
  });
});
