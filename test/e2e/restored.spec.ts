/** A store that is put back while broadcasts are on air: nothing goes on air or off air by it. Real server, Device and encoders. */
import assert from 'node:assert/strict';
import { cpSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { goOnAir, statusOf, uploadFile } from '../helpers/broadcast.ts';
import { makeClip, pidsOf, startService, type Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { follow } from './one.ts';

const VIDEO = { codec: 'h264', height: 90, bitrate: 100, fps: 10, preset: 'ultrafast', h264: { keyframe_interval: 1 } };

describe('a store that is put back', () => {
  let service: Service;
  let channelId: number;
  let encodingId: number;
  let copyId: number;
  before(async () => {
    service = await startService();
    const filename = await uploadFile(service, makeClip(join(service.scratch, 'clip.mp4'), 4, '160x90'));
    channelId = await service.create('/channels', { name: 'Clip', type: 'File', settings: { filename } });
    encodingId = await service.create('/encodings', { name: 'tiny', settings_video: VIDEO });
    const copied = { settings_video: { codec: 'copy' }, settings_audio: { codec: 'copy' } };
    copyId = await service.create('/encodings', { name: 'copy', ...copied });
  });
  after(() => service.dispose());

  const add = async (name: string, encoding = copyId): Promise<{ id: number; playlist: () => Promise<string> }> => {
    const publishingId = await service.create('/publishings', { name, type: 'HLS / TS', settings: {} });
    const id = await service.create('/livestreams', { name, channelId, encodingId: encoding, publishingId });
    return { id, playlist: async () => `${service.url}/live/${id}/${publishingId}/index.m3u8` };
  };
  const encoders = (): number[] =>
    pidsOf(service.scratch, /onair\S* runner|^\S*ffmpeg.* -i pipe:3 /u).sort((a, b) => a - b);
  const restored = async (): Promise<{ waiting: boolean }> => (await service.rest('GET', '/system/restore')).body.data;
  const eventsOf = async (kind: string): Promise<{ severity: string; message: string }[]> =>
    (await service.rest('GET', `/livestreams/events?kind=${kind}&pageSize=100&sort=at`)).body.rows;
  const statusOfAction = async (id: number): Promise<string> =>
    (await service.rest('GET', `/plannedActions/${id}`)).body.data.status;
  const stop = async (id: number): Promise<void> => {
    assert.equal((await service.rest('POST', `/livestreams/${id}/stop`, {})).status, 200);
    await until('status 0', async () => (await statusOf(service, id)).status === 0);
  };

  it('no broadcast ends or begins by it, nothing older falls due before a person has looked, and each difference is told', async () => {
    const { dataDir } = service;
    const [kept, stopped, late] = [await add('Kept', encodingId), await add('Stopped'), await add('Late')];
    for (const { id } of [kept, stopped]) await goOnAir(service, id);
    const [startAt, endAt] = [15, 900].map((seconds) => new Date(Date.now() + seconds * 1000).toISOString());
    const times = { start: startAt, end: endAt, timezone: 'UTC' };
    const scheduleId = await service.create('/schedules', { name: 'Plan', livestreamId: late.id, ...times });
    const planned = { type: 'stop', payload: {}, execute_at: startAt };
    const actionId = await service.create(`/livestreams/${kept.id}/actions`, planned);
    cpSync(join(dataDir, 'store'), join(service.scratch, 'copy'), { recursive: true });

    // What is lost: a person has stopped one, made and started another, and put both plans aside.
    await service.rest('PUT', `/schedules/${scheduleId}`, { enabled: false });
    await service.rest('DELETE', `/plannedActions/${actionId}`);
    await stop(stopped.id);
    const made = await add('Made');
    await goOnAir(service, made.id);
    const former = encoders();
    const positions = await Promise.all([kept, made].map(({ playlist }) => follow(playlist, 1)));
    await service.kill('SIGTERM');
    rmSync(join(dataDir, 'store'), { recursive: true });
    renameSync(join(service.scratch, 'copy'), join(dataDir, 'store'));
    await service.restart();
    // What a person plans now, behind those instants, is done: so they have passed.
    const later = new Date(Math.max(Date.now(), Date.parse(startAt!)) + 1000).toISOString();
    const body = { type: 'text', payload: { action: 'show', text: 'Later' }, execute_at: later };
    const laterId = await service.create(`/livestreams/${kept.id}/actions`, body);
    await until('the instants have passed', async () => (await statusOfAction(laterId)) === 'executed');
    assert.equal(await statusOfAction(actionId), 'pending');

    await until('the Device was compared', async () => (await eventsOf('store_restored')).length === 3);
    assert.equal((await restored()).waiting, true);
    const states = async (): Promise<number[]> =>
      Promise.all([kept, stopped, made, late].map(async ({ id }) => (await statusOf(service, id)).status));
    assert.deepEqual(await states(), [2, 0, 2, 0]);
    assert.deepEqual(encoders(), former, 'the same processes go on, and no other');
    for (const [at, { playlist }] of [kept, made].entries())
      assert.equal((await follow(playlist, 1, positions[at])).discontinuities, 0);
    assert.deepEqual(
      (await eventsOf('store_restored'))
        .map(({ severity, message }) => [severity, /^"(\w+)"/u.exec(message)?.[1]])
        .sort(),
      [
        ['error', undefined],
        ['warning', 'Made'],
        ['warning', 'Stopped'],
      ],
    );
    assert.match(service.output(), /The store went back to what it was at /u);

    await stop(made.id);
    assert.ok((await add('After')).id > made.id, 'no id is given twice');
    assert.equal((await service.rest('POST', '/system/restore/acknowledge', {})).status, 200);
    await until('the occurrence is left', async () => (await eventsOf('schedule_missed')).length === 1);
    assert.equal(await statusOfAction(actionId), 'failed');
    assert.equal((await restored()).waiting, false);
    assert.deepEqual(await states(), [2, 0, 0, 0]);
  });
});
