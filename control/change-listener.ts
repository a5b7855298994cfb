/** Follows the store: each stored change reaches the cache and the part that has to act on it. */
import type { ChangeSignal } from '../domain/base/change-signal.ts';
import type { CollectionName } from '../domain/ports/collections.ts';
import type { EventKind, LivestreamEvent } from '../domain/shapes/installation/event.ts';
import type { Log } from '../domain/base/log.ts';
import type { Store } from '../domain/ports/store.ts';
import type { Attachments } from './attachments.ts';
import type { DeviceRegistry } from './device-registry.ts';
import type { Ingests } from './ingest/ingests.ts';
import type { Members } from './live-changes/members.ts';
import type { Reconciler } from './reconciler.ts';
import type { RecordingSync } from './recordings/recording-sync.ts';
import type { RowCache } from './row-cache.ts';

/**
 * Kinds of events in the server's own log: they say whether viewers have a broadcast. All other kinds describe details or belong to people,
 * and are in the event log alone.
 */
const LOGGED: readonly EventKind[] = [
  'start_requested',
  'started',
  'start_failed',
  'source_lost',
  'source_restored',
  'destination_up',
  'destination_down',
  'destination_failed',
  'failover',
  'encoder_restarted',
  'adopted',
  'stop_requested',
  'stopped',
  'schedule_missed',
  'device_lost',
  'device_returned',
  'device_refused',
  'device_not_understood',
  'device_storage',
  'device_drained',
  'fleet_held',
  'fleet_released',
  'run_moved',
  'run_given_up',
  'store_restored',
];

const LEVELS = { info: 'info', warning: 'warn', error: 'error' } as const;

export interface ChangeListenerDeps {
  store: Store;
  rows: RowCache;
  attachments: Attachments;
  registry: Pick<DeviceRegistry, 'dropReport'>;
  reconciler: Pick<Reconciler, 'start' | 'stop' | 'moves'>;
  recordings: Pick<RecordingSync, 'refresh' | 'markLost'>;
  ingests: Pick<Ingests, 'channelChanged' | 'livestreamChanged'>;
  members: Pick<Members, 'groupChanged' | 'look'>;
  /** Notified after each stored change of a run. */
  runsChanged: ChangeSignal;
  log: Log;
}

export class ChangeListener {
  private readonly deps: ChangeListenerDeps;
  private readonly endChanges: () => void;
  private isClosed = false;

  constructor(deps: ChangeListenerDeps) {
    this.deps = deps;
    this.endChanges = deps.store.onChange((changes) => {
      for (const { collection, id } of changes) void this.follow(collection, id)?.catch(this.warn);
      const eventIds = changes.flatMap(({ collection, id }) => (collection === 'events' ? [id] : []));
      if (eventIds.length > 0) this.logStored(eventIds).catch(this.warn);
    });
  }

  close(): void {
    this.isClosed = true;
    this.endChanges();
  }

  async followAccounts(): Promise<void> {
    for (const { id } of (await this.deps.store.find('cloudAccounts', {})).rows) await this.followAccount(id);
  }

  async followOwners(): Promise<void> {
    for (const { id } of (await this.deps.store.find('deviceLinks', {})).rows) await this.followOwner(id);
    await this.deps.reconciler.moves.resume();
  }

  private async followAccount(id: number): Promise<void> {
    const { store, rows, attachments } = this.deps;
    const row = (await store.get('cloudAccounts', id))?.row;
    attachments.followAccount(id, row, rows.isUsed(id));
  }

  private follow(collection: CollectionName, id: number): Promise<void> | undefined {
    if (collection === 'runs') return this.followRun(id);
    if (collection === 'devices') return this.followDevice(id);
    if (collection === 'deviceLinks') return this.followOwner(id);
    if (collection === 'channels') return this.deps.ingests.channelChanged(id);
    if (collection === 'livestreams') return this.deps.ingests.livestreamChanged(id);
    if (collection === 'publishingGroups') return this.deps.members.groupChanged(id);
    if (collection === 'recordings') return this.deps.recordings.refresh(id);
    if (collection === 'cloudAccounts') return this.followAccount(id);
    if (collection === 'licences') return this.deps.rows.readLicences();
    return undefined;
  }

  private async followRun(id: number): Promise<void> {
    const { rows, registry, reconciler, members, runsChanged } = this.deps;
    const { before, run } = await rows.readRun(id);
    reconciler.moves.follow(before, run);
    // The server that orders what its Device does has told it to forget the run; the others hear of it here.
    if (before !== undefined && (run?.runId !== before.runId || run.status === 0)) registry.dropReport(before.runId);
    if (run?.desired === 'on' && run.status === 1 && before?.runId !== run.runId) reconciler.start(id);
    if (run?.desired === 'off' && run.status !== 0) reconciler.stop(id);
    // Its group may have changed while it started.
    if (run?.status === 2 && before?.status !== 2) members.look(id);
    runsChanged.notify();
  }

  private async followDevice(id: number): Promise<void> {
    const { rows, recordings, attachments } = this.deps;
    const before = rows.devices.get(id);
    const row = await rows.readDevice(id);
    if (row === undefined) recordings.markLost({ id, name: before?.name });
    attachments.follow(id, row);
  }

  async followOwner(deviceId: number): Promise<void> {
    const { store, rows, attachments } = this.deps;
    const owner = await rows.readOwner(deviceId);
    const device = (await store.get('devices', deviceId))?.row;
    if (owner !== undefined && device !== undefined) attachments.followOwner(owner, device);
  }

  /** Events that retention has removed meanwhile are not logged. */
  private async logStored(ids: readonly number[]): Promise<void> {
    const { store, log } = this.deps;
    for (const event of await store.getMany('events', ids)) {
      const { livestreamId, kind } = event;
      if (!LOGGED.includes(kind)) continue;
      const livestream = livestreamId === null ? undefined : await store.get('livestreams', livestreamId);
      logEvent(log, event, livestream?.row.name);
    }
  }

  /** The store may close while a change is still being read; nobody waits for that change any more. */
  private readonly warn = (error: unknown): void => {
    if (!this.isClosed) this.deps.log.warn({ err: error }, 'A stored change could not be read');
  };
}

function logEvent(log: Log, event: Readonly<LivestreamEvent>, name: string | undefined): void {
  const { livestreamId, kind, severity, at, message, data } = event;
  const runId = data['runId'] === undefined ? {} : { runId: data['runId'] };
  log[LEVELS[severity]]({ livestreamId, kind, at, ...runId }, name === undefined ? message : `${name}: ${message}`);
}
