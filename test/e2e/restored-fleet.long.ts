/**
 * The database of two servers is put back while broadcasts are on air on three Devices, one of which it does not know any more; once while
 * the servers are stopped, once under their feet.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { goOnAir, statusOf, uploadFile } from '../helpers/broadcast.ts';
import { devicesOf, joinDevice, mediaBucket, startMembers, type JoinedDevice, type Member } from '../helpers/fleet.ts';
import { PostgresServer } from '../helpers/postgres.ts';
import { makeClip, pidsOf, PROGRAM, type Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

const VIDEO = { codec: 'h264', height: 90, bitrate: 100, fps: 10, preset: 'ultrafast', h264: { keyframe_interval: 1 } };

describe('a database that is put back', () => {
  it('two servers and three Devices: no broadcast ends or begins by it, also when the servers run, and a Device that it does not know comes back with what it has on air', async (t) => {
    const database = await PostgresServer.start(t);
    const members = await startMembers(t, await database.database(), 2, await mediaBucket(t));
    const [first, second] = members.map(({ service }) => service) as [Service, Service];
    const van = await joinDevice(t, members, 'van');
    const truck = await joinDevice(t, members, 'truck');
    const filename = await uploadFile(first, makeClip(join(first.scratch, 'clip.mp4'), 4, '160x90'));
    const channelId = await first.create('/channels', { name: 'Clip', type: 'File', settings: { filename } });
    const encodingId = await first.create('/encodings', { name: 'tiny', settings_video: VIDEO });
    const add = async (name: string, { id: deviceId }: JoinedDevice): Promise<number> => {
      const publishingId = await first.create('/publishings', { name, type: 'HLS / TS', settings: {} });
      return first.create('/livestreams', { name, channelId, encodingId, publishingId, deviceId });
    };
    const copy = join(first.scratch, 'database');
    const away = async (task: () => void): Promise<void> => {
      await database.kill();
      task();
      await database.run();
      await until(
        'writes again',
        async () => (await first.rest('POST', '/system/restore/acknowledge', {})).status === 200,
      );
    };
    const putBack = async (): Promise<void> => {
      await database.kill();
      rmSync(database.data, { recursive: true });
      execFileSync('cp', ['-a', copy, database.data]);
      await database.run();
    };
    const copied = (): void => {
      rmSync(copy, { recursive: true, force: true });
      execFileSync('cp', ['-a', database.data, copy]);
    };
    const encoders = (...devices: JoinedDevice[]): number[] =>
      devices.flatMap(({ dir }) => pidsOf(dir, /onair\S* runner|^\S*ffmpeg.* -i pipe:3 /u)).sort((a, b) => a - b);
    const isWaiting = async (service: Service): Promise<boolean> =>
      (await service.rest('GET', '/system/restore')).body.data.waiting;
    const restoreEvents = async (service: Service): Promise<string[]> =>
      (await service.rest('GET', '/livestreams/events?kind=store_restored&pageSize=100&sort=at')).body.rows.map(
        ({ message }: { message: string }) => message,
      );
    const states = async (service: Service, ids: number[]): Promise<number[]> =>
      Promise.all(ids.map(async (id) => (await statusOf(service, id)).status));
    const stop = async (service: Service, id: number): Promise<void> => {
      assert.equal((await service.rest('POST', `/livestreams/${id}/stop`, {})).status, 200);
      await until('status 0', async () => (await statusOf(service, id)).status === 0);
    };
    const online = (service: Service, count: number): Promise<unknown> =>
      until('Devices online', async () => (await devicesOf(service)).filter((row) => row.online).length === count);

    const [kept, stopped, started] = [await add('Kept', van), await add('Stopped', van), await add('Started', truck)];
    for (const id of [kept, stopped]) await goOnAir(first, id);
    await away(copied);
    await online(first, 4);
    const late = await joinDevice(t, members, 'late');
    const made = await add('Made', late);
    await stop(second, stopped);
    for (const id of [started, made]) await goOnAir(second, id);
    const former = encoders(van, truck, late);
    for (const { service } of members) await service.kill('SIGTERM');
    await putBack();
    for (const { service } of members) await service.restart();

    for (const service of [first, second]) {
      await online(service, 4);
      assert.equal(await isWaiting(service), true);
      await until('compared', async () => (await restoreEvents(service)).length === 3);
      assert.deepEqual(await states(service, [kept, stopped, started]), [2, 0, 2]);
    }
    assert.equal((await restoreEvents(first)).filter((message) => message.startsWith('The store went back')).length, 1);
    assert.deepEqual(encoders(van, truck, late), former);

    // The Device that the database has lost joins again, by a person, and is another row from then on.
    await joinAgain(first, members, late);
    await until(
      'its broadcast',
      async () => (await first.rest('GET', `/livestreams/${made}/status`)).body.data?.status === 2,
    );
    assert.deepEqual(encoders(van, truck, late), former, 'nothing of it has ended or begun');
    assert.ok(
      (await devicesOf(first)).every(({ id }) => id !== late.id),
      'no id is given twice',
    );
    await stop(second, made);
    assert.equal((await second.rest('POST', '/system/restore/acknowledge', {})).status, 200);
    assert.equal(await isWaiting(first), false);

    // Once more, under servers that run: both end by themselves. They remember nothing, as after a move to other machines; a Device does.
    await away(copied);
    await online(first, 5);
    await stop(first, started);
    const again = encoders(van, truck);
    const before = members.map(({ service }) => service.output().length);
    await putBack();
    for (const [at, { service }] of members.entries()) {
      await until('the end of a server', async () => {
        await service.rest('GET', '/livestreams').catch(() => undefined);
        return service.output().slice(before[at]).includes('store_rewound');
      });
      rmSync(join(service.dataDir, 'store-mark.json'));
      await service.restart();
    }
    await online(second, 5);
    await until('it is noticed', () => isWaiting(second));
    assert.match(
      (await restoreEvents(second)).findLast((message) => message.startsWith('The store'))!,
      /: Device \d+ "[^"]+" has seen it/u,
    );
    await until('compared', async () =>
      (await restoreEvents(second)).some((message) => /^"Started" .* has ended/u.test(message)),
    );
    assert.deepEqual(await states(second, [kept, stopped, started, made]), [2, 0, 0, 0]);
    assert.deepEqual(encoders(van, truck), again);
  });
});

async function joinAgain(service: Service, members: readonly Member[], { dir }: JoinedDevice): Promise<void> {
  const { pid } = JSON.parse(readFileSync(join(dir, 'device', 'agent.json'), 'utf8')) as { pid: number };
  const env: NodeJS.ProcessEnv = { ...process.env, ONAIR_DATA: dir, XDG_CONFIG_HOME: dir };
  delete env['NODE_OPTIONS'];
  execFileSync(process.execPath, [PROGRAM, 'device', 'unpair'], { env, stdio: 'ignore' });
  process.kill(pid, 'SIGTERM');
  await until('the end of its agent', () => !existsSync(`/proc/${pid}`));
  const { body } = await service.rest('POST', '/devices/joinTokens', { name: 'again' });
  const addresses = members.map(({ devicePort }) => `127.0.0.1:${devicePort}`).join(',');
  const words = [PROGRAM, 'device', '--join', addresses, '--media-port', '0'];
  spawn(process.execPath, words, { env: { ...env, ONAIR_JOIN_TOKEN: body.data.token }, stdio: 'ignore' });
}
