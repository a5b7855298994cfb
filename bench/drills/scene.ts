/** The broadcasts that are drilled: one that encodes, to a receiver, an RTMP server and HLS; and twenty that copy what is pushed, in one runner. */
import { join } from 'node:path';
import { goOnAir, statusOf, uploadFile } from '../../test/helpers/broadcast.ts';
import { areOnAir, runners, start } from '../../test/helpers/copies.ts';
import { makeCountedClip } from '../../test/helpers/counted.ts';
import { VIDEO } from '../../test/helpers/counted-broadcast.ts';
import { freePort } from '../../test/helpers/ports.ts';
import { startRtmp, type RtmpServer } from '../../test/helpers/servers/rtmp.ts';
import { agentPid, pidsOf, startService, type Service } from '../../test/helpers/service.ts';
import { until } from '../../test/helpers/until.ts';
import { live, startCaller } from '../peers/caller.ts';
import { HlsViewer } from './hls-viewer.ts';
import { Receiver, type Viewer } from './receiver.ts';

export const PICTURES = 4080;
const SHARED = 20;
const WAIT_MS = 60_000;

export interface Scene {
  service: Service;
  rtmp: RtmpServer;
  encoded: Viewer;
  /** The Live stream's runner carries nineteen others. */
  shared: Viewer;
  /** Another viewer of it. */
  sharedHls: Viewer;
  /** The Live streams of these three. */
  ids: Record<'encoded' | 'shared' | 'sharedHls', number>;
  agent(): number;
  runner(): number;
  sharedRunner(): number;
  encoder(): number;
  ingest(): number;
  areAllOnAir(): Promise<boolean>;
  isRtmpUp(): Promise<boolean>;
  dispose(): Promise<void>;
}

const SHORT = { segment_duration: 2, playlist_length: 60 };
const RETRY = { max_attempts: 50, initial_delay_ms: 200, max_delay_ms: 1000 };

export async function openScene(): Promise<Scene> {
  const service = await startService();
  const rtmp = await startRtmp();
  const [encoded, shared] = [await Receiver.open(), await Receiver.open()];
  const clip = makeCountedClip(join(service.scratch, 'counted.mp4'), PICTURES);
  const filename = await uploadFile(service, clip);
  const channelId = await service.create('/channels', { name: 'Film', type: 'File', settings: { filename } });
  const encodedId = await encodedShow(service, channelId, encoded.url, rtmp.url);
  const { copies, playlist, stopSending } = await copiedShows(service, clip, shared.url);
  await goOnAir(service, encodedId);
  await start(service, copies);
  await until('on air', () => areOnAir(service, copies), { boundMs: WAIT_MS });
  const pids = (pattern: RegExp): number => pidsOf(service.scratch, pattern)[0]!;
  return {
    service,
    rtmp,
    encoded,
    shared,
    sharedHls: new HlsViewer(playlist),
    ids: { encoded: encodedId, shared: copies[0]!, sharedHls: copies[0]! },
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
      stopSending();
      for (const receiver of [encoded, shared]) receiver.close();
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

interface Copies {
  copies: number[];
  /** That of the first. */
  playlist: string;
  stopSending(): void;
}

/** Each has an encoder that sends, and HLS; the first has a receiver, too. */
async function copiedShows(service: Service, clip: string, receiverUrl: string): Promise<Copies> {
  const copied = { settings_video: { codec: 'copy' }, settings_audio: { codec: 'copy' } };
  const encodingId = await service.create('/encodings', { name: 'copy', ...copied });
  const port = await freePort();
  const copies: number[] = [];
  const senders: (() => void)[] = [];
  const receiver = { name: 'copied', type: 'STREAM', settings: { url: receiverUrl } };
  const first = await service.create('/publishings', { name: 'copied web', type: 'HLS / TS', settings: SHORT });
  for (let n = 0; n < SHARED; n += 1) {
    const settings = { app: 'live', stream_key: `key-of-encoder-${n}`, port };
    const channelId = await service.create('/channels', { name: `Encoder ${n}`, type: 'RTMP-Push', settings });
    const name = `copied ${n}`;
    const elements =
      n === 0
        ? [first, await service.create('/publishings', receiver)]
        : [await service.create('/publishings', { name, type: 'HLS / TS', settings: SHORT })];
    const publishingGroupId = await service.create('/publishings/groups', { name, elements });
    copies.push(await service.create('/livestreams', { name, channelId, encodingId, publishingGroupId }));
    const to = `rtmp://127.0.0.1:${port}/live/${settings.stream_key}`;
    senders.push(startCaller([...live(clip), '-f', 'flv', to]));
  }
  return {
    copies,
    playlist: `${service.url}/live/${copies[0]}/${first}/index.m3u8`,
    stopSending: () => senders.forEach((end) => end()),
  };
}
