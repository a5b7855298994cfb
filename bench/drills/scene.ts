/** The broadcasts that are drilled: one that encodes, to a receiver, an RTMP server and HLS; and eleven that copy, of which ten share a runner. */
import { join } from 'node:path';
import { goOnAir, statusOf, uploadFile } from '../../test/helpers/broadcast.ts';
import { areOnAir, runners, start } from '../../test/helpers/copies.ts';
import { makeCountedClip } from '../../test/helpers/counted.ts';
import { VIDEO } from '../../test/helpers/counted-broadcast.ts';
import { startRtmp, type RtmpServer } from '../../test/helpers/servers/rtmp.ts';
import { agentPid, pidsOf, startService, type Service } from '../../test/helpers/service.ts';
import { until } from '../../test/helpers/until.ts';
import { Receiver } from './receiver.ts';

export const PICTURES = 4080;
const SHARED = 10;
const WAIT_MS = 60_000;

export interface Scene {
  service: Service;
  rtmp: RtmpServer;
  encoded: Receiver;
  /** The Live stream's runner carries nine others. */
  shared: Receiver;
  /** That of the eleventh, whose runner is another one. */
  beside: Receiver;
  /** The Live streams of these three. */
  ids: Record<'encoded' | 'shared' | 'beside', number>;
  agent(): number;
  runner(): number;
  sharedRunner(): number;
  encoder(): number;
  ingest(): number;
  areAllOnAir(): Promise<boolean>;
  isRtmpUp(): Promise<boolean>;
  dispose(): Promise<void>;
}

const RETRY = { max_attempts: 50, initial_delay_ms: 200, max_delay_ms: 1000 };

export async function openScene(): Promise<Scene> {
  const service = await startService();
  const rtmp = await startRtmp();
  const [encoded, shared, beside] = [await Receiver.open(), await Receiver.open(), await Receiver.open()];
  const filename = await uploadFile(service, makeCountedClip(join(service.scratch, 'counted.mp4'), PICTURES));
  const channelId = await service.create('/channels', { name: 'Film', type: 'File', settings: { filename } });
  const encodedId = await encodedShow(service, channelId, encoded.url, rtmp.url);
  const copies = await copiedShows(service, channelId, [
    shared.url,
    ...Array.from({ length: SHARED - 1 }, () => undefined),
    beside.url,
  ]);
  await goOnAir(service, encodedId);
  // One after the other, so that the last is the one that finds no room.
  for (const id of copies) {
    await start(service, [id]);
    await until('on air', () => areOnAir(service, [id]), { boundMs: WAIT_MS });
  }
  const pids = (pattern: RegExp): number => pidsOf(service.scratch, pattern)[0]!;
  return {
    service,
    rtmp,
    encoded,
    shared,
    beside,
    ids: { encoded: encodedId, shared: copies[0]!, beside: copies.at(-1)! },
    agent: () => agentPid(service),
    runner: () => runners(service).get(encodedId)!.pid,
    sharedRunner: () => runners(service).get(copies[0]!)!.pid,
    encoder: () => pids(/^\S*ffmpeg.* -i pipe:3 /u),
    ingest: () => pids(/^\S*ffmpeg.* rawvideo pipe:3 /u),
    areAllOnAir: () => areOnAir(service, [encodedId, ...copies]),
    async isRtmpUp() {
      const status = (await statusOf(service, encodedId)) as unknown as { publishings: PublishingNow[] };
      return status.publishings.some(({ name, primary }) => name === 'platform' && primary.state === 'up');
    },
    async dispose() {
      for (const receiver of [encoded, shared, beside]) receiver.close();
      await service.dispose();
      await rtmp.dispose();
    },
  };
}

interface PublishingNow {
  name: string;
  primary: { state: string };
}

async function encodedShow(service: Service, channelId: number, url: string, rtmpUrl: string): Promise<number> {
  const settings_video = { ...VIDEO, height: 180, bitrate: 400, h264: { keyframe_interval: 1 } };
  const encodingId = await service.create('/encodings', { name: '180p', settings_video });
  const platform = { url: rtmpUrl, stream_key: 'drilled' };
  const elements = [
    await service.create('/publishings', { name: 'receiver', type: 'STREAM', settings: { url } }),
    await service.create('/publishings', { name: 'platform', type: 'RTMP', settings: platform, retry: RETRY }),
    await service.create('/publishings', { name: 'web', type: 'HLS / TS' }),
  ];
  const publishingGroupId = await service.create('/publishings/groups', { name: 'all', elements });
  return service.create('/livestreams', { name: 'Encoded', channelId, encodingId, publishingGroupId });
}

async function copiedShows(service: Service, channelId: number, urls: (string | undefined)[]): Promise<number[]> {
  const copied = { settings_video: { codec: 'copy' }, settings_audio: { codec: 'copy' } };
  const encodingId = await service.create('/encodings', { name: 'copy', ...copied });
  const ids: number[] = [];
  for (const [n, url] of urls.entries()) {
    const type = url === undefined ? { type: 'HLS / TS' } : { type: 'STREAM', settings: { url } };
    const publishingId = await service.create('/publishings', { name: `copied ${n}`, ...type });
    ids.push(await service.create('/livestreams', { name: `Copied ${n}`, channelId, encodingId, publishingId }));
  }
  return ids;
}
