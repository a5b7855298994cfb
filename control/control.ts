/** Wires the parts of a running control plane and takes its Devices into service. */
import { ChangeSignal } from '../domain/base/change-signal.ts';
import { monotonicClock, type Clock } from '../domain/time/clock.ts';
import { LONE_MEMBER } from '../domain/shapes/devices/device-owner.ts';
import type { AssetFiles, Control } from '../domain/ports/control.ts';
import type { DevicePort } from '../domain/ports/dial-in.ts';
import type { Fence } from '../domain/ports/fence.ts';
import type { CloudNetwork, DeviceLink, DeviceNetwork } from '../domain/ports/device-link.ts';
import type { Integrations } from '../domain/shapes/installation/integrations.ts';
import type { RecordingMedia } from '../domain/ports/recording-media.ts';
import type { LiveWatch } from '../domain/ports/live-watch.ts';
import type { Log } from '../domain/base/log.ts';
import type { Run } from '../domain/shapes/broadcasts/run.ts';
import type { Store } from '../domain/ports/store.ts';
import type { SignedLinks } from '../domain/shapes/installation/system.ts';
import { Attachments, NO_NETWORK, pairDeviceOver } from './attachments.ts';
import { AudienceRows } from './audience-rows.ts';
import { ChangeListener } from './change-listener.ts';
import { controlPort } from './control-port.ts';
import { CostLearner } from './cost-learning.ts';
import { DeviceCommits } from './device-commits.ts';
import { DeviceRegistry, storeLocalDevice } from './device-registry.ts';
import { DeviceShares } from './device-shares.ts';
import { DialIns } from './devices/dial-ins.ts';
import { DeviceOwners } from './devices/device-owners.ts';
import { HeardForOthers } from './devices/heard-for-others.ts';
import { Machines } from './devices/machines.ts';
import { Presence } from './devices/presence.ts';
import { Spread } from './devices/spread.ts';
import { StorageRows } from './devices/storage-rows.ts';
import { Ingests } from './ingest/ingests.ts';
import { KeyRotations } from './live-changes/key-rotations.ts';
import { LiveChanges } from './live-changes/live-changes.ts';
import { Members } from './live-changes/members.ts';
import { Drains } from './moves/drains.ts';
import { Fences, type FencesDeps } from './moves/fences.ts';
import { Leases, type LeasesDeps } from './moves/leases.ts';
import { Losses, type LossesDeps } from './moves/losses.ts';
import { Playback } from './playback.ts';
import { Probes } from './probes.ts';
import { Reconciler } from './reconciler.ts';
import { RestoredStore } from './restored/restored-store.ts';
import { RecordingSync } from './recordings/recording-sync.ts';
import { RowCache } from './row-cache.ts';
import { createLiveWatches } from './watch/live-watch.ts';

export interface ControlDeps {
  store: Store;
  clock: Clock;
  /** For how long something has taken; left out: a clock that is never set. */
  steady?: Pick<Clock, 'now'>;
  log: Log;
  assetFiles: AssetFiles;
  /** IANA zone of the service, used for Schedules that name none and for the clock in texts on air; UTC when left out. */
  timezone?: string | undefined;
  /** Source of content keys; without it nothing is delivered encrypted. */
  integrations?: Pick<Integrations, 'requestKeys'> | undefined;
  /** Signs the links of viewers; without it nothing is delivered with tokens. */
  links?: Pick<SignedLinks, 'playbackKey'> | undefined;
  /** Cores that programs beside the broadcasts take of a Device count there; left out: they do. */
  countsOthers?: boolean | undefined;
  /** Address under which viewers reach this server; without it they are sent to the Device of its machine. */
  publicUrl?: string | undefined;
  /** This server among those that share the store; left out: it has the store alone. */
  member?: Member | undefined;
  /** Cuts off a lost Device; left out: the operator has nothing that does. */
  fence?: Fence | undefined;
  /** Reaches Devices on other machines; without it there are none. */
  network?: DeviceNetwork;
  /** See RestoredStoreParts. */
  markKey?: (() => string | undefined) | undefined;
  /** The bucket in which Recordings are kept; left out: there is none. */
  media?: RecordingMedia | undefined;
  /** Reaches the cloud platform; without it there is none. */
  cloud?: CloudNetwork | undefined;
}

export interface Member {
  id: string;
  /** The key that the servers have in common, in base64url. */
  key: string;
  /** host:port at which the others reach it; null before that is known. */
  address: () => string | null;
}

export interface ControlRuntime extends Control, LiveWatch {
  /** Takes the agent of this machine into service, adopts what it runs and resolves with the Device's id. */
  attachLocalDevice(link: DeviceLink, name: string): Promise<number>;
  /** The rows that the port for Devices which dial in goes by. */
  openDevicePort(): Promise<DevicePort>;
  /** Ends the watches; broadcasts stay on air. */
  close(): void;
}

export async function createControl(deps: ControlDeps): Promise<ControlRuntime> {
  const { store, clock, log, assetFiles: files, timezone, integrations, links, publicUrl, cloud, media } = deps;
  const { network = NO_NETWORK, countsOthers = true, steady = monotonicClock } = deps;
  const playbackKey = links && ((publishingId: number) => links.playbackKey(publishingId));
  const registry = new DeviceRegistry(clock);
  let onIngest: (channelId: number) => void = () => undefined;
  const rows = new RowCache(store);
  const heard = { rows, registry, commits: new DeviceCommits({ store, log }), shares: new DeviceShares(clock, log) };
  const recordings = new RecordingSync({ ...heard, store, clock, log, timezone, media });
  await Promise.all([recordings.load(), rows.load()]);
  const costs = new CostLearner({ store, clock, log, rows, registry, countsOthers });
  const watched = { ...heard, disks: new StorageRows({ store, clock, log, ...heard }) };
  const ingests = new Ingests({ ...watched, store, clock, log, onChange: (channelId) => onIngest(channelId) });
  await Promise.all([costs.load(), ingests.load()]);
  const { id: memberId = LONE_MEMBER, key: memberKey, address = () => null } = deps.member ?? {};
  const presence = new Presence({ store, clock, log, memberId, rows, registry });
  const deliveries = { store, registry, presence, ingests, recordings, files, playbackKey, clock, media };
  const restored = new RestoredStore({ store, clock, log, markKey: deps.markKey });
  const reconciler = new Reconciler({ ...deliveries, ...watched, timezone, integrations, restored, log });
  const leases = { store, clock, memberId };
  const { answers, losses } = leasing({ ...heard, store, clock, steady, log, presence, leases, fence: deps.fence });
  const owners = new DeviceOwners({ store, clock, log, memberId, address, onAccepted: (id) => answers.accepted(id) });
  const liveChanges = new LiveChanges(deliveries);
  const isOwn = (run: Readonly<Run>): boolean => registry.deviceFor(run)?.isOwn === true;
  const members = new Members({ store, isOwn, changeLive: liveChanges.changeLive, clock, log });
  const audiences = new AudienceRows({ store, clock, log, ...heard });
  const keyRotations = new KeyRotations({ store, clock, log, ...heard, integrations });
  const ways = { owners, network, leases, memberKey, cloud, heard: new HeardForOthers({ clock, memberKey }), log };
  const attachments = new Attachments({
    ...watched,
    ...deliveries,
    ...ways,
    machines: new Machines({ store, clock, log, registry, presence }),
    reconciler,
    losses,
    answers,
    onOwnDevice: ({ id }) => void members.lookAt(id).finally(() => presence.look()),
    onReport: (deviceId, report) => [costs, audiences, keyRotations].forEach((part) => part.observe(deviceId, report)),
  });
  const dialIns = new DialIns({ store, clock, log, attachments, heard: ways.heard, memberKey });
  const runsChanged = new ChangeSignal();
  const followed = { ...deliveries, ...watched, attachments, reconciler, members, runsChanged, log };
  const listener = new ChangeListener(followed);
  await listener.followAccounts();
  if (network !== NO_NETWORK) for (const row of rows.devices.values()) attachments.follow(row.id, row);
  await listener.followOwners();
  const spread = new Spread({ store, clock, memberId, rows, registry });
  const drains = new Drains({ store, clock, log, rows, registry, presence, media });
  const port = controlPort({
    ...deliveries,
    ...watched,
    memberId,
    assetFiles: files,
    timezone: timezone ?? 'UTC',
    liveChanges,
    probes: new Probes({ store, clock, files, registry, rows, ingests, preview: liveChanges.preview }),
    playback: new Playback({ registry, deviceRows: rows.devices, publicUrl, keyOf: playbackKey, clock }),
    costs,
    runsChanged,
    pairDevice: pairDeviceOver(network, log),
    drains,
  });
  const watches = createLiveWatches({ store, clock, log, control: port, reportOf: (runId) => registry.report(runId) });
  registry.onReport((report) => watches.receive(report));
  onIngest = (channelId) => watches.ingestChanged(channelId);
  return {
    ...port,
    watch: (listen) => watches.watch(listen),
    async attachLocalDevice(link, name) {
      const id = await storeLocalDevice(store, await link.hello(), name, clock, memberId);
      await attachments.attach(id, link, rows.devices.get(id)?.media_url ?? null);
      return id;
    },
    openDevicePort: () => dialIns.load(),
    close() {
      const own = [presence, spread, drains, losses, answers, heard.commits, ways.heard, dialIns, watches, reconciler];
      for (const part of [...own, ingests, recordings, members, listener, attachments, audiences]) part.close();
    },
  };
}

/** The answers to Devices that ask for leases, and what is done where one does not ask any more. */
function leasing(
  deps: Omit<LeasesDeps & LossesDeps, 'memberId' | 'leases' | 'fences'> &
    Pick<LeasesDeps, 'leases'> &
    Pick<FencesDeps, 'fence'>,
): { answers: Leases; losses: Losses } {
  const { memberId } = deps.leases;
  const answers = new Leases(deps);
  const fences = new Fences({ ...deps, memberId });
  return { answers, losses: new Losses({ ...deps, memberId, leases: answers, fences }) };
}
