/** Clients that need no token and do not read, and what the control plane and an honest caller of the same address notice of them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { cleanUp } from '../helpers/clean-up.ts';
import { startService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { descriptorsOf, percentile, residentMb, stalledClients, timedCalls } from '../helpers/stalled-viewers.ts';

const SEGMENT_BYTES = 2_000_000;
const SEGMENT = '/live/999/999/segment.ts';

/** The request that each of them sends at once. */
export const ATTACKS = {
  'ask sixteen times for the description of the API': Array<string>(16).fill('/openapi.json'),
  'ask once for the description of the API': ['/openapi.json'],
  'ask sixteen times for the script of the player': Array<string>(16).fill('/watch/hls.js'),
  'ask for media behind another request': ['/healthz', ...Array<string>(8).fill(SEGMENT)],
  'stop in the middle of a request': 'GET /openapi.json HTTP/1.1\r\nHost:',
  'stop before it is clear what they want': 'GET /li',
  'say nothing': '',
} as const;

export type Attack = keyof typeof ATTACKS;

export interface Noticed {
  /** More than before, at the most. */
  serverMb: number;
  descriptors: number;
  p99Ms: number;
}

/** Throws when a call of the honest client fails. */
export async function underAttack(
  t: TestContext,
  attack: Attack,
  { clients, seconds }: { clients: number; seconds: number },
): Promise<Noticed> {
  const service = await startService();
  cleanUp(t, () => service.dispose());
  const folder = join(service.dataDir, 'device', 'live', '999', '999');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'segment.ts'), Buffer.alloc(SEGMENT_BYTES, 7));
  const call = async (): Promise<void> => {
    const { status } = await service.rest('GET', '/livestreams');
    if (status !== 200) throw new Error(`the honest call was answered ${status}`);
  };
  // What is made once for all is made before.
  await fetch(`${service.url}/openapi.json`).then((answer) => answer.text());
  await call();
  const before = { serverMb: residentMb(service.pid), descriptors: descriptorsOf(service.pid) };
  const most = { serverMb: 0, descriptors: 0 };
  const crowd = stalledClients(service.url, clients, ATTACKS[attack]);
  cleanUp(t, () => crowd.close());
  const calls = timedCalls(call);
  const end = performance.now() + seconds * 1000;
  await until(
    'the end of the look',
    () => {
      most.serverMb = Math.max(most.serverMb, residentMb(service.pid) - before.serverMb);
      most.descriptors = Math.max(most.descriptors, descriptorsOf(service.pid) - before.descriptors);
      return performance.now() > end;
    },
    { boundMs: seconds * 3000, everyMs: 250 },
  );
  const times = await calls.close();
  const noticed = { ...most, p99Ms: percentile(times, 0.99) };
  t.diagnostic(
    JSON.stringify({ attack, ...noticed, calls: times.length, mostMs: times.at(-1), open: crowd.seen().open }),
  );
  return noticed;
}
