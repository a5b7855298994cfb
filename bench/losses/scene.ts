/** Two machines and two kinds of broadcast: one that moves, to four receivers; and on each machine one that stays, whose pictures are counted. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { goOnAir, uploadFile } from '../../test/helpers/broadcast.ts';
import { makeCountedClip } from '../../test/helpers/counted.ts';
import { VIDEO } from '../../test/helpers/counted-broadcast.ts';
import { freePort } from '../../test/helpers/ports.ts';
import { startService, type Service } from '../../test/helpers/service.ts';
import { until } from '../../test/helpers/until.ts';
import { Receiver as Counted } from '../drills/receiver.ts';
import { Machine } from './machine.ts';
import { datagramReceiver, hlsReceiver, rtmpReceiver, srtReceiver, type Receiver } from './receivers.ts';

export const PICTURES = 4080;
const RETRY = { max_attempts: 50, initial_delay_ms: 200, max_delay_ms: 1000 };

export interface Scene {
  service: Service;
  machines: readonly Machine[];
  receivers: readonly Receiver[];
  /** The receiver of the broadcast that stays, for each of the machines. */
  stays: readonly Counted[];
  /** The machine that has the broadcast which moves, as the server says. */
  present(): Promise<Machine>;
  /** How often it was moved. */
  moves(): Promise<number>;
  dispose(): Promise<void>;
}

export async function openScene(): Promise<Scene> {
  // Before anything is connected: nobody is answered while it is made.
  const dir = mkdtempSync(join(tmpdir(), 'onair-losses-'));
  const clip = makeCountedClip(join(dir, 'counted.mp4'), PICTURES);
  const devicePort = await freePort();
  const service = await startService({ ONAIR_DEVICE_PORT: String(devicePort) });
  const receivers = await Promise.all([rtmpReceiver(), datagramReceiver(), srtReceiver(), hlsReceiver()]);
  const stays = [await Counted.open(), await Counted.open()];
  const machines: Machine[] = [];
  const dispose = async (): Promise<void> => {
    await service.dispose();
    for (const machine of machines) machine.close();
    for (const each of [...receivers, ...stays]) await each.close();
    rmSync(dir, { recursive: true, force: true });
  };
  try {
    // One after the other, so that each is known by its id.
    for (const _each of stays) machines.push(await Machine.open(service, devicePort));
    const filename = await uploadFile(service, clip);
    const channelId = await service.create('/channels', { name: 'Film', type: 'File', settings: { filename } });
    const ids = machines.map(({ id }) => id);
    const group = await service.create('/devices/groups', { name: 'Pool', devices: ids });
    const moves = await movingShow(service, channelId, group, receivers);
    await goOnAir(service, moves);
    for (const [at, stay] of stays.entries())
      await goOnAir(service, await stayingShow(service, channelId, ids[at]!, stay.url));
    await until('all receive', () => receivers.every(({ senders }) => senders.hasSince(0)));
    const present = async (): Promise<Machine> => {
      const { body } = await service.rest('GET', `/livestreams/${moves}/status`);
      return machines[ids.indexOf(body.data.deviceId as number)]!;
    };
    const count = async (): Promise<number> =>
      (await service.rest('GET', `/livestreams/${moves}/events?kind=run_moved&pageSize=1`)).body.pagination
        .total as number;
    return { service, machines, receivers, stays, present, moves: count, dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

async function movingShow(
  service: Service,
  channelId: number,
  group: number,
  receivers: readonly Receiver[],
): Promise<number> {
  const settings_video = { ...VIDEO, height: 180, bitrate: 400, h264: { keyframe_interval: 1 } };
  const encodingId = await service.create('/encodings', { name: '180p', settings_video });
  const elements: number[] = [];
  for (const { name, publishing } of receivers)
    elements.push(await service.create('/publishings', { name, ...publishing, retry: RETRY }));
  const publishingGroupId = await service.create('/publishings/groups', { name: 'all', elements });
  const id = await service.create('/livestreams', { name: 'Moves', channelId, encodingId, publishingGroupId });
  const { status, body } = await service.rest('PUT', `/livestreams/${id}`, {
    idEncoderGroup: group,
    onDeviceLoss: 'move',
  });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return id;
}

async function stayingShow(service: Service, channelId: number, deviceId: number, url: string): Promise<number> {
  const copied = { settings_video: { codec: 'copy' }, settings_audio: { codec: 'copy' } };
  const encodingId = await service.create('/encodings', { name: `copy ${deviceId}`, ...copied });
  const publishingId = await service.create('/publishings', {
    name: `stay ${deviceId}`,
    type: 'STREAM',
    settings: { url },
  });
  return service.create('/livestreams', { name: `Stays ${deviceId}`, channelId, encodingId, publishingId, deviceId });
}
