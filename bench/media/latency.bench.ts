/** Measures how late pictures are behind a relay of RTMP, copied and encoded, beside one plain ffmpeg that does the same. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { relayDelays, startRelay } from '../../test/device/runner/relayed.ts';
import type { Attempt } from '../../test/helpers/attempts.ts';
import { delays, makeFlashClip, pushFlashes, seeFlashes } from '../../test/helpers/flash.ts';
import { freePort } from '../../test/helpers/ports.ts';
import { until } from '../../test/helpers/until.ts';
import { bounded, median, percentile95, type Figure } from '../figures.ts';

const FLASHES = 15;
/** A relay has found its place by then. */
const SETTLE = 2;
const SIZE = { width: 1280, height: 720 };
const CASES = [
  { what: 'copied', copies: true, bar: 90 },
  { what: 'encoded at 720p25, veryfast and zerolatency', copies: false, bar: 250 },
];

type Measure = (t: Attempt, dir: string, copies: boolean) => Promise<number[]>;

async function ours(t: Attempt, dir: string, copies: boolean): Promise<number[]> {
  return relayDelays(await startRelay(t, dir, { copies, ...SIZE }), SETTLE, FLASHES);
}

/** ffmpeg listens and publishes by itself. */
async function plain(t: Attempt, dir: string, copies: boolean): Promise<number[]> {
  const clip = join(dir, 'flash.flv');
  makeFlashClip(clip, SIZE.width, SIZE.height);
  const { sink, seenAt } = await seeFlashes(t, SIZE.width);
  const port = await freePort();
  const video = ['-c:v', 'libx264', '-preset', 'veryfast', '-tune', 'zerolatency', '-b:v', '2000k', '-g', '50'];
  const codecs = copies ? ['-c', 'copy'] : [...video, '-sc_threshold', '0', '-c:a', 'aac'];
  const input = ['-v', 'error', '-nostdin', '-listen', '1', '-i', `rtmp://127.0.0.1:${port}/live/k`];
  const output = ['-flush_packets', '1', '-f', 'flv', `rtmp://127.0.0.1:${sink.port}/live/k`];
  const child = spawn('ffmpeg', [...input, ...codecs, ...output], { stdio: 'inherit' });
  t.after(() => void child.kill('SIGKILL'));
  // ffmpeg takes one connection alone, so that nobody can ask whether it listens.
  await sleep(1000);
  const { sentAt } = pushFlashes(t, clip, SIZE.width, port, 'k');
  const wanted = SETTLE + FLASHES;
  await until(`${wanted} flashes`, () => delays(sentAt, seenAt).length >= wanted, wanted * 10_000);
  return delays(sentAt, seenAt).slice(SETTLE, wanted);
}

/** Runs one measurement in a folder of its own, and ends all that it has started. */
async function alone(measure: Measure, copies: boolean): Promise<number[]> {
  const ends: (() => unknown)[] = [];
  const dir = mkdtempSync(join(tmpdir(), 'onair-bench-'));
  const t = { after: (end: unknown) => void ends.push(end as () => unknown), diagnostic: () => undefined } as Attempt;
  try {
    return await measure(t, dir, copies);
  } finally {
    for (const end of ends.reverse()) await end();
    rmSync(dir, { recursive: true, force: true });
  }
}

export async function benchLatency(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const { what, copies, bar } of CASES) {
    const [own, bare] = [await alone(ours, copies), await alone(plain, copies)];
    const note = `p95 ${percentile95(own).toFixed(0)} ms; plain ffmpeg ${median(bare).toFixed(0)} ms, p95 ${percentile95(bare).toFixed(0)}`;
    figures.push(bounded(`RTMP in to RTMP out, ${what}`, median(own), bar, 'ms', note));
  }
  return figures;
}
