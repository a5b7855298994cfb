/** Measures the pictures of the page on a running service with a real broadcast: CPU of its runner and of the server, and the delay of what a runner reports. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { goOnAir } from '../test/helpers/broadcast.ts';
import { FeedClient } from '../test/helpers/feed-client.ts';
import { readPictures } from '../test/helpers/picture-reader.ts';
import { processesOf, startService, TOKEN, type Service } from '../test/helpers/service.ts';
import { processorTimes } from './cpu.ts';
import { bounded, median, percentile95, type Figure } from './figures.ts';

const HEADERS = { authorization: `Bearer ${TOKEN}` };
const ROUNDS = 3;
const MEASURED_MS = 5000;
const SETTLE_MS = 1500;
/** Pictures a second of one Live stream, the most that a viewer may want. */
const RATE = 10;
/** Each of them tries a port that nobody listens on, again and again. */
const FAILING = 10;
const CHANGES = 30;
/** Tries come ever more rarely. */
const MAX_WAIT_MS = 45_000;
/** RFC 863; nothing listens there on a machine of today. */
const CLOSED_PORT = 9;
const MANY = 40;

interface Spent {
  runner: number;
  server: number;
  pictures: number;
}

export async function benchPictures(): Promise<Figure[]> {
  const service = await startService();
  try {
    const livestreamId = await broadcast(service);
    await goOnAir(service, livestreamId);
    await sleep(SETTLE_MS);
    const figures = await delays(service);
    return [...figures, ...(await costs(service, livestreamId))];
  } finally {
    await service.dispose();
  }
}

/** 720p in and out, so that pictures are made smaller as in most broadcasts. */
async function broadcast(service: Service): Promise<number> {
  const path = join(service.scratch, 'film.mp4');
  const video = ['-f', 'lavfi', '-i', 'testsrc2=s=1280x720:r=25'];
  const audio = ['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=48000'];
  const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '50', '-pix_fmt', 'yuv420p', '-c:a', 'aac'];
  execFileSync('ffmpeg', ['-v', 'error', '-y', ...video, ...audio, '-t', '10', ...codecs, path]);
  const form = new FormData();
  form.set('fileType', 'files');
  form.set('file', new Blob([readFileSync(path)], { type: 'video/mp4' }), 'film.mp4');
  const upload = await fetch(`${service.url}/svcapiv2/assets`, { method: 'POST', headers: HEADERS, body: form });
  if (upload.status !== 201) throw new Error(`upload: ${upload.status}`);
  const film = { type: 'File', settings: { filename: 'film.mp4' } };
  const channelId = await service.create('/channels', { name: 'Film', ...film });
  const settings_video = { codec: 'h264', height: 720, bitrate: 1500, fps: 25, preset: 'ultrafast' };
  const encodingId = await service.create('/encodings', { name: '720p', settings_video });
  const elements = [await service.create('/publishings', { name: 'Web', type: 'HLS / TS' })];
  for (let n = 1; n <= FAILING; n += 1) {
    const settings = { url: `rtmp://127.0.0.1:${CLOSED_PORT}/live`, stream_key: `key-${n}` };
    elements.push(await service.create('/publishings', { name: `Closed ${n}`, type: 'RTMP', settings }));
  }
  const publishingGroupId = await service.create('/publishings/groups', { name: 'All', elements });
  return service.create('/livestreams', { name: 'Show', channelId, encodingId, publishingGroupId });
}

/** Measures a path that fails: the runner says since when, and the feed is read on the same machine. */
async function delays(service: Service): Promise<Figure[]> {
  const client = new FeedClient(await fetch(`${service.url}/svcapiv2/feed`, { headers: HEADERS }));
  await client.wait('snapshot');
  const seen = new Set<string>();
  const delays: number[] = [];
  const begunMs = Date.now();
  for (let at = client.messages.length; delays.length < CHANGES && Date.now() - begunMs < MAX_WAIT_MS; await sleep(2)) {
    for (; at < client.messages.length; at += 1) {
      const { event, data } = client.messages[at]!;
      if (event !== 'status') continue;
      for (const { publishings = [] } of data.livestreams as { publishings?: Path[] }[])
        for (const { publishingId, primary } of publishings) {
          const key = `${publishingId} ${primary.since}`;
          const sinceMs = Date.parse(primary.since ?? '');
          if (sinceMs > begunMs && !seen.has(key)) delays.push(Date.now() - sinceMs);
          seen.add(key);
        }
    }
  }
  await client.leave();
  const note = `95th of ${delays.length} changes of paths`;
  return [bounded('from a change in the runner until it is in the feed', percentile95(delays) / 1000, 0.5, 's', note)];
}

interface Path {
  publishingId: number;
  primary: { since: string | null };
}

async function costs(service: Service, id: number): Promise<Figure[]> {
  const rounds: Record<'none' | 'small' | 'large', Spent>[] = [];
  while (rounds.length < ROUNDS) {
    rounds.push({
      none: await spent(service),
      small: await spent(service, `${id}:320:${RATE}`),
      large: await spent(service, `${id}:640:${RATE}`),
    });
  }
  const per = (kind: 'small' | 'large', field: 'runner' | 'server'): number =>
    median(rounds.map((round) => (round[kind][field] - round.none[field]) / round[kind].pictures));
  const note = `${ROUNDS} rounds of ${MEASURED_MS / 1000} s at ${RATE} a second`;
  return [
    bounded('a runner with a picture of 320 a second', 100 * per('small', 'runner'), 0.5, '% of a core', note),
    bounded(
      `a runner with ${RATE} pictures of 640 a second`,
      100 * RATE * per('large', 'runner'),
      10,
      '% of a core',
      note,
    ),
    bounded(
      `${MANY} pictures of 320 a second in the control plane`,
      100 * MANY * per('small', 'server'),
      5,
      '% of a core',
      note,
    ),
  ];
}

/** Seconds of CPU a second, and pictures a second. */
async function spent(service: Service, want?: string): Promise<Spent> {
  const reader = want === undefined ? undefined : await readPictures(service.url, want, HEADERS);
  await sleep(SETTLE_MS);
  const runner = processesOf(service.scratch).find(({ command }) => /onair\S* runner/u.test(command))?.pid ?? 0;
  const count = (): number => reader?.pictures.length ?? 0;
  const before = {
    runner: processorTimes(runner).own,
    server: processorTimes(service.pid).own,
    pictures: count(),
    ms: performance.now(),
  };
  await sleep(MEASURED_MS);
  const seconds = (performance.now() - before.ms) / 1000;
  const answer = {
    runner: (processorTimes(runner).own - before.runner) / seconds,
    server: (processorTimes(service.pid).own - before.server) / seconds,
    pictures: (count() - before.pictures) / seconds,
  };
  await reader?.close();
  return answer;
}
