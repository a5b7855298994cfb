/** Two servers on one database, their Assets in one bucket: either of them does everything, and the death of one is not seen on air. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cpSync, existsSync, lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { goOnAir, smallBroadcast, statusOf, type SmallBroadcast } from '../helpers/broadcast.ts';
import { cleanUp } from '../helpers/clean-up.ts';
import { countOf, itLong } from '../helpers/counts.ts';
import { devicesOf, joinDevice, mediaBucket, startMembers, type JoinedDevice, type Member } from '../helpers/fleet.ts';
import { freePort } from '../helpers/ports.ts';
import { sharedServer } from '../helpers/postgres.ts';
import { endAll, pidsOf, PROGRAM, TOKEN, type Service } from '../helpers/service.ts';
import { testFolder } from '../helpers/test-folder.ts';
import { until } from '../helpers/until.ts';
import { follow, keepSegments } from './one.ts';

const CALLS = countOf(10, 200);

describe('two servers on one database', () => {
  const tasks: (() => unknown)[] = [];
  let members: Member[];
  let first: Service;
  let second: Service;
  let device: JoinedDevice;
  let show: SmallBroadcast;

  before(async () => {
    const owner = { after: (task: () => unknown): void => void tasks.push(task) };
    members = await startMembers(owner, await (await sharedServer()).database(), 2, await mediaBucket(owner));
    [first, second] = members.map(({ service }) => service) as [Service, Service];
    device = await joinDevice(owner, members, 'van');
    show = await smallBroadcast(first);
    await keepSegments(first, show);
    const idEncoderGroup = await second.create('/devices/groups', { name: 'Pool', devices: [device.id] });
    await second.rest('PUT', `/livestreams/${show.livestreamId}`, { idEncoderGroup });
  });
  after(async () => {
    for (const task of tasks.reverse()) await task();
  });

  const runners = (): number[] => pidsOf(device.dir, /onair\S* runner/u);
  const playlist = (): string => {
    const record = JSON.parse(readFileSync(join(device.dir, 'device', 'agent.json'), 'utf8')) as { mediaUrl: string };
    return `${record.mediaUrl}/live/${show.livestreamId}/${show.publishingId}/index.m3u8`;
  };
  const blackout = (service: Service, mode: string): ReturnType<Service['rest']> =>
    service.rest('POST', `/livestreams/${show.livestreamId}/runtimeOptions/blackout`, { mode });
  const isOnlineAt = async (service: Service): Promise<boolean> =>
    (await devicesOf(service)).some(({ id, online }) => id === device.id && online);

  it('each has a Device on its own machine, and sees all of them online', async () => {
    for (const { service } of members)
      await until('three Devices online', async () => {
        const rows = await devicesOf(service);
        return rows.length === 3 && rows.every(({ online }) => online);
      });
  });

  it('the one starts what runs on a Device of the other, and changes, looks at and stops it', async () => {
    await goOnAir(second, show.livestreamId);
    assert.equal((await statusOf(first, show.livestreamId)).status, 2);
    assert.equal(runners().length, 1);
    const changed = await blackout(second, 'Black Frame');
    assert.equal(changed.status, 200, JSON.stringify(changed.body));
    const seen = await first.rest('GET', `/livestreams/${show.livestreamId}/status`);
    assert.equal(seen.body.data.runtime.blackout, 'Black Frame');
    const picture = await second.rest('GET', `/livestreams/${show.livestreamId}/preview`);
    assert.equal(picture.status, 200);
    assert.equal((await blackout(first, 'Live')).status, 200);
  });

  it(`a call that an independent client sends to both at once has one effect, ${CALLS} times`, async () => {
    const execute_at = new Date(Date.now() + 86_400_000).toISOString();
    for (let number = 0; number < CALLS; number += 1) {
      const body = { type: 'text', execute_at, payload: { action: 'show', text: `once ${number}` } };
      const answers = await Promise.all(
        [first, second].map((service) =>
          service.rest('POST', `/livestreams/${show.livestreamId}/actions`, body, {
            'idempotency-key': `once ${number}`,
          }),
        ),
      );
      assert.deepEqual(answers[0]!.body, answers[1]!.body);
      assert.equal(answers[0]!.status, 201, JSON.stringify(answers[0]!.body));
    }
    const listed = await second.rest('GET', `/livestreams/${show.livestreamId}/actions?pageSize=1`);
    assert.equal(listed.body.pagination.total, CALLS);
  });

  it('a token that the one has revoked is refused by the other at once', async () => {
    for (let number = 0; number < 2; number += 1) {
      const made = await first.rest('POST', '/security/tokens', { name: `guest ${number}`, expires_days: 1 });
      const { token, kid } = made.body.data as { token: string; kid: string };
      const authorization = `Bearer ${token}`;
      assert.equal((await second.rest('GET', '/channels', undefined, { authorization })).status, 200);
      await first.rest('DELETE', `/security/tokens/${kid}`);
      assert.equal((await second.rest('GET', '/channels', undefined, { authorization })).status, 401);
    }
  });

  itLong(
    'a copy of the Device that dials the other server is refused there, runs nothing, and both say so',
    async (t) => {
      const before = runners();
      const dir = testFolder(t, 'copy');
      cleanUp(t, () => endAll(dir));
      const filter = (path: string): boolean => !lstatSync(path).isSocket();
      cpSync(join(device.dir, 'device'), join(dir, 'device'), { recursive: true, filter });
      const addresses = [...members].reverse().map(({ devicePort }) => `127.0.0.1:${devicePort}`);
      const env = { ...process.env, ONAIR_DATA: dir, XDG_CONFIG_HOME: dir };
      const words = [PROGRAM, 'device', '--join', addresses.join(','), '--media-port', '0'];
      const copy = spawn(process.execPath, words, { env, stdio: 'ignore' });
      cleanUp(t, () => void copy.kill('SIGKILL'));
      for (const service of [first, second])
        await until('it is named', async () => {
          const { body } = await service.rest('GET', `/devices/${device.id}`);
          return body.data.refused_machine?.address === '127.0.0.1';
        });
      const { body } = await second.rest('GET', '/livestreams/events?kind=device_refused');
      assert.equal(body.rows.length, 1, JSON.stringify(body.rows));
      assert.deepEqual([runners(), pidsOf(dir, /onair\S* runner/u)], [before, []]);
      assert.equal((await statusOf(second, show.livestreamId)).status, 2);
    },
  );

  it('the server that the Device had dialled is killed: the other goes on, and no segment is missing', async () => {
    const before = runners();
    const earlier = await follow(playlist, 1);
    await first.kill('SIGKILL');
    await until('the other owns the Device', () => isOnlineAt(second));
    const changed = await until('a change on air', async () => {
      const reply = await blackout(second, 'Black Frame');
      return reply.status === 200 && reply;
    });
    assert.equal(changed.body.data.runtime.blackout, 'Black Frame');
    assert.equal((await statusOf(second, show.livestreamId)).status, 2);
    assert.deepEqual(runners(), before, 'the encoder has noticed nothing');
    assert.equal((await follow(playlist, 1, earlier)).discontinuities, 0);
  });

  it('the one that was killed is back, follows the Device by way of the other, and stops the broadcast', async () => {
    await first.restart();
    await until('online', () => isOnlineAt(first));
    assert.equal((await statusOf(first, show.livestreamId)).status, 2);
    await until('a change by way of the other', async () => (await blackout(first, 'Live')).status === 200);
    await first.rest('POST', `/livestreams/${show.livestreamId}/stop`, {});
    await until('stopped', async () => (await statusOf(second, show.livestreamId)).status === 0);
    await until('no encoder', () => runners().length === 0);
  });

  it('an MCP call that waits at the one is cancelled at the other', async () => {
    const settings = { url: `udp://127.0.0.1:${await freePort()}` };
    const channelId = await first.create('/channels', { name: 'Silent', type: 'Stream', settings });
    await first.rest('PUT', `/livestreams/${show.livestreamId}`, { channelId });
    const post = ({ url }: Service, method: string, params: object, id?: number): Promise<Response> =>
      fetch(`${url}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${TOKEN}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-session-id': 'one of a client',
        },
        body: JSON.stringify({ jsonrpc: '2.0', method, params, ...(id !== undefined && { id }) }),
      });
    const start = { livestream: show.livestreamId, wait_seconds: 60 };
    let isOver = false;
    const waiting = post(first, 'tools/call', { name: 'start_livestream', arguments: start }, 7)
      .then((response) => response.text())
      .finally(() => (isOver = true));
    await until('the start', async () => (await statusOf(second, show.livestreamId)).status !== 0);
    // Nothing shows from outside that the call waits, so the cancellation is repeated.
    await until('the end of the wait', async () => {
      const { status } = await post(second, 'notifications/cancelled', { requestId: 7 });
      assert.equal(status, 202);
      return isOver;
    });
    // It was answered before the start has ended without media, and that is before its wait would have been over.
    assert.match(await waiting, /still starting/u);
    await first.rest('POST', `/livestreams/${show.livestreamId}/stop`, {});
    await until('stopped', async () => (await statusOf(second, show.livestreamId)).status === 0);
  });

  it('a Device on the machine of the one is on air with a file that was uploaded at the other', async () => {
    const copyOf = ({ dataDir }: Service): string => join(dataDir, 'assets', 'files', 'clip.mp4');
    assert.ok(!existsSync(copyOf(second)), 'nothing is copied before it is used');
    const owned = (await second.rest('GET', '/system/members')).body.data.members as Owned[];
    const own = owned.find(({ self }) => self)?.devices.find((id) => id !== device.id);
    const idEncoderGroup = await first.create('/devices/groups', { name: 'Second', devices: [own] });
    const changed = await first.rest('PUT', `/livestreams/${show.livestreamId}`, {
      channelId: show.channelId,
      idEncoderGroup,
    });
    assert.equal(changed.status, 200, JSON.stringify(changed.body));
    await goOnAir(first, show.livestreamId);
    assert.equal((await first.rest('GET', `/livestreams/${show.livestreamId}/status`)).body.data.deviceId, own);
    assert.deepEqual(readFileSync(copyOf(second)), readFileSync(copyOf(first)));
    await first.rest('POST', `/livestreams/${show.livestreamId}/stop`, {});
    await until('stopped', async () => (await statusOf(second, show.livestreamId)).status === 0);
  });
});

interface Owned {
  self: boolean;
  devices: number[];
}
