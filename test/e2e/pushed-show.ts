/** A service with one Live stream that takes an encoder which pushes, and gives a transport stream to a receiver of datagrams. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Ingest } from '../../domain/shapes/sources/ingest.ts';
import { statusOf } from '../helpers/broadcast.ts';
import { isSrt, type EncoderName, type Place } from '../helpers/encoders.ts';
import { receiver, type Receiver } from '../helpers/first-frame.ts';
import { madeOnce } from '../helpers/made-once.ts';
import { freePort } from '../helpers/ports.ts';
import { startService, type Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { countedAt } from '../device/runner/source-form.ts';

const START_MS = 100_000;
const KEY = 'canary-key-of-the-encoder';

export interface PushedShow {
  service: Service;
  livestreamId: number;
  place: Place;
  air: Receiver;
  ingest(name: EncoderName): Promise<Ingest>;
  /** The encoder is received, and its rate is known. */
  received(name: EncoderName): Promise<void>;
  /** Its place is free: of an encoder that was killed, SRT knows after 3 s. */
  left(name: EncoderName): Promise<void>;
  use(name: EncoderName): Promise<void>;
  /** Returns the seconds from the call to the first frame at the receiver, and a file with what has come in `seconds`. */
  start(seconds?: number): Promise<{ onAir: number; recording: string }>;
  /** A show that is off stays so. */
  stop(): Promise<void>;
  dispose(): Promise<void>;
}

export async function pushedShow(): Promise<PushedShow> {
  const service = await startService();
  const [rtmpPort, srtPort, udpPort, airPort] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ];
  const rtmp = await service.create('/channels', {
    name: 'OBS',
    type: 'RTMP-Push',
    settings: { app: 'live', stream_key: KEY, port: rtmpPort },
  });
  const srt = await service.create('/channels', {
    name: 'Contribution',
    type: 'SRT',
    settings: { mode: 'listener', port: srtPort, latency_ms: 120 },
  });
  const settings_video = {
    codec: 'h264',
    fps: 0,
    height: 180,
    bitrate: 600,
    preset: 'ultrafast',
    h264: { keyframe_interval: 1 },
  };
  const encoding = await service.create('/encodings', { name: 'as it comes', settings_video });
  const encodingGroupId = await service.create('/encodings/groups', { name: 'one', elements: [encoding] });
  const publishing = await service.create('/publishings', {
    name: 'air',
    type: 'STREAM',
    settings: { url: `udp://127.0.0.1:${airPort}` },
  });
  const publishingGroupId = await service.create('/publishings/groups', { name: 'outputs', elements: [publishing] });
  const bound = { channelId: rtmp, encodingGroupId, publishingGroupId };
  const livestreamId = await service.create('/livestreams', { name: 'Pushed show', ...bound });
  const air = await receiver(airPort);
  const channelOf = (name: EncoderName): number => (isSrt(name) ? srt : rtmp);
  const ingest = async (name: EncoderName): Promise<Ingest> =>
    (await service.rest('GET', `/channels/${channelOf(name)}`)).body.data.ingest as Ingest;
  await until('its listeners', async () => (await ingest('ffmpeg RTMP')).state === 'waiting');
  const post = async (what: string): Promise<void> => {
    const { status, body } = await service.rest('POST', `/livestreams/${livestreamId}/${what}`, {});
    if (status >= 300) throw new Error(`${what}: ${status} ${JSON.stringify(body)}`);
  };
  return {
    service,
    livestreamId,
    place: { rtmpUrl: `rtmp://127.0.0.1:${rtmpPort}/live/${KEY}`, srtPort, udpPort },
    air,
    ingest,
    async received(name) {
      await until(`${name} is received`, async () => (await ingest(name)).video?.fps != null);
    },
    async left(name) {
      await until(`${name} is gone`, async () => (await ingest(name)).state === 'waiting');
    },
    async use(name) {
      const { status, body } = await service.rest('PUT', `/livestreams/${livestreamId}`, {
        ...bound,
        name: 'Pushed show',
        channelId: channelOf(name),
      });
      if (status !== 200) throw new Error(`PUT: ${status} ${JSON.stringify(body)}`);
    },
    async start(seconds = 0) {
      const startedAt = Date.now();
      const [frame, recorded] = [air.firstFrame(), air.record(seconds * 1000)];
      await post('start');
      const onAir = ((await Promise.race([frame, late()])) - startedAt) / 1000;
      const recording = join(service.scratch, 'received.ts');
      writeFileSync(recording, (await recorded).bytes);
      return { onAir, recording };
    },
    async stop() {
      if ((await statusOf(service, livestreamId)).status === 0) return;
      await post('stop');
      await until('status 0', async () => (await statusOf(service, livestreamId)).status === 0);
    },
    async dispose() {
      air.close();
      await service.dispose();
    },
  };
}

/** A start that has failed gives no frame. */
async function late(): Promise<never> {
  await delay(START_MS, undefined, { ref: false });
  throw new Error(`No frame has come within ${START_MS / 1000} s of the start.`);
}

/** The value that this share of them does not exceed. */
export function shareOf(values: readonly number[], share: number): number {
  return [...values].sort((a, b) => a - b)[Math.ceil(values.length * share) - 1]!;
}

export const FORMS = ['25', '30000/1001', '50', '60000/1001', '1080x1920'] as const;
export type Form = (typeof FORMS)[number];

/** Counted pictures of this rate, or upright ones. */
export function clipOf(dir: string, form: Form): string {
  if (form !== '1080x1920') return countedAt(dir, form);
  const from = countedAt(dir, '25');
  const coding = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '25', '-pix_fmt', 'yuv420p', '-c:a', 'copy'];
  return madeOnce(join(dir, 'upright.mp4'), ['upright', from], (target) =>
    execFileSync('ffmpeg', [
      '-nostdin',
      '-v',
      'error',
      '-y',
      '-i',
      from,
      '-vf',
      'scale=1080:1920,setsar=1',
      ...coding,
      '-f',
      'mp4',
      target,
    ]),
  );
}
