/** An encoder pushes to two Devices: the one that has the broadcast dies with everything on it, and the other one goes on with it. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { join } from 'node:path';
import type { ChannelIngest } from '../../domain/shapes/sources/ingest.ts';
import { smallBroadcast, goOnAir, statusOf, type SmallBroadcast } from '../helpers/broadcast.ts';
import { startEncoder, type Encoder } from '../helpers/encoders.ts';
import { freePort } from '../helpers/ports.ts';
import { startRemoteDevice, type RemoteDevice } from '../helpers/remote-device.ts';
import { makeClip, processesOf, startService, type Service } from '../helpers/service.ts';
import { startRtmp, type RtmpServer } from '../helpers/servers/rtmp.ts';
import { until } from '../helpers/until.ts';

const KEY = 'derby';
const INGEST_KEY = 'a-key-of-the-truck';
const HOSTS = ['127.0.0.2', '127.0.0.3'];

describe('the second Device of a pushed Channel', () => {
  let service: Service;
  let sink: RtmpServer;
  let remotes: RemoteDevice[];
  let show: SmallBroadcast;
  const encoders: Encoder[] = [];
  const ids: number[] = [];

  before(async () => {
    [service, sink, ...remotes] = await Promise.all([
      startService(),
      startRtmp(),
      ...HOSTS.map((host) => startRemoteDevice(host)),
    ]);
    sink.keys.add(KEY);
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
    const port = await freePort();
    const settings = { app: 'live', stream_key: INGEST_KEY, port };
    show = await smallBroadcast(
      service,
      [{ name: 'platform', type: 'RTMP', settings: { url: sink.keyedUrl, stream_key: KEY } }],
      { type: 'RTMP-Push', deviceId: ids[0], settings },
    );
    const change = { backupDeviceId: ids[1], onDeviceLoss: 'move' };
    const { status, body } = await service.rest('PUT', `/livestreams/${show.livestreamId}`, change);
    assert.equal(status, 200, JSON.stringify(body));
    await until('both listen', async () => {
      const { state, backups } = await ingest();
      return state === 'waiting' && backups[0]?.state === 'waiting';
    });
    const clip = makeClip(join(service.scratch, 'truck.mp4'));
    for (const host of HOSTS)
      encoders.push(
        startEncoder('ffmpeg RTMP', clip, {
          rtmpUrl: `rtmp://${host}:${port}/live/${INGEST_KEY}`,
          srtPort: 0,
          udpPort: 0,
        }),
      );
  });
  after(async () => {
    await Promise.all(encoders.map((encoder) => encoder.kill()));
    await service?.dispose();
    await Promise.all([sink?.dispose(), ...(remotes ?? []).map((remote) => remote.dispose())]);
  });

  const ingest = async (): Promise<ChannelIngest> =>
    (await service.rest('GET', `/channels/${show.channelId}`)).body.data.ingest as ChannelIngest;
  const deviceOf = async (): Promise<number> =>
    ((await service.rest('GET', `/livestreams/${show.livestreamId}/status`)).body.data as { deviceId: number })
      .deviceId;

  it('both have the source, a planned move goes there and back, and the death of a Device leaves the broadcast on air at the other', async () => {
    await until('both receive', async () => {
      const { state, backups } = await ingest();
      return state === 'receiving' && backups[0]?.state === 'receiving';
    });
    await goOnAir(service, show.livestreamId);
    assert.equal(await deviceOf(), ids[0]);
    await until('it is published', async () => (await sink.publishing()).includes(KEY));
    for (const to of [ids[1], ids[0]]) {
      const { status, body } = await service.rest('POST', `/livestreams/${show.livestreamId}/move`, {});
      assert.equal(status, 200, JSON.stringify(body));
      assert.equal(await deviceOf(), to);
    }
    const [first] = remotes;
    for (const { pid } of processesOf(first!.dir)) process.kill(pid, 'SIGKILL');
    await until('it is on air there', async () => {
      const { status } = await statusOf(service, show.livestreamId);
      return status === 2 && (await deviceOf()) === ids[1] && (await sink.publishing()).includes(KEY);
    });
    assert.equal(sink.mostAtOnce(KEY), 1, 'never two');
  });
});
