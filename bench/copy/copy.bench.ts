/**
 * Measures what a Live stream costs that copies its source, with all processes of the service counted, beside plain ffmpegs that do the same.
 * The senders and receivers around them are nobody's cost.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { areOnAir, start } from '../../test/helpers/copies.ts';
import { processesOf, startService, type Service } from '../../test/helpers/service.ts';
import { until } from '../../test/helpers/until.ts';
import { startPeers, type CopyCase, type Peers } from './peers.ts';
import { bounded, type Figure } from '../figures.ts';
import { sleepSeconds, useOf, type Use } from './use.ts';

const STREAMS = 50;
/** All have their playlists by then, and the start is over. */
const SETTLE_SECONDS = 15;
const MEASURED_SECONDS = 20;
const BARS = { percent: 1, megabytes: 29 };

const CASES: readonly CopyCase[] = [
  { source: 'UDP', destination: 'HLS / TS', streams: STREAMS },
  { source: 'RTMP', destination: 'HLS / TS', streams: STREAMS },
  { source: 'HLS', destination: 'HLS / TS', streams: STREAMS },
  // Each needs a sender or a receiver of its own, which leaves fewer of them room.
  { source: 'SRT', destination: 'HLS / TS', streams: 10 },
  { source: 'SRT push', destination: 'HLS / TS', streams: 10 },
  { source: 'UDP', destination: 'SRT', streams: 10 },
  { source: 'UDP', destination: 'RTMP', streams: STREAMS },
  { source: 'UDP', destination: 'Record', streams: STREAMS },
];

const COPY = { settings_video: { codec: 'copy' }, settings_audio: { codec: 'copy' } };

async function begin(service: Service, one: CopyCase, peers: Peers): Promise<void> {
  const encodingId = await service.create('/encodings', { name: 'copy', ...COPY });
  const ids: number[] = [];
  for (let n = 0; n < one.streams; n += 1) {
    const channelId = await service.create('/channels', { name: `source ${n}`, ...peers.channel(n) });
    const publishingId = await service.create('/publishings', { name: `to ${n}`, ...peers.publishing(n) });
    ids.push(await service.create('/livestreams', { name: `copy ${n}`, channelId, encodingId, publishingId }));
  }
  await start(service, ids);
  await until('all on air', () => areOnAir(service, ids), { boundMs: 180_000 });
}

async function ours(one: CopyCase, peers: Peers): Promise<Use> {
  const service = await startService();
  const pids = (): number[] => processesOf(service.scratch).map(({ pid }) => pid);
  try {
    await sleepSeconds(SETTLE_SECONDS);
    const idle = await useOf(pids(), MEASURED_SECONDS);
    await begin(service, one, peers);
    await sleepSeconds(SETTLE_SECONDS);
    const busy = await useOf(pids(), MEASURED_SECONDS);
    return {
      megabytes: (busy.megabytes - idle.megabytes) / one.streams,
      percent: (busy.percent - idle.percent) / one.streams,
    };
  } finally {
    await service.dispose();
  }
}

async function plain(dir: string, one: CopyCase, peers: Peers): Promise<Use> {
  mkdirSync(dir);
  const children = Array.from({ length: one.streams }, (_, n) =>
    spawn('ffmpeg', ['-v', 'error', '-nostdin', ...peers.plainArgs(n, join(dir, String(n)))], { stdio: 'ignore' }),
  );
  try {
    await sleepSeconds(SETTLE_SECONDS);
    const ended = children.filter(({ exitCode }) => exitCode !== null).length;
    if (ended > 0) throw new Error(`${ended} plain ffmpegs have ended.`);
    const use = await useOf(
      children.map(({ pid }) => pid!),
      MEASURED_SECONDS,
    );
    return { megabytes: use.megabytes / one.streams, percent: use.percent / one.streams };
  } finally {
    for (const child of children) child.kill('SIGKILL');
  }
}

export async function benchCopy(): Promise<Figure[]> {
  const figures: Figure[] = [];
  const dir = mkdtempSync(join(tmpdir(), 'onair-bench-'));
  const only = process.env['ONAIR_BENCH_CASE'];
  try {
    for (const [at, one] of CASES.entries()) {
      const name = `${one.source} to ${one.destination}`;
      if (only !== undefined && only !== name) continue;
      const folder = join(dir, String(at));
      mkdirSync(folder);
      // One set of peers for each: a receiver of SRT takes one caller.
      const forPlain = await startPeers(folder, one);
      const bare = await plain(join(folder, 'plain'), one, forPlain).finally(() => forPlain.dispose());
      const forOurs = await startPeers(folder, one);
      const own = await ours(one, forOurs).finally(() => forOurs.dispose());
      const of = `${one.streams} copies from ${name}: `;
      const note = `one plain ffmpeg each: ${bare.percent.toFixed(2)} %, ${bare.megabytes.toFixed(1)} MB`;
      figures.push(bounded(`${of}processor`, own.percent, BARS.percent, '%', `of one core, each; ${note}`));
      figures.push(bounded(`${of}memory`, own.megabytes, BARS.megabytes, 'MB', `PSS, each`));
    }
    return figures;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
