/** Everything that stands behind the APIs of `onair serve`, with one Live stream in a real store: the benchmarks put an API in front of it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootstrap } from '../auth/bootstrap.ts';
import { systemClock as clock, type Clock } from '../domain/time/clock.ts';
import { profileByName } from '../profiles/profiles.ts';
import { openStore } from '../store/open.ts';
import { startTestApp, type TestApp } from '../test/app/test-app.ts';
import { silentLog } from '../test/helpers/silent-log.ts';
import { seedBroadcast } from '../test/helpers/seed.ts';
import type { Profile } from '../toolkit/access.ts';
import { createRateLimit } from '../toolkit/rate-limit.ts';

export interface Product extends Pick<TestApp<Clock>, 'store' | 'control' | 'dispatcher' | 'auth' | 'close'> {
  profile: Profile;
}

/** `token` is the administrator's. The store's folder goes with the process. */
export async function openProduct(token: string): Promise<Product> {
  const dir = mkdtempSync(join(tmpdir(), 'onair-bench-'));
  process.on('exit', () => rmSync(dir, { recursive: true, force: true }));
  const store = await openStore({ kind: 'lowdb', dir, clock });
  await bootstrap({ store, clock, token });
  await seedBroadcast(store);
  // Calls are counted as in `onair serve`, and the limit is never reached.
  const rateLimit = createRateLimit(10_000_000, () => performance.now(), silentLog);
  const app = await startTestApp({ clock, store, hasDevice: false, rateLimit });
  return { ...app, profile: profileByName('full') };
}
