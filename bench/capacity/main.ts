/**
 * `npm run carry` holds a new service to half a core, one and two, starts one broadcast after the other until a start is refused, and
 * measures each at its receiver for a minute; then another program takes the cores, and it is seen when that is said. `--seconds=60` is the
 * default; `--write` puts the table into docs/figures.md.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { statusOf, uploadFile } from '../../test/helpers/broadcast.ts';
import { makeClip, startService, TOKEN, type Service } from '../../test/helpers/service.ts';
import { until } from '../../test/helpers/until.ts';
import { tableOf, writeFigures } from '../document.ts';
import { controlGroup, type Group } from './group.ts';
import { countPictures, type PictureCount } from './pictures.ts';

const seconds = Number(/^--seconds=(\d+)$/mu.exec(process.argv.join('\n'))?.[1] ?? 60);
const CORES = (/^--cores=([\d.,]+)$/mu.exec(process.argv.join('\n'))?.[1] ?? '0.5,1,2').split(',').map(Number);
const FPS = 30;
const HEIGHTS = [360, 180] as const;
/** More than any of these machines takes. */
const MAX_SHOWS = 12;
const TRIAL_MS = 180_000;

interface Show {
  livestreamId: number;
  count: PictureCount;
  /** Cores, when it was admitted. */
  estimate: number;
}

async function makeShows(service: Service): Promise<Omit<Show, 'estimate'>[]> {
  const filename = await uploadFile(service, makeClip(join(service.scratch, 'clip.mp4'), 10, '1280x720'));
  const channelId = await service.create('/channels', { name: 'Film', type: 'File', settings: { filename } });
  const elements: number[] = [];
  for (const height of HEIGHTS) {
    const video = { codec: 'h264', height, bitrate: height * 2, fps: FPS, preset: 'veryfast' };
    elements.push(await service.create('/encodings', { name: `${height}p`, settings_video: video }));
  }
  const encodingGroupId = await service.create('/encodings/groups', { name: 'ladder', elements });
  const shows: Omit<Show, 'estimate'>[] = [];
  for (let n = 1; n <= MAX_SHOWS; n += 1) {
    const count = await countPictures();
    const to = { name: `out ${n}`, type: 'STREAM', settings: { url: count.url } };
    const publishingId = await service.create('/publishings', to);
    const bound = { channelId, encodingGroupId, publishingId };
    shows.push({ livestreamId: await service.create('/livestreams', { name: `Show ${n}`, ...bound }), count });
  }
  return shows;
}

async function metric(service: Service, name: string, livestreamId: number, kind = ''): Promise<number> {
  const headers = { authorization: `Bearer ${TOKEN}` };
  const text = await (await fetch(`${service.url}/metrics`, { headers })).text();
  const line = text
    .split('\n')
    .find(
      (one) =>
        one.startsWith(`${name}{`) && new RegExp(`livestream="${livestreamId}"`, 'u').test(one) && one.includes(kind),
    );
  return Number(line?.split(' ').at(-1) ?? Number.NaN);
}

/** Starts each as soon as the one before is on air. */
async function startAll(service: Service, shows: readonly Omit<Show, 'estimate'>[]): Promise<[Show[], string]> {
  const admitted: Show[] = [];
  for (const show of shows) {
    const reply = await service.rest('POST', `/livestreams/${show.livestreamId}/start`, {});
    if (reply.status !== 202) return [admitted, String(reply.body.detail)];
    const estimate = await metric(service, 'onair_livestream_reserved_cores', show.livestreamId);
    admitted.push({ ...show, estimate });
    await until('on air', async () => (await statusOf(service, show.livestreamId)).status === 2, { boundMs: 120_000 });
  }
  return [admitted, 'none was refused'];
}

/** Seconds from the beginning of the other programs. */
interface Heard {
  /** The receiver gets fewer pictures than the broadcast has, from then on. */
  fell: number;
  status: number;
  event: number;
  metrics: number;
}

const UNHEARD: Heard = { fell: Number.NaN, status: Number.NaN, event: Number.NaN, metrics: Number.NaN };

/** A broadcast has fallen behind for its receiver when that gets a smaller share of its pictures in every window of this length, for so long. */
const BEHIND_SHARE = 0.95;
const WINDOW_MS = 2000;
/** Other programs for each core: encoders of some threads get a share for each of them. */
const HOGS = 12;
const HEARD_MS = 90_000;
const LASTING_MS = 5000;

/** Begins many programs that compute, and tells when a broadcast fell behind for its receiver, and when that was said of it. */
async function hogged(service: Service, group: Group, cores: number, shows: readonly Show[]): Promise<Heard> {
  const hogs = Array.from({ length: Math.ceil(cores * HOGS) }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
  );
  for (const { pid } of hogs) group.add(pid!);
  const from = performance.now();
  const seconds = (): number => (performance.now() - from) / 1000;
  const watched = shows.map((show) => ({ show, fall: new Fall(show.count), heard: {} as Partial<Heard> }));
  try {
    return await until(
      'it is said',
      async () => {
        for (const { show, fall, heard } of watched) {
          const fellMs = fall.look(performance.now());
          if (fellMs !== undefined) heard.fell ??= (fellMs - from) / 1000;
          for (const where of await saidOf(service, show)) heard[where] ??= seconds();
          const { fell, status, event, metrics } = heard;
          if (fell !== undefined && status !== undefined && event !== undefined && metrics !== undefined)
            return { fell, status, event, metrics };
        }
        // The table then says that nobody was told, or that nothing was to be told.
        return seconds() > HEARD_MS / 1000 ? { ...UNHEARD, ...watched[0]!.heard } : undefined;
      },
      { boundMs: HEARD_MS },
    );
  } finally {
    for (const hog of hogs) hog.kill('SIGKILL');
  }
}

async function saidOf(service: Service, { livestreamId }: Show): Promise<('status' | 'event' | 'metrics')[]> {
  const isBehind = ({ kind }: { kind: string }): boolean => kind === 'behind';
  const { conditions } = (await statusOf(service, livestreamId)) as unknown as { conditions: { kind: string }[] };
  const { body } = await service.rest('GET', `/livestreams/${livestreamId}/events`);
  const isCounted = (await metric(service, 'onair_livestream_condition', livestreamId, 'kind="behind"')) > 0;
  return [
    ...(conditions.some(isBehind) ? ['status' as const] : []),
    ...((body.rows as { kind: string }[]).some(isBehind) ? ['event' as const] : []),
    ...(isCounted ? ['metrics' as const] : []),
  ];
}

/** Watches at a receiver when a broadcast begins to lack pictures for good. */
class Fall {
  private readonly count: PictureCount;
  private readonly points: { ms: number; pictures: number }[] = [];
  private sinceMs: number | undefined;

  constructor(count: PictureCount) {
    this.count = count;
  }

  /** The instant, once it has lasted. */
  look(ms: number): number | undefined {
    const { points } = this;
    const pictures = this.count.pictures();
    points.push({ ms, pictures });
    while (points.length > 2 && ms - points[1]!.ms >= WINDOW_MS) points.shift();
    const [first] = points as [{ ms: number; pictures: number }];
    const tookMs = ms - first.ms;
    if (tookMs < WINDOW_MS) return undefined;
    if ((pictures - first.pictures) / ((tookMs / 1000) * FPS) >= BEHIND_SHARE) this.sinceMs = undefined;
    else this.sinceMs ??= first.ms;
    return this.sinceMs !== undefined && ms - this.sinceMs >= LASTING_MS ? this.sinceMs : undefined;
  }
}

async function carry(cores: number): Promise<string[][]> {
  const group = controlGroup(cores);
  const service = await group.within(() => startService({ ONAIR_OTHER_LOAD: 'count' }));
  let shows: Omit<Show, 'estimate'>[] = [];
  try {
    shows = await makeShows(service);
    const device = async (): Promise<{ encoding_factor: number | null }> =>
      (await service.rest('GET', '/devices/1')).body.data;
    await until('the trial', async () => (await device()).encoding_factor !== null, { boundMs: TRIAL_MS });
    const { encoding_factor: factor } = await device();
    const [admitted, refusal] = await startAll(service, shows);
    process.stderr.write(`${cores} cores, factor ${factor}: ${admitted.length} admitted; ${refusal}\n`);
    const before = admitted.map(({ count }) => count.pictures());
    const from = performance.now();
    await sleep(seconds * 1000);
    const paces = admitted.map(({ count }, n) => {
      const wanted = ((performance.now() - from) / 1000) * FPS;
      return (count.pictures() - before[n]!) / wanted;
    });
    const rows: string[][] = [];
    for (const [n, { livestreamId, estimate }] of admitted.entries()) {
      const measured = await metric(service, 'onair_livestream_cpu_cores', livestreamId);
      const figures = [
        paces[n]!.toFixed(3),
        estimate.toFixed(2),
        measured.toFixed(2),
        (estimate / measured).toFixed(2),
      ];
      rows.push([String(cores), `${n + 1} of ${admitted.length}`, ...figures, '', '']);
    }
    if (admitted.length > 0) {
      const { fell, ...heard } = await hogged(service, group, cores, admitted);
      rows[0]![6] = fell.toFixed(1);
      rows[0]![7] = Object.values(heard)
        .map((at) => (at - fell).toFixed(1))
        .join(', ');
    }
    return rows.length > 0 ? rows : [[String(cores), 'none', '', '', '', '', '', refusal]];
  } finally {
    for (const { count } of shows) count.close();
    await service.dispose();
    await group.remove();
  }
}

const rows: string[][] = [];
for (const cores of CORES) {
  const measured = await carry(cores);
  for (const row of measured) process.stdout.write(`${row.join(', ')}\n`);
  rows.push(...measured);
}
const heads = [
  'Cores',
  'Broadcast',
  'Of real time',
  'Cores, estimated',
  'Cores, measured',
  'Estimate over measure',
  'Behind after, s',
  'Said in status, event, metrics after that, s',
];
const text = tableOf(heads, rows);
process.stdout.write(`${text}\n`);
if (process.argv.includes('--write'))
  await writeFigures('carry', `Ladders of 360p and 180p at 30 pictures a second, veryfast, ${seconds} s.\n\n${text}`);
