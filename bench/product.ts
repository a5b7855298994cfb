/** What stands behind every door of `onair serve`, with one Live stream in a real store: the benches put a door in front of it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAuth, type Auth } from '../auth/auth.ts';
import { bootstrap } from '../auth/bootstrap.ts';
import { createControl, type ControlRuntime } from '../control/control.ts';
import { systemClock as clock } from '../domain/clock.ts';
import type { AssetFiles } from '../domain/control.ts';
import type { Store } from '../domain/store.ts';
import { profileByName, profiles } from '../profiles/profiles.ts';
import { openStore } from '../store/open.ts';
import { surroundings } from '../test/app/surroundings.ts';
import { seedBroadcast } from '../test/helpers/seed.ts';
import type { Profile } from '../toolkit/access.ts';
import { createCatalogue } from '../toolkit/catalogue.ts';
import { createDispatcher, type Dispatcher } from '../toolkit/dispatch.ts';
import { createRateLimit } from '../toolkit/rate-limit.ts';
import { operations } from '../tools/index.ts';
import { workflows } from '../workflows/index.ts';
import { silentLog } from '../test/helpers/silent-log.ts';

export interface Product {
  store: Store;
  control: ControlRuntime;
  dispatcher: Dispatcher;
  auth: Auth;
  profile: Profile;
  close(): Promise<void>;
}

/** `token` is the administrator's. The store's folder goes with the process. */
export async function openProduct(token: string): Promise<Product> {
  const dir = mkdtempSync(join(tmpdir(), 'onair-bench-'));
  process.on('exit', () => rmSync(dir, { recursive: true, force: true }));
  const store = await openStore({ kind: 'lowdb', dir, clock });
  await bootstrap({ store, clock, token });
  await seedBroadcast(store);
  const control = await createControl({ store, clock, log: silentLog, assetFiles: {} as AssetFiles });
  const catalogue = createCatalogue(operations, workflows);
  const dispatcher = createDispatcher({
    catalogue,
    profiles,
    store,
    control,
    clock,
    log: silentLog,
    // Counted as in `onair serve`, and never reached.
    rateLimit: createRateLimit(10_000_000, () => performance.now(), silentLog),
    ...surroundings(),
  });
  const close = async (): Promise<void> => {
    control.close();
    await store.close();
  };
  return { store, control, dispatcher, auth: createAuth({ store, clock }), profile: profileByName('full'), close };
}
