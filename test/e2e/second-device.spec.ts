/** A second encoder: paired over the network, on air with media that only the server had, through restarts and a kill, and given up. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { itLong } from '../helpers/counts.ts';
import { goOnAir, statusOf, type SmallBroadcast } from '../helpers/broadcast.ts';
import { startRemoteDevice, type RemoteDevice } from '../helpers/remote-device.ts';
import { pidsOf, type Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { follow, one } from './one.ts';

describe('a second Device', () => {
  let service: Service;
  let remote: RemoteDevice;
  let show: SmallBroadcast;
  let deviceId: number;
  let groupId: number;

  before(async () => {
    const [shared] = await Promise.all([one(), startRemoteDevice().then((started) => (remote = started))]);
    ({ service, show } = shared);
    await shared.offAir();
  });
  after(() => remote?.dispose());

  const pair = (changes: object = {}): ReturnType<Service['rest']> =>
    service.rest('POST', '/devices', {
      name: 'second',
      ip_address: remote.address,
      ...remote.credentials(),
      ...changes,
    });
  const online = (wanted: boolean): Promise<unknown> =>
    until(`online ${wanted}`, async () => {
      const { body } = await service.rest('GET', `/devices/${deviceId}`);
      return body.data.online === wanted && (!wanted || body.data.capabilities !== null);
    });
  const runners = (): number[] => pidsOf(remote.dir, /onair\S* runner/u);
  /** The address that the second Device gives to viewers. */
  const playlist = async (): Promise<string> => {
    const { mediaUrl } = JSON.parse(readFileSync(join(remote.dir, 'device', 'agent.json'), 'utf8')) as {
      mediaUrl: string;
    };
    return `${mediaUrl}/live/${show.livestreamId}/${show.publishingId}/index.m3u8`;
  };

  it('a second Device is refused with wrong credentials, pairs with right ones, and not twice', async () => {
    const shown = remote.credentials();
    assert.ok(shown);
    const wrong = await pair({ register_password: 'AAAAA-AAAAA-AAAAA-AAAAA' });
    assert.deepEqual([wrong.status, wrong.body.code], [422, 'rule_violated'], JSON.stringify(wrong.body));
    const paired = await pair();
    assert.equal(paired.status, 201, JSON.stringify(paired.body));
    deviceId = paired.body.data.id;
    await online(true);
    const again = await pair({ name: 'third' });
    assert.deepEqual([again.status, again.body.code], [409, 'conflict']);
    assert.match(again.body.detail, /onair device unpair/u);
    const message = `${JSON.stringify([wrong.body, paired.body, again.body])}${service.output()}`;
    assert.ok(!message.includes(shown.register_password), 'the one-time password is told nowhere');
    const { key } = JSON.parse(readFileSync(join(remote.dir, 'device', 'pairing.json'), 'utf8')) as { key: string };
    const listed = await service.rest('GET', '/devices?fields=*');
    assert.ok(!`${message}${remote.output()}${JSON.stringify(listed.body)}`.includes(key), 'nor is the key');
  });

  it('a second Device goes on air from its group with a file that only the server had, and delivers it itself', async () => {
    groupId = await service.create('/devices/groups', { name: 'Pool', devices: [deviceId] });
    await service.rest('PUT', `/livestreams/${show.livestreamId}`, { idEncoderGroup: groupId });
    await goOnAir(service, show.livestreamId);
    const { body } = await service.rest('GET', `/livestreams/${show.livestreamId}/status`);
    assert.equal(body.data.deviceId, deviceId);
    assert.equal(runners().length, 1);
    assert.equal(existsSync(join(service.dataDir, 'device', 'live', String(show.livestreamId))), false);
    const { url, segments } = await follow(playlist, 1);
    const reply = await fetch(new URL(segments.at(-1)!, url));
    assert.equal(reply.status, 200);
    const bytes = new Uint8Array(await reply.arrayBuffer());
    assert.ok(bytes.length > 10_000 && bytes[0] === 0x47, `${bytes.length} bytes of MPEG-TS`);
    const refused = await service.rest('DELETE', `/devices/${deviceId}`);
    assert.deepEqual([refused.status, refused.body.code], [409, 'in_use']);
    assert.match(refused.body.detail, /Live stream \d+ "Show".*Device group/u);
  });

  it('a second Device stays on air through a restart of the server and a kill of its agent, whose media is 502 meanwhile; both connect again', async () => {
    const before = runners();
    const through = `/feed/live/${show.livestreamId}/${show.publishingId}/index.m3u8`;
    const earlier = await follow(playlist, 1);
    await service.kill('SIGKILL');
    await service.restart();
    await online(true);
    assert.equal((await statusOf(service, show.livestreamId)).status, 2);
    await until('its media comes through the server', async () => (await service.rest('GET', through)).status === 200);
    await remote.kill('SIGKILL');
    assert.equal((await service.rest('GET', through)).status, 502);
    await online(false);
    assert.equal((await statusOf(service, show.livestreamId)).status, 2);
    await remote.restart();
    assert.equal(remote.credentials(), undefined, 'a paired agent shows no credentials');
    await online(true);
    assert.equal((await statusOf(service, show.livestreamId)).status, 2);
    assert.deepEqual(runners(), before, 'the encoder has noticed nothing');
    assert.equal((await follow(playlist, 1, earlier)).discontinuities, 0);
  });

  itLong(
    'a second Device is lost when unpaired by hand, found when paired anew, and its broadcast goes on',
    async () => {
      const before = runners();
      assert.match(remote.unpair(), /register_password \S+/u);
      await online(false);
      const renewed = await service.rest('PUT', `/devices/${deviceId}`, { ...remote.credentials() });
      assert.equal(renewed.status, 200, JSON.stringify(renewed.body));
      await online(true);
      assert.deepEqual(runners(), before);
      assert.equal((await statusOf(service, show.livestreamId)).status, 2);
    },
  );

  it('a broadcast moves from a second Device to that of the server while it is on air', async () => {
    await service.rest('PUT', `/devices/groups/${groupId}`, { devices: [deviceId, 1] });
    const { status, body } = await service.rest('POST', `/livestreams/${show.livestreamId}/move`, {});
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual([body.data.formerDeviceId, body.data.deviceId], [deviceId, 1]);
    await until('nothing is left on the second one', () => runners().length === 0);
    assert.equal((await statusOf(service, show.livestreamId)).status, 2);
    await follow(show.playlist, 1);
  });

  it('a second Device is stopped from the server, deleted, and free for another pairing', async () => {
    await service.rest('POST', `/livestreams/${show.livestreamId}/stop`, {});
    await until('status 0', async () => (await statusOf(service, show.livestreamId)).status === 0);
    assert.deepEqual(runners(), []);
    await service.rest('PUT', `/livestreams/${show.livestreamId}`, { idEncoderGroup: null });
    await service.rest('DELETE', `/devices/groups/${groupId}`);
    const former = remote.credentials()?.register_password;
    const deleted = await service.rest('DELETE', `/devices/${deviceId}`);
    assert.equal(deleted.status, 200, JSON.stringify(deleted.body));
    await until('new credentials', () => remote.credentials()?.register_password !== former);
    const again = await pair();
    assert.equal(again.status, 201, JSON.stringify(again.body));
    assert.notEqual(again.body.data.id, deviceId);
  });
});
