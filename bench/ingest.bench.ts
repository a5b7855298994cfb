/** The cost of push Channels while nobody sends to them: the growth of all processes of a service. */
import type { Ingest } from '../domain/shapes/sources/ingest.ts';
import { startEncoder } from '../test/helpers/encoders.ts';
import { freePort } from '../test/helpers/ports.ts';
import { makeClip, processesOf, startService, type Service } from '../test/helpers/service.ts';
import { until } from '../test/helpers/until.ts';
import { bounded, type Figure } from './figures.ts';
import { sleepSeconds, useOf, type Use } from './copy/use.ts';

const RTMP_CHANNELS = 40;
const SRT_CHANNELS = 10;
const SETTLE_SECONDS = 20;
const MEASURED_SECONDS = 15;

async function settledUse({ scratch }: Service): Promise<Use> {
  await sleepSeconds(SETTLE_SECONDS);
  return useOf(
    processesOf(scratch).map(({ pid }) => pid),
    MEASURED_SECONDS,
  );
}

export async function benchIngest(): Promise<Figure[]> {
  const service = await startService();
  try {
    const before = await settledUse(service);
    const port = await freePort();
    const channels: number[] = [];
    for (let n = 0; n < RTMP_CHANNELS; n += 1) {
      const settings = { app: 'live', stream_key: `key-of-encoder-${n}`, port };
      channels.push(await service.create('/channels', { name: `RTMP ${n}`, type: 'RTMP-Push', settings }));
    }
    const srtPorts: number[] = [];
    for (let n = 0; n < SRT_CHANNELS; n += 1) {
      srtPorts.push(await freePort());
      const settings = { mode: 'listener', port: srtPorts[n] };
      channels.push(await service.create('/channels', { name: `SRT ${n}`, type: 'SRT', settings }));
    }
    const stateOf = async (id: number): Promise<string> =>
      ((await service.rest('GET', `/channels/${id}`)).body.data.ingest as Ingest).state;
    const areAll = async (state: string): Promise<boolean> =>
      (await Promise.all(channels.map(stateOf))).every((one) => one === state);
    await until('all wait for their encoders', () => areAll('waiting'));
    const idle = await settledUse(service);

    const clip = `${service.scratch}/clip.mp4`;
    makeClip(clip);
    const rtmpUrl = `rtmp://127.0.0.1:${port}/live/key-of-encoder-${RTMP_CHANNELS - 1}`;
    const place = { rtmpUrl, srtPort: srtPorts.at(-1)!, udpPort: 0 };
    for (const [name, id] of [
      ['ffmpeg RTMP', channels[RTMP_CHANNELS - 1]!],
      ['ffmpeg SRT', channels.at(-1)!],
    ] as const) {
      const encoder = startEncoder(name, clip, place);
      await until(`${name} is received`, async () => (await stateOf(id)) === 'receiving');
      await encoder.kill();
    }
    const of = `${RTMP_CHANNELS} RTMP-Push on one port and ${SRT_CHANNELS} SRT listeners, idle`;
    const [megabytes, percent] = [idle.megabytes - before.megabytes, idle.percent - before.percent];
    return [
      bounded(`${of}: memory`, megabytes, 60, 'MB', `PSS of all processes, ${before.megabytes.toFixed(0)} MB before`),
      bounded(`${of}: processor`, percent, 2, '%', `of one core, ${before.percent.toFixed(2)} % before`),
    ];
  } finally {
    await service.dispose();
  }
}
