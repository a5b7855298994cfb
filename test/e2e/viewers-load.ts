/** Viewers that do not read against a running broadcast, and what everybody else notices of them. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { goOnAir, mediaPlaylist, smallBroadcast, statusOf } from '../helpers/broadcast.ts';
import { cleanUp } from '../helpers/clean-up.ts';
import { processesOf, startService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import {
  descriptorsOf,
  percentile,
  ReadingViewer,
  residentMb,
  stalledViewers,
  timedCalls,
} from '../helpers/stalled-viewers.ts';

/** Two seconds of 8 Mbit/s. */
const SEGMENT_BYTES = 2_000_000;
/** Then whoever has not taken a byte is cut. */
const STALL_SECONDS = 17;

export interface Load {
  /** Whose port they ask. */
  api: 'server' | 'device';
  viewers: number;
  /** How long they are looked at. */
  seconds: number;
}

export interface Noticed {
  serverMb: number;
  mediaMb: number;
  deviceMb: number;
  p99Ms: number;
  refused: number;
}

/** Reports memory and answers under load; the broadcast, the agent and a viewer of another address must be as before. */
export async function underLoad(t: TestContext, { api, viewers, seconds }: Load): Promise<Noticed> {
  const service = await startService();
  cleanUp(t, () => service.dispose());
  const folder = join(service.dataDir, 'device', 'live', '999', '999');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'segment.ts'), Buffer.alloc(SEGMENT_BYTES, 7));
  const show = await smallBroadcast(service);
  await goOnAir(service, show.livestreamId);
  const port = Number(new URL(service.url).port) + (api === 'device' ? 1 : 0);
  const base = `http://127.0.0.1:${port}`;
  const { url } = await mediaPlaylist(`${base}/live/${show.livestreamId}/${show.publishingId}/index.m3u8`);
  const reading = new ReadingViewer(url.href, '127.0.0.2');
  await until('a viewer who plays', () => reading.seconds >= 6);
  const pidOf = (command: RegExp): number | undefined =>
    processesOf(service.scratch).find(({ command: words }) => command.test(words))?.pid;
  const pids = { server: service.pid, device: pidOf(/onair\.js device --dir/u)!, media: pidOf(/onair\.js media$/u) };
  const sizes = (): number[] =>
    [pids.server, pids.device, pids.media].map((pid) => (pid === undefined ? 0 : residentMb(pid)));
  const before = sizes();
  const held = (): number =>
    Object.values(pids).reduce<number>((sum, pid) => sum + (pid === undefined ? 0 : descriptorsOf(pid)), 0);
  const heldBefore = held();
  const stalls = reading.stalls;
  const calls = timedCalls(() => service.rest('GET', `/livestreams/${show.livestreamId}/status`));
  const crowd = stalledViewers(`${base}/live/999/999/segment.ts`, viewers);
  cleanUp(t, () => crowd.close());
  const peak = [...before];
  const end = performance.now() + seconds * 1000;
  await until(
    'the end of the look',
    () => {
      sizes().forEach((size, at) => (peak[at] = Math.max(peak[at] ?? 0, size)));
      return performance.now() > end;
    },
    { boundMs: seconds * 2000, everyMs: 250 },
  );
  const times = await calls.close();
  const { refused, open } = crowd.seen();
  if (seconds > STALL_SECONDS)
    await until('the end of their connections and files', () => held() < heldBefore + open / 10);
  assert.equal(pidOf(/onair\.js device --dir/u), pids.device, 'the agent is the same');
  assert.equal((await statusOf(service, show.livestreamId)).status, 2);
  assert.equal(reading.stalls, stalls, 'a viewer of another address notices nothing');
  await reading.close();
  const [serverMb = 0, deviceMb = 0, mediaMb = 0] = peak.map((size, at) => size - (before[at] ?? 0));
  const noticed = { serverMb, mediaMb, deviceMb, p99Ms: percentile(times, 0.99), refused };
  t.diagnostic(JSON.stringify({ ...noticed, calls: times.length, p50Ms: percentile(times, 0.5), open }));
  return noticed;
}
