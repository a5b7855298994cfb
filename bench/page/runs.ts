/** Many broadcasts of three renditions on the Device in memory, which reports each of them once a second as runners do. */
import type { Clock } from '../../domain/time/clock.ts';
import type { RunReport } from '../../domain/shapes/broadcasts/run.ts';
import type { TestApp } from '../../test/app/test-app.ts';
import { until } from '../../test/helpers/until.ts';

const RENDITIONS = [720, 480, 360];
const BATCHES = 20;
/** Enough for as many broadcasts as are measured. */
const CORES = 10_000;

export async function goRound(app: TestApp<Clock>, runs: number): Promise<{ ids: number[]; runIds: string[] }> {
  const { device, store } = app;
  device.cores = CORES;
  device.goOffline();
  device.goOnline();
  await until('a Device for all', async () => (await store.get('devices', app.deviceId))?.row.cores === CORES);
  const source = { type: 'Stream', settings: { url: 'http://127.0.0.1:9/live.m3u8' } };
  const { id: channelId } = await app.data('addChannel', { name: 'Camera', ...source });
  const elements: unknown[] = [];
  for (const height of RENDITIONS) {
    const settings_video = { codec: 'h264', height, bitrate: height * 4, fps: 25 };
    elements.push((await app.data('addEncoding', { name: `${height}p`, settings_video })).id);
  }
  const { id: encodingGroupId } = await app.data('addEncodingGroup', { name: 'Ladder', elements });
  const { id: publishingId } = await app.data('addPublishing', { name: 'Web', type: 'HLS / TS' });
  const ids: number[] = [];
  for (let n = 1; n <= runs; n += 1) {
    const { id } = await app.data('addLivestream', { name: `Arena ${n}`, channelId, encodingGroupId, publishingId });
    await app.data('startLivestream', { livestreamId: id });
    ids.push(id as number);
  }
  await until('all runs', () => device.runIds.length === runs);
  const { runIds } = device;
  for (const runId of runIds) device.running(runId);
  const onAir = async (): Promise<boolean> =>
    (await store.find('runs', { where: { status: 2 }, limit: 1 })).total === runs;
  await until('all on air', onAir);
  let batch = 0;
  setInterval(() => {
    batch = (batch + 1) % BATCHES;
    runIds.forEach((runId, n) => n % BATCHES === batch && device.tell(runId, measured(device.report(runId))));
  }, 1000 / BATCHES);
  return { ids, runIds };
}

/** The figures of the next second, which are never quite those of the one before. */
function measured({ source, encodings }: RunReport): Partial<RunReport> {
  const about = (value: number, part: number, digits: number): number =>
    Number((value * (1 - part / 2 + part * Math.random())).toFixed(digits));
  return {
    source: {
      ...source,
      fps: about(25, 0.01, 1),
      bitrate_kbps: about(2500, 0.1, 1),
      last_frame_at: new Date().toISOString(),
    },
    encodings: encodings.map((encoding) => ({
      ...encoding,
      fps: about(25, 0.01, 1),
      bitrate_kbps: about(1900, 0.1, 1),
      speed: about(1, 0.01, 2),
    })),
    peaks: [about(-12, 0.5, 1), about(-12, 0.5, 1)],
    flags: 0,
  };
}
