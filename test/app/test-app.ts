/** The application of the tests: all that stands behind the APIs of `onair serve`, wired in this process over a store in memory. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openAssetFiles } from '../../assets/asset-files.ts';
import { createAuth, type Auth } from '../../auth/auth.ts';
import { createControl, type ControlRuntime } from '../../control/control.ts';
import { toIso, type Clock } from '../../domain/time/clock.ts';
import type { Fence } from '../../domain/ports/fence.ts';
import type { RecordingMedia } from '../../domain/ports/recording-media.ts';
import type { Store } from '../../domain/ports/store.ts';
import { profiles } from '../../profiles/profiles.ts';
import { openStore } from '../../store/open.ts';
import { createCatalogue } from '../../toolkit/catalogue.ts';
import { createDispatcher, type Dispatcher } from '../../toolkit/dispatch.ts';
import type { RateLimit } from '../../toolkit/rate-limit.ts';
import type { Log } from '../../domain/base/log.ts';
import type { Tool } from '../../toolkit/tool.ts';
import { operations } from '../../tools/index.ts';
import { workflows } from '../../workflows/index.ts';
import { FakeClock } from '../helpers/fake-clock.ts';
import { FakeDevice } from '../helpers/fake-device.ts';
import { FakeNetwork } from '../helpers/fake-network.ts';
import { silentLog } from '../helpers/silent-log.ts';
import { weakenPasswords } from '../helpers/weak-hash.ts';
import { createCalls, type Calls } from './calls.ts';
import { surroundings, type SurroundingOptions } from './surroundings.ts';
import { addUsers, type UserIds } from './users.ts';

weakenPasswords();

export interface TestAppOptions<C extends Clock> {
  /** A clock that is moved by hand when left out. */
  clock?: C;
  /** A store in memory when left out. */
  store?: Store;
  /** Operations in place of the product's. */
  tools?: readonly Tool[];
  /** Operations beside the others. */
  extraTools?: readonly Tool[];
  /** False for an application without a Device. */
  hasDevice?: boolean;
  timezone?: string;
  log?: Log;
  rateLimit?: RateLimit | undefined;
  cloudUrl?: string;
  licenceKey?: string;
  /** Without a mail server when left out. */
  mail?: SurroundingOptions['mail'];
  fence?: Fence | undefined;
  /** Answers the bucket of Recordings, with a folder for what is brought from there. */
  media?: (dir: string, clock: Clock) => RecordingMedia;
}

export interface TestApp<C extends Clock = FakeClock> extends Calls {
  readonly clock: C;
  readonly store: Store;
  readonly control: ControlRuntime;
  readonly dispatcher: Dispatcher;
  readonly auth: Auth;
  readonly system: ReturnType<typeof surroundings>['system'];
  readonly device: FakeDevice;
  readonly deviceId: number;
  /** Devices on other machines, which addDevice can pair with. */
  readonly network: FakeNetwork;
  readonly dir: string;
  readonly users: UserIds;
  /** Does what the server does before it closes its store. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

/** An answer with a field that nobody has declared is a mistake here, where no later version shares the store. */
const declaredLog: Log = {
  ...silentLog,
  warn(facts) {
    if ('undeclared' in facts) throw new Error(`An answer is outside of its schema: ${JSON.stringify(facts)}`);
  },
};

/** Every tool of the product. */
export const catalogue = createCatalogue(operations, workflows);

export async function startTestApp<C extends Clock = FakeClock>(options: TestAppOptions<C> = {}): Promise<TestApp<C>> {
  const { tools = operations, extraTools = [], hasDevice = true, timezone, log = declaredLog, rateLimit } = options;
  const clock = options.clock ?? (new FakeClock() as Clock as C);
  const store = options.store ?? (await openStore({ dir: '', clock, kind: 'memory' }));
  const dir = mkdtempSync(join(tmpdir(), 'onair-app-'));
  const assetFiles = await openAssetFiles(dir, { maxBytes: 50_000_000, log });
  const device = new FakeDevice({ now: () => toIso(clock.now()) });
  const network = new FakeNetwork();
  const { fence } = options;
  const media = options.media?.(join(dir, 'brought'), clock);
  const terms = { steady: clock, timezone, fence, media };
  const control = await createControl({ store, clock, log, assetFiles, network, ...terms });
  const deviceId = hasDevice ? await control.attachLocalDevice(device, 'studio') : 0;
  const users = await addUsers(store);
  const { cloudUrl, licenceKey, mail } = options;
  const { integrations, system } = surroundings({ clock, dataDir: dir, cloudUrl, licenceKey, mail });
  const isWhole = tools === operations && extraTools.length === 0;
  const dispatcher = createDispatcher({
    catalogue: isWhole ? catalogue : createCatalogue([...tools, ...extraTools], tools === operations ? workflows : []),
    profiles,
    store,
    control,
    clock,
    log,
    rateLimit,
    integrations,
    system,
  });
  return {
    ...createCalls(dispatcher, users),
    clock,
    store,
    control,
    dispatcher,
    auth: createAuth({ store, clock }),
    system,
    device,
    deviceId,
    network,
    dir,
    users,
    settle: () => dispatcher.settle(),
    async close() {
      control.close();
      await store.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
