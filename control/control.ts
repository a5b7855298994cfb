/** The Control port: what tools and workflows steer broadcasts through. */
import { randomUUID } from 'node:crypto';
import { USUAL_COST } from '../domain/capacity.ts';
import { toIso, type Clock } from '../domain/clock.ts';
import type { AssetFiles, Control } from '../domain/control.ts';
import type { LivestreamStatus } from '../domain/livestream.ts';
import type { DeviceLink, Run } from '../domain/run.ts';
import type { Store } from '../domain/store.ts';
import { admit, freeCores } from './admission.ts';
import { DeviceRegistry, storeLocalDevice, type KnownDevice } from './device-registry.ts';
import { orderStart, orderStop } from './orders.ts';
import { Reconciler, type ReconcilerParts } from './reconciler.ts';
import { statusView } from './status-view.ts';

export interface ControlParts {
  store: Store;
  clock: Clock;
  log: ReconcilerParts['log'];
  assetFiles: AssetFiles;
}

export interface ControlRuntime extends Control {
  /** Takes the agent of this machine into service and adopts what it runs. Answers the Device's id. */
  attachLocalDevice(link: DeviceLink, name: string): Promise<number>;
  /** Ends the watches; broadcasts stay on air. */
  close(): void;
}

export async function createControl({ store, clock, log, assetFiles }: ControlParts): Promise<ControlRuntime> {
  const registry = new DeviceRegistry();
  const reconciler = new Reconciler({ store, registry, files: assetFiles, clock, log });
  const runs = new Map<number, Readonly<Run>>((await store.find('runs', {})).rows.map((run) => [run.id, run]));
  const deviceRows = new Map((await store.find('devices', {})).rows.map((device) => [device.id, device]));
  const waiting = new Set<() => void>();
  const endWatches: (() => void)[] = [];
  const isOnline = (deviceId: number): boolean => registry.isOnline(deviceId);

  const endChanges = store.onChange((changes) => {
    for (const { collection, id } of changes)
      if (collection === 'runs' || collection === 'devices') void refresh(collection, id);
  });

  async function refresh(collection: 'runs' | 'devices', id: number): Promise<void> {
    if (collection === 'devices') {
      const row = (await store.get('devices', id))?.row;
      if (row === undefined) deviceRows.delete(id);
      else deviceRows.set(id, row);
      return;
    }
    const before = runs.get(id);
    const run = (await store.get('runs', id))?.row;
    if (run === undefined) runs.delete(id);
    else runs.set(id, run);
    if (run !== undefined && run.desired === 'on' && run.status === 1 && before?.runId !== run.runId)
      reconciler.start(id);
    if (run !== undefined && run.desired === 'off' && run.status !== 0) reconciler.stop(id);
    for (const wake of waiting) wake();
  }

  async function attachLocalDevice(link: DeviceLink, name: string): Promise<number> {
    const id = await storeLocalDevice(store, await link.hello(), name, clock);
    const device: KnownDevice = { id, link, online: true, mediaUrl: deviceRows.get(id)?.media_url ?? null };
    registry.add(device);
    await reconciler.sync(device);
    const endWatch = link.watch(
      (message) => reconciler.receive(device, message),
      (online) => {
        const back = online && !device.online;
        device.online = online;
        if (back) void reconciler.sync(device);
      },
    );
    endWatches.push(endWatch);
    return id;
  }

  async function waitFor(
    livestreamId: number,
    until: readonly LivestreamStatus[],
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<LivestreamStatus> {
    const statusNow = async (): Promise<LivestreamStatus> => (await store.get('runs', livestreamId))?.row.status ?? 0;
    const present = await statusNow();
    if (until.includes(present) || timeoutMs <= 0 || signal.aborted) return present;
    return new Promise((resolve) => {
      const finish = (status: LivestreamStatus): void => {
        waiting.delete(wake);
        cancelTimer();
        signal.removeEventListener('abort', giveUp);
        resolve(status);
      };
      const wake = (): void => {
        const status = runs.get(livestreamId)?.status ?? 0;
        if (until.includes(status)) finish(status);
      };
      const giveUp = (): void => finish(runs.get(livestreamId)?.status ?? 0);
      const cancelTimer = clock.after(timeoutMs, giveUp);
      signal.addEventListener('abort', giveUp, { once: true });
      waiting.add(wake);
      wake();
    });
  }

  const runsOf = (deviceId: number): Readonly<Run>[] =>
    [...runs.values()].filter((run) => run.deviceId === deviceId && (run.status === 1 || run.status === 2));

  return {
    assetFiles,
    attachLocalDevice,
    waitFor,
    checkStart(view, livestreamId, request) {
      const { reasons, startConfig } = admit(view, isOnline, livestreamId, request);
      return { startAllowed: reasons.length === 0, reasons, startConfig };
    },
    orderStart: (tx, now, livestreamId, request, by) =>
      orderStart(tx, now, randomUUID(), isOnline, livestreamId, request, by),
    orderStop,
    status: (livestream, run) => statusView(livestream, run, run && registry.report(run.runId), toIso(clock.now())),
    watchAddresses(livestreamId) {
      const run = runs.get(livestreamId);
      const report = run && registry.report(run.runId);
      const mediaUrl = run?.deviceId == null ? undefined : registry.get(run.deviceId)?.mediaUrl;
      if (run?.status !== 2 || report === undefined || mediaUrl == null) return [];
      return report.watch.map(({ publishingId, path }) => {
        const publishing = report.publishings.find((candidate) => candidate.publishingId === publishingId);
        return {
          publishingId,
          name: publishing?.name ?? '',
          type: publishing?.type ?? '',
          url: new URL(path, mediaUrl).href,
        };
      });
    },
    deviceState(deviceId) {
      const device = deviceRows.get(deviceId);
      const held = runsOf(deviceId);
      const view = { find: () => ({ rows: held as never[], total: held.length }) };
      const free = device === undefined ? 0 : Math.max(0, freeCores(view, device));
      const promised = held.reduce((sum, run) => sum + run.cost, 0);
      const capacity = promised + free;
      return {
        online: isOnline(deviceId),
        slots: { used: held.length, total: held.length + Math.floor(free / USUAL_COST) },
        load: capacity === 0 ? 0 : Math.round((promised / capacity) * 100) / 100,
        mountstatus: isOnline(deviceId) ? 'mounted' : 'unknown',
      };
    },
    close() {
      reconciler.close();
      endChanges();
      for (const end of endWatches) end();
    },
  };
}
