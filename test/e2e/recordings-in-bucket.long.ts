/** A Recording that goes to a bucket while it is written: its Device dies, the broadcast goes on elsewhere, and it becomes one Recording. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { goOnAir, smallBroadcast, statusOf, type SmallBroadcast } from '../helpers/broadcast.ts';
import { mediaBucket } from '../helpers/fleet.ts';
import { startRemoteDevice, type RemoteDevice } from '../helpers/remote-device.ts';
import { processesOf, startService, type Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

interface Row {
  id: number;
  status: string;
  errorstatus: string | null;
  files: number;
  size_bytes: number;
  bucket_bytes: number;
  duration_seconds: number;
  deviceId: number;
  started_at: string;
  ended_at: string;
}

describe('a Recording whose broadcast changes its Device', () => {
  const tasks: (() => unknown)[] = [];
  const owner = { after: (task: () => unknown): void => void tasks.push(task) };
  let service: Service;
  let remotes: RemoteDevice[];
  let show: SmallBroadcast;
  let first: RemoteDevice;
  const ids: number[] = [];

  before(async () => {
    const bucket = await mediaBucket(owner);
    [service, ...remotes] = await Promise.all([startService(bucket), startRemoteDevice(), startRemoteDevice()]);
    for (const [number, remote] of remotes.entries())
      ids.push(
        await service.create('/devices', {
          name: `enc${number + 1}`,
          ip_address: remote.address,
          ...remote.credentials(),
        }),
      );
    await until('two Devices', async () => {
      const { body } = await service.rest('GET', '/devices?fields=*');
      const rows = body.rows as { id: number; online: boolean; capabilities: unknown }[];
      return rows.filter(({ id, online, capabilities }) => ids.includes(id) && online && capabilities).length === 2;
    });
    show = await smallBroadcast(service, [{ name: 'archive', type: 'Record', settings: {} }]);
    const group = await service.create('/devices/groups', { name: 'Pool', devices: ids });
    const changes = { idEncoderGroup: group, onDeviceLoss: 'move' };
    assert.equal((await service.rest('PUT', `/livestreams/${show.livestreamId}`, changes)).status, 200);
    await goOnAir(service, show.livestreamId);
    first = remotes[ids.indexOf(await deviceOf())]!;
  });
  after(async () => {
    await service?.dispose();
    await Promise.all((remotes ?? []).map((remote) => remote.dispose()));
    for (const task of tasks.reverse()) await task();
  });

  const deviceOf = async (): Promise<number> =>
    ((await service.rest('GET', `/livestreams/${show.livestreamId}/status`)).body.data as { deviceId: number })
      .deviceId;
  const rows = async (): Promise<Row[]> =>
    (await service.rest('GET', '/recordings?fields=*&sort=id')).body.rows as unknown as Row[];
  const filesOn = ({ dir }: RemoteDevice): string[] => {
    const folder = join(dir, 'device', 'recordings', String(show.livestreamId));
    return existsSync(folder) ? readdirSync(folder).filter((name) => /\.(?:mp4|ts)$/u.test(name)) : [];
  };
  /** Seconds of video in a file that a signed link sends. */
  async function lengthOf(id: number, part: number): Promise<number> {
    const { body } = await service.rest('POST', `/recordings/${id}/downloads`, { part });
    const path = join(service.scratch, `${id}-${part}.mp4`);
    const reply = await fetch(String(body.data.url));
    assert.deepEqual([reply.status, reply.redirected], [200, true]);
    writeFileSync(path, Buffer.from(await reply.arrayBuffer()));
    const of = ['-select_streams', 'v', '-show_entries', 'format=duration', '-of', 'csv=p=0', path];
    return Number(execFileSync('ffprobe', ['-v', 'error', ...of], { encoding: 'utf8' }));
  }

  it('is one when the broadcast is moved, and lacks no picture of either Device', async () => {
    const [own] = await until('it is written', async () => ((await rows()).length > 0 ? rows() : undefined));
    await until('seconds of it', async () => (await rows())[0]!.duration_seconds > 3);
    const moved = await service.rest('POST', `/livestreams/${show.livestreamId}/move`, {});
    assert.equal(moved.status, 200, JSON.stringify(moved.body));
    await until('seconds of it there', async () => ((await rows())[1]?.duration_seconds ?? 0) > 3);
    await service.rest('POST', `/livestreams/${show.livestreamId}/stop`, {});
    const one = await until('one Recording', async () => {
      const all = await rows();
      return all.length === 1 && all[0]!.files === 2 ? all[0]! : undefined;
    });
    assert.deepEqual([one.id, one.status, one.errorstatus], [own!.id, 'finished', null]);
    const lengths = [await lengthOf(one.id, 1), await lengthOf(one.id, 2)];
    assert.ok(Math.abs(lengths[0]! + lengths[1]! - one.duration_seconds) < 1, `${lengths} of ${one.duration_seconds}`);
    const ended = Date.parse(one.ended_at) - Date.parse(one.started_at);
    assert.ok(one.duration_seconds * 1000 > ended - 1000, `${one.duration_seconds} s of ${ended} ms`);
    assert.equal((await service.rest('DELETE', `/recordings/${one.id}`)).status, 200);
    await goOnAir(service, show.livestreamId);
    first = remotes[ids.indexOf(await deviceOf())]!;
  });

  it('goes on in one Recording with what another Device records', async () => {
    const [own] = await until('some of it is in the bucket', async () => {
      const all = await rows();
      return (all[0]?.bucket_bytes ?? 0) > 0 ? all : undefined;
    });
    // It has written for seconds since: that is what it brings when it is back.
    await until('more of it is written', async () => (await rows())[0]!.duration_seconds > own!.duration_seconds + 5);
    for (const { pid } of processesOf(first.dir)) process.kill(pid, 'SIGKILL');
    await until('it is on air elsewhere', async () => {
      const { status } = await statusOf(service, show.livestreamId);
      return status === 2 && (await deviceOf()) !== own!.deviceId;
    });
    // It counts as lost after two minutes, and is looked for each minute.
    const whole = async (): Promise<boolean> => (await rows())[0]?.status === 'finished';
    await until('what its Device had sent is whole', whole, { boundMs: 400_000 });
    await until('so is some of the other', async () => ((await rows())[1]?.bucket_bytes ?? 0) > 0);
    await service.rest('POST', `/livestreams/${show.livestreamId}/stop`, {});
    const one = await until('one Recording', async () => {
      const all = await rows();
      return all.length === 1 && all[0]!.files === 2 ? all[0]! : undefined;
    });
    assert.deepEqual([one.id, one.status, one.bucket_bytes], [own!.id, 'finished', one.size_bytes]);
    assert.match(one.errorstatus ?? '', /was lost with the last seconds of it/u);
    const lengths = [await lengthOf(one.id, 1), await lengthOf(one.id, 2)];
    assert.ok(lengths.every((seconds) => seconds > 1));
    assert.ok(Math.abs(lengths[0]! + lengths[1]! - one.duration_seconds) < 1, `${lengths} of ${one.duration_seconds}`);
    const other = remotes.find((remote) => remote !== first)!;
    assert.deepEqual(filesOn(other), []);
  });

  it('has what its Device brings when it is back', async () => {
    const [before] = await rows();
    assert.notEqual(filesOn(first).length, 0);
    await first.restart();
    const fuller = await until('it has become longer', async () => {
      const [row] = await rows();
      return row!.size_bytes > before!.size_bytes ? row! : undefined;
    });
    assert.ok(fuller.duration_seconds > before!.duration_seconds);
    assert.deepEqual([fuller.files, fuller.errorstatus, fuller.bucket_bytes], [2, null, fuller.size_bytes]);
    await until('nothing is left there', () => filesOn(first).length === 0);
    const cut = { in: 1, out: fuller.duration_seconds - 1, mode: 'keyframe' };
    const clip = await service.rest('POST', `/recordings/${fuller.id}/clips`, cut);
    assert.equal(clip.status, 201, JSON.stringify(clip.body));
    assert.equal((await service.rest('DELETE', `/recordings/${fuller.id}`)).status, 200);
  });
});
