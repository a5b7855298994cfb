/** The Control port: what tools and workflows steer broadcasts through. */
import { randomUUID } from 'node:crypto';
import { capacityOf, type DeviceCapacity } from '../domain/capacity.ts';
import { toIso, type Clock } from '../domain/clock.ts';
import type { CollectionName } from '../domain/collections.ts';
import type { AssetFiles, Control } from '../domain/control.ts';
import type { Integrations } from '../domain/integrations.ts';
import { licensedQuantities } from '../domain/licence.ts';
import type { LivestreamStatus } from '../domain/livestream.ts';
import type { CloudNetwork, DeviceLink, DeviceNetwork } from '../domain/device-link.ts';
import type { Run } from '../domain/run.ts';
import type { Store } from '../domain/store.ts';
import type { SignedLinks } from '../domain/system.ts';
import { admit } from './start/admission.ts';
import { Attachments, NO_NETWORK } from './attachments.ts';
import { LiveChanges } from './live-changes/live-changes.ts';
import { CostLearner } from './cost-learning.ts';
import { DeviceRegistry, storeLocalDevice } from './device-registry.ts';
import { logEvent } from './event-lines.ts';
import { orderStart, orderStop } from './orders.ts';
import { recordingFiles } from './recordings/recording-files.ts';
import { Playback } from './playback.ts';
import { RecordingSync } from './recordings/recording-sync.ts';
import { measured } from './recordings/recording-rows.ts';
import { Reconciler, type ReconcilerParts } from './reconciler.ts';
import { startTargets } from './start/start-targets.ts';
import { statusView } from './status-view.ts';

export interface ControlParts {
  store: Store;
  clock: Clock;
  log: ReconcilerParts['log'];
  assetFiles: AssetFiles;
  /** IANA zone of the service: of Schedules that name none, and of the clock in texts on air; left out: UTC. */
  timezone?: string | undefined;
  /** Where content keys come from; left out: nothing is delivered encrypted. */
  integrations?: Pick<Integrations, 'requestKeys'> | undefined;
  /** Who signs the links of viewers; left out: nothing is delivered with tokens. */
  links?: Pick<SignedLinks, 'playbackKey'> | undefined;
  /** Under which viewers reach this server; left out: they are sent to the Device of its machine. */
  publicUrl?: string | undefined;
  /** How Devices on other machines are reached; left out: none are. */
  network?: DeviceNetwork;
  /** How the cloud platform is reached; left out: there is none. */
  cloud?: CloudNetwork | undefined;
}

export interface ControlRuntime extends Control {
  /** Takes the agent of this machine into service and adopts what it runs. Answers the Device's id. */
  attachLocalDevice(link: DeviceLink, name: string): Promise<number>;
  /** Ends the watches; broadcasts stay on air. */
  close(): void;
}

export async function createControl({
  store,
  clock,
  log,
  assetFiles,
  timezone,
  integrations,
  links,
  publicUrl,
  network = NO_NETWORK,
  cloud,
}: ControlParts): Promise<ControlRuntime> {
  const registry = new DeviceRegistry();
  const playbackKey = links && ((publishingId: number) => links.playbackKey(publishingId));
  const recordings = new RecordingSync({ store, clock, log });
  await recordings.load();
  const reconciler = new Reconciler({
    store,
    registry,
    recordings,
    files: assetFiles,
    timezone,
    integrations,
    playbackKey,
    clock,
    log,
  });
  const onAir = new LiveChanges({ store, registry, recordings, files: assetFiles, playbackKey, clock });
  const runs = new Map<number, Readonly<Run>>((await store.find('runs', {})).rows.map((run) => [run.id, run]));
  const deviceRows = new Map((await store.find('devices', {})).rows.map((device) => [device.id, device]));
  const playback = new Playback({ registry, deviceRows, publicUrl, keyOf: playbackKey, clock });
  let licences = (await store.find('licences', {})).rows;
  const waiting = new Set<() => void>();
  const costs = new CostLearner({ store, clock, log, runOf: (livestreamId) => runs.get(livestreamId) });
  await costs.load();
  const attachments = new Attachments({
    ...{ registry, reconciler, recordings, network, cloud, log },
    onReport: (deviceId, report) => costs.observe(deviceId, report),
  });
  const isOnline = (deviceId: number): boolean => registry.isOnline(deviceId);

  let isClosed = false;
  const endChanges = store.onChange((changes) => {
    for (const { collection, id } of changes) void follow(collection, id)?.catch(unfollowed);
  });

  function follow(collection: CollectionName, id: number): Promise<void> | undefined {
    if (collection === 'runs' || collection === 'devices') return refresh(collection, id);
    if (collection === 'events') return logStored(id);
    if (collection === 'recordings') return recordings.refresh(id);
    if (collection === 'cloudAccounts') return refreshAccount(id);
    if (collection === 'licences') return store.find('licences', {}).then(({ rows }) => void (licences = rows));
    return undefined;
  }

  /** The store may close while a change is still being read: nobody waits for it any more. */
  function unfollowed(error: unknown): void {
    if (!isClosed) log.warn({ err: error }, 'A stored change could not be read');
  }

  /** An event that was swept away is no news. */
  async function logStored(id: number): Promise<void> {
    const event = (await store.get('events', id))?.row;
    if (event === undefined) return;
    const { livestreamId } = event;
    const livestream = livestreamId === null ? undefined : await store.get('livestreams', livestreamId);
    logEvent(log, event, livestream?.row.name);
  }

  async function refresh(collection: 'runs' | 'devices', id: number): Promise<void> {
    if (collection === 'devices') {
      const row = (await store.get('devices', id))?.row;
      if (row === undefined) {
        deviceRows.delete(id);
        recordings.markLost(id);
      } else deviceRows.set(id, row);
      attachments.follow(id, row);
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

  async function refreshAccount(id: number): Promise<void> {
    const row = (await store.get('cloudAccounts', id))?.row;
    const isUsed = [...runs.values()].some((run) => run.cloudAccountId === id && run.status !== 0);
    attachments.followAccount(id, row, isUsed);
  }

  async function attachLocalDevice(link: DeviceLink, name: string): Promise<number> {
    const id = await storeLocalDevice(store, await link.hello(), name, clock);
    await attachments.attach(id, link, deviceRows.get(id)?.media_url ?? null);
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

  for (const { id } of (await store.find('cloudAccounts', {})).rows) await refreshAccount(id);
  if (network !== NO_NETWORK) for (const row of deviceRows.values()) attachments.follow(row.id, row);

  const capacityNow = (deviceId: number): DeviceCapacity => {
    const held = [...runs.values()].filter(
      (run) => run.deviceId === deviceId && (run.status === 1 || run.status === 2),
    );
    return capacityOf(deviceRows.get(deviceId)?.cores ?? 0, held, costs.factors(deviceId));
  };

  return {
    assetFiles,
    recordings: recordingFiles(registry, (deviceId) => deviceRows.has(deviceId)),
    measured: (recording) => measured(recording, registry.report(recording.runId)),
    timezone: timezone ?? 'UTC',
    attachLocalDevice,
    async pairDevice(address, credentials) {
      const key = await network.pair(address, credentials);
      return { key, undo: () => undoPairing(network, address, key, log) };
    },
    waitFor,
    changeLive: onAir.changeLive,
    checkChange: onAir.checkChange,
    preview: onAir.preview,
    checkStart(view, livestreamId, request) {
      const { reasons, startConfig } = admit(view, isOnline, livestreamId, request, toIso(clock.now()));
      return { startAllowed: reasons.length === 0, reasons, startConfig };
    },
    orderStart: (tx, now, livestreamId, request, by) =>
      orderStart(tx, now, randomUUID(), isOnline, livestreamId, request, by),
    orderStop,
    status(livestream, run) {
      const report = run && registry.report(run.runId);
      return statusView(livestream, run, report, toIso(clock.now()), run ? recordings.openOf(run.runId) : null);
    },
    watchAddresses: (livestreamId) => playback.addresses(runs.get(livestreamId)),
    playbackLink: (livestream, publishing, expiresAtMs) =>
      playback.link(livestream, publishing, runs.get(livestream.id), expiresAtMs),
    startTargets: (view, livestreamId) => startTargets(view, isOnline, livestreamId, toIso(clock.now())),
    lastReport(livestreamId) {
      const run = runs.get(livestreamId);
      return run === undefined || run.status === 0 ? undefined : registry.report(run.runId);
    },
    deviceCapacity: capacityNow,
    deviceState(deviceId) {
      const { slots, load } = capacityNow(deviceId);
      return {
        online: isOnline(deviceId),
        slots,
        load,
        mountstatus: isOnline(deviceId) ? 'mounted' : 'unknown',
        licensed: licensedQuantities(licences, toIso(clock.now())),
      };
    },
    close() {
      isClosed = true;
      reconciler.close();
      endChanges();
      attachments.close();
    },
  };
}

/** Best effort: an agent that cannot be told stays paired, with a key that nobody holds, until it is unpaired by hand. */
async function undoPairing(
  network: DeviceNetwork,
  address: string,
  key: string,
  log: ReconcilerParts['log'],
): Promise<void> {
  const link = network.connect(address, key);
  try {
    await link.unpair();
  } catch (error) {
    log.warn({ err: error, address }, 'A pairing could not be undone; run `onair device unpair` on that machine.');
  } finally {
    link.close?.();
  }
}
