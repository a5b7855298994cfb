/**
 * Measures what a Live stream costs that copies its source, with all processes of the service counted, beside what plain ffmpegs and nginx take for the
 * same. The senders and receivers around them are nobody's cost.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { areOnAir, start } from '../../test/helpers/copies.ts';
import { processesOf, startService, type Service } from '../../test/helpers/service.ts';
import { until } from '../../test/helpers/until.ts';
import { bounded, type Figure } from '../figures.ts';
import { nginxVersion, startNginx } from '../peers/nginx.ts';
import { startPeers, type Carrier, type CopyCase, type Peers } from './peers.ts';
import { sleepSeconds, useOf, type Use } from './use.ts';

/** All have their playlists by then, and the start is over. */
const SETTLE_SECONDS = 15;
const MEASURED_SECONDS = 20;
/** The share of the time that a plain ffmpeg, or nginx, takes for the same. */
interface Bars {
  ffmpeg: number;
  nginx?: number;
}
const MAX_MEGABYTES = 6;

const CASES: readonly (CopyCase & { bars: Bars })[] = [
  { source: 'RTMP push', destination: 'HLS / TS', streams: 20, bars: { ffmpeg: 0.5, nginx: 0.7 } },
  { source: 'RTMP push', destination: 'CMAF', streams: 20, bars: { ffmpeg: 0.5 } },
  { source: 'RTMP push', destination: 'CMAF, low latency', streams: 20, bars: { ffmpeg: 1 } },
  { source: 'RTMP push', destination: 'HLS / TS, two RTMP and Record', streams: 10, bars: { ffmpeg: 0.6, nginx: 1.2 } },
  { source: 'UDP', destination: 'HLS / TS', streams: 20, bars: { ffmpeg: 0.7 } },
  { source: 'RTMP', destination: 'HLS / TS', streams: 20, bars: { ffmpeg: 0.7 } },
  { source: 'HLS', destination: 'HLS / TS', streams: 20, bars: { ffmpeg: 1.1 } },
  // Each needs a sender or a receiver of its own, which leaves fewer of them room.
  { source: 'SRT', destination: 'HLS / TS', streams: 10, bars: { ffmpeg: 1.1 } },
  { source: 'SRT push', destination: 'HLS / TS', streams: 10, bars: { ffmpeg: 1.1 } },
  { source: 'UDP', destination: 'SRT', streams: 10, bars: { ffmpeg: 1.1 } },
  { source: 'UDP', destination: 'RTMP', streams: 20, bars: { ffmpeg: 0.7 } },
  { source: 'UDP', destination: 'Record', streams: 20, bars: { ffmpeg: 0.7 } },
];

const COPY = { settings_video: { codec: 'copy' }, settings_audio: { codec: 'copy' } };

/** Each as one Live stream; several Destinations are a group. */
async function begin(service: Service, one: CopyCase, peers: Peers): Promise<void> {
  const encodingId = await service.create('/encodings', { name: 'copy', ...COPY });
  const ids: number[] = [];
  for (let n = 0; n < one.streams; n += 1) {
    const channelId = await service.create('/channels', { name: `source ${n}`, ...peers.channel(n) });
    const elements: number[] = [];
    for (const [at, publishing] of peers.publishings(n).entries())
      elements.push(await service.create('/publishings', { name: `to ${n}, ${at}`, ...publishing }));
    const publishingGroupId = await service.create('/publishings/groups', { name: `to ${n}`, elements });
    ids.push(await service.create('/livestreams', { name: `copy ${n}`, channelId, encodingId, publishingGroupId }));
  }
  await start(service, ids);
  await until('all on air', () => areOnAir(service, ids), { boundMs: 180_000 });
}

const each = (use: Use, { streams }: CopyCase): Use => ({
  megabytes: use.megabytes / streams,
  percent: use.percent / streams,
});

async function ours(one: CopyCase, peers: Peers): Promise<Use> {
  const service = await startService();
  const pids = (): number[] => processesOf(service.scratch).map(({ pid }) => pid);
  try {
    await sleepSeconds(SETTLE_SECONDS);
    const idle = await useOf(pids(), MEASURED_SECONDS);
    await begin(service, one, peers);
    await sleepSeconds(SETTLE_SECONDS);
    const busy = await useOf(pids(), MEASURED_SECONDS);
    return each({ megabytes: busy.megabytes - idle.megabytes, percent: busy.percent - idle.percent }, one);
  } finally {
    await service.dispose();
  }
}

async function byFfmpeg(dir: string, one: CopyCase, peers: Peers): Promise<Use> {
  const children = Array.from({ length: one.streams }, (_, n) =>
    spawn('ffmpeg', ['-v', 'error', '-nostdin', ...peers.plainArgs(n, join(dir, String(n)))], { stdio: 'ignore' }),
  );
  try {
    await sleepSeconds(SETTLE_SECONDS);
    const pids = children.map(({ pid }) => pid!);
    const use = await useOf(pids, MEASURED_SECONDS);
    const ended = children.filter(({ exitCode }) => exitCode !== null).length;
    if (ended > 0) throw new Error(`${ended} plain ffmpegs have ended.`);
    return each(use, one);
  } finally {
    for (const child of children) child.kill('SIGKILL');
  }
}

async function byNginx(dir: string, one: CopyCase, peers: Peers): Promise<Use> {
  const nginx = await startNginx(dir, peers.nginx);
  try {
    await sleepSeconds(SETTLE_SECONDS);
    const use = await useOf(nginx.pids(), MEASURED_SECONDS);
    const lists = readdirSync(dir).filter((name) => name.endsWith('.m3u8')).length;
    if (lists < one.streams) throw new Error(`nginx has ${lists} playlists.`);
    return each(use, one);
  } finally {
    await nginx.end();
  }
}

/** Peers of its own for each carrier: a receiver of SRT takes one caller. */
async function measured(dir: string, carrier: Carrier, one: CopyCase): Promise<Use> {
  const folder = join(dir, carrier);
  mkdirSync(folder, { recursive: true });
  const peers = await startPeers(folder, carrier, one);
  try {
    if (carrier === 'onair') return await ours(one, peers);
    return await (carrier === 'ffmpeg' ? byFfmpeg : byNginx)(folder, one, peers);
  } finally {
    await peers.dispose();
  }
}

async function figuresOf(dir: string, one: CopyCase & { bars: Bars }): Promise<Figure[]> {
  const carriers: (keyof Bars)[] = one.bars.nginx !== undefined && nginxVersion() ? ['ffmpeg', 'nginx'] : ['ffmpeg'];
  const others = new Map<keyof Bars, Use>();
  for (const carrier of carriers) others.set(carrier, await measured(dir, carrier, one));
  const own = await measured(dir, 'onair', one);
  const bar = Math.min(...carriers.map((carrier) => others.get(carrier)!.percent * one.bars[carrier]!));
  const beside = carriers.map((carrier) => {
    const { percent, megabytes } = others.get(carrier)!;
    return `${(own.percent / percent).toFixed(2)} × ${carrier} (${percent.toFixed(2)} %, ${megabytes.toFixed(1)} MB)`;
  });
  const of = `${one.streams} copies from ${one.source} to ${one.destination}: `;
  return [
    bounded(`${of}processor`, own.percent, Number(bar.toFixed(2)), '%', `of one core, each; ${beside.join('; ')}`),
    bounded(`${of}memory`, own.megabytes, MAX_MEGABYTES, 'MB', `PSS, each`),
  ];
}

/** ONAIR_BENCH_CASE names one of them, such as `UDP to HLS / TS`. */
export async function benchCopy(): Promise<Figure[]> {
  const figures: Figure[] = [];
  const dir = mkdtempSync(join(tmpdir(), 'onair-bench-'));
  const only = process.env['ONAIR_BENCH_CASE'];
  try {
    for (const [at, one] of CASES.entries())
      if (only === undefined || only === `${one.source} to ${one.destination}`)
        figures.push(...(await figuresOf(join(dir, String(at)), one)));
    return figures;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
