/** Relays of RTMP that are measured: ours, and one plain ffmpeg that does the same. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { relayDelays, startRelay } from '../../test/device/runner/relayed.ts';
import type { TestScope } from '../../test/helpers/clean-up.ts';
import { delays, makeFlashClip, pushFlashes, seeFlashes } from '../../test/helpers/flash.ts';
import { freePort } from '../../test/helpers/ports.ts';
import { until } from '../../test/helpers/until.ts';

const FLASHES = 15;
/** A relay has found its place by then. */
const SETTLE = 2;
const SIZE = { width: 1280, height: 720 };

/** Answers the milliseconds that each of some pictures takes. */
export type Measure = (t: TestScope, dir: string, copies: boolean) => Promise<number[]>;

export async function ours(t: TestScope, dir: string, copies: boolean): Promise<number[]> {
  return relayDelays(await startRelay(t, dir, { copies, ...SIZE }), SETTLE, FLASHES);
}

/** `relay` takes the port of the server that it publishes to, as rtmp://…/live/k, and answers the one that is published to in that way. */
export async function throughRelay(
  t: TestScope,
  dir: string,
  relay: (port: number) => Promise<number>,
): Promise<number[]> {
  const clip = join(dir, 'flash.flv');
  makeFlashClip(clip, SIZE.width, SIZE.height);
  const { sink, seenAt } = await seeFlashes(t, SIZE.width);
  const port = await relay(sink.port);
  const { sentAt } = pushFlashes(t, clip, SIZE.width, port, 'k');
  const wanted = SETTLE + FLASHES;
  await until(`${wanted} flashes`, () => delays(sentAt, seenAt).length >= wanted, { boundMs: wanted * 10_000 });
  return delays(sentAt, seenAt).slice(SETTLE, wanted);
}

/** ffmpeg listens and publishes by itself. */
export const plain: Measure = (t, dir, copies) =>
  throughRelay(t, dir, async (target) => {
    const port = await freePort();
    const video = ['-c:v', 'libx264', '-preset', 'veryfast', '-tune', 'zerolatency', '-b:v', '2000k', '-g', '50'];
    const codecs = copies ? ['-c', 'copy'] : [...video, '-sc_threshold', '0', '-c:a', 'aac'];
    const input = ['-v', 'error', '-nostdin', '-listen', '1', '-i', `rtmp://127.0.0.1:${port}/live/k`];
    const output = ['-flush_packets', '1', '-f', 'flv', `rtmp://127.0.0.1:${target}/live/k`];
    const child = spawn('ffmpeg', [...input, ...codecs, ...output], { stdio: 'inherit' });
    t.after(() => void child.kill('SIGKILL'));
    // ffmpeg takes one connection alone, so that nobody can ask whether it listens.
    await sleep(1000);
    return port;
  });

/** Runs one measurement in a folder of its own, and ends all that it has started. */
export async function alone(measure: Measure, copies: boolean): Promise<number[]> {
  const ends: (() => unknown)[] = [];
  const dir = mkdtempSync(join(tmpdir(), 'onair-bench-'));
  const t = { after: (end: unknown) => void ends.push(end as () => unknown), diagnostic: () => undefined } as TestScope;
  try {
    return await measure(t, dir, copies);
  } finally {
    for (const end of ends.reverse()) await end();
    rmSync(dir, { recursive: true, force: true });
  }
}
