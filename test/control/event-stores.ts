/** A control plane over each store, a Device that tells events, and what the store has of them. */
import type { TestContext } from 'node:test';
import { createControl, type ControlRuntime } from '../../control/control.ts';
import type { DeviceEntry } from '../../control/device-commits.ts';
import type { AssetFiles } from '../../domain/ports/control.ts';
import type { Store } from '../../domain/ports/store.ts';
import type { Log } from '../../domain/base/log.ts';
import { cleanUp } from '../helpers/clean-up.ts';
import type { FakeDevice } from '../helpers/fake-device.ts';
import { sharedServer } from '../helpers/postgres.ts';
import { seedBroadcast } from '../helpers/seed.ts';
import { silentLog } from '../helpers/silent-log.ts';
import { until } from '../helpers/until.ts';
import { crashedCopy } from '../store/folders.ts';
import { openMember } from '../store/shared-members.ts';
import { eventRow, openedStore, temporaryFolder } from '../store/support.ts';

const assetFiles = { path: (bucket: string, name: string) => `/assets/${bucket}/${name}` } as AssetFiles;

interface Opened {
  store: Store;
  /** The store as another server has it once this one was killed. */
  successor(): Promise<Store>;
}

export const STORES: Record<string, (t: TestContext) => Promise<Opened>> = {
  journal: async (t) => {
    const dir = await temporaryFolder(t);
    const store = await openedStore({ dir });
    return { store, successor: async () => openedStore({ dir: await crashedCopy(t, dir) }) };
  },
  PostgreSQL: async (t) => {
    const url = await (await sharedServer()).database();
    return { store: await openMember(t, url), successor: () => openMember(t, url) };
  },
};

export function logOf(errors: string[]): Log {
  return { ...silentLog, error: (_facts, message) => void errors.push(message) };
}

/** The events of each commit, oldest first. */
export function commitsOf(t: TestContext, store: Store): string[][] {
  const commits: Promise<string[]>[] = [];
  const messages: string[][] = [];
  const end = store.onChange((changes) => {
    const ids = changes.flatMap(({ collection, id }) => (collection === 'events' ? [id] : []));
    if (ids.length === 0) return;
    const read = store.getMany('events', ids).then((rows) => rows.map(({ message }) => message));
    const at = commits.push(read) - 1;
    void read.then((found) => (messages[at] = found));
  });
  cleanUp(t, end);
  return messages;
}

export const rowOf = (message: string): ReturnType<typeof eventRow> =>
  eventRow({ at: new Date().toISOString(), message });
export const entryOf = (message: string): DeviceEntry => ({
  key: message,
  plan: (tx) => tx.insert('events', rowOf(message)),
});

export const messagesIn = async (store: Store): Promise<string[]> =>
  (await store.find('events', {})).rows.map(({ message }) => message);

export async function controlOf(
  t: TestContext,
  store: Store,
  device: FakeDevice,
  log = silentLog,
): Promise<ControlRuntime> {
  const control = await createControl({ store, clock: store.clock, log, assetFiles });
  cleanUp(t, () => control.close());
  await control.attachLocalDevice(device, 'here');
  return control;
}

export async function started(store: Store, control: ControlRuntime, device: FakeDevice, mark = ''): Promise<string> {
  const livestreamId = await seedBroadcast(store, mark);
  const before = new Set(device.runIds);
  await store.tx((tx) =>
    control.orderStart(tx, new Date(store.clock.now()).toISOString(), livestreamId, {}, { username: 'admin' }),
  );
  return until('a run', () => device.runIds.find((runId) => !before.has(runId)));
}

export async function onAir(store: Store, control: ControlRuntime, device: FakeDevice, mark = ''): Promise<string> {
  const runId = await started(store, control, device, mark);
  device.running(runId);
  await until('on air', async () =>
    (await store.find('runs', { where: { status: 2 } })).rows.some((run) => run.runId === runId),
  );
  return runId;
}

export async function pushedChannel(store: Store): Promise<number> {
  const [row] = (await store.find('channels', { limit: 1 })).rows;
  const settings = { app: 'live', stream_key: 'a-key-of-the-camera' };
  const channel = { ...row!, id: undefined, name: 'OBS', type: 'RTMP-Push', settings, deviceId: 1 } as const;
  return (await store.tx((tx) => tx.insert('channels', channel as never))).id;
}

export const numbered = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, at) => `event ${from + at}`);
