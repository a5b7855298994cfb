/** One watch: follows the store and the reports of the Devices, and tells its listener what has changed. */
import { toIso, type Clock } from '../../domain/time/clock.ts';
import type { Control } from '../../domain/ports/control.ts';
import type {
  Actor,
  DeviceLiveStatus,
  FlaggedStatus,
  LiveMessage,
  LiveSnapshot,
} from '../../domain/ports/live-watch.ts';
import type { LivestreamStatusView } from '../../domain/shapes/broadcasts/livestream-status.ts';
import type { Log } from '../../domain/base/log.ts';
import { isSameJson } from '../../domain/base/json.ts';
import { liveStatusOf } from '../../domain/rules/devices/device.ts';
import type { RunReport } from '../../domain/shapes/broadcasts/run.ts';
import type { Change, Store } from '../../domain/ports/store.ts';
import { LiveRows } from './live-rows.ts';
import { flagsOf, rateRow } from './rates.ts';
import { RowChanges } from './row-changes.ts';
import { StatusQueue } from './status-queue.ts';

/** A status is on its way 100 ms after its commit or report at the latest; half of that is for the way. */
const STATUS_MS = 50;
const ROWS_MS = 250;
const RATES_MS = 1000;
/** Devices are looked at with every second message of rates. */
const DEVICE_TICKS = 2;

export interface WatchDeps {
  store: Pick<Store, 'get' | 'getMany' | 'find' | 'onChange'>;
  clock: Clock;
  log: Pick<Log, 'warn'>;
  control: Pick<Control, 'status' | 'deviceState'>;
  /** The last report of a run. */
  reportOf(runId: string): RunReport | undefined;
}

export class LiveWatcher {
  private readonly deps: WatchDeps;
  private readonly listener: (message: LiveMessage) => void;
  private readonly rows: LiveRows;
  private readonly statuses: StatusQueue;
  private readonly changedRows = new RowChanges();
  private readonly sentDevices = new Map<number, DeviceLiveStatus>();
  /** Live streams that are compared once more at the next tick, because other parts read the same commit a moment later. */
  private readonly again = new Set<number>();
  /** Channels whose ingest has changed since the last tick. */
  private readonly ingests = new Set<number>();
  /** Commits are followed one after the other, in their order. */
  private work: Promise<void>;
  private readonly timers = new Map<'status' | 'rows' | 'tick', () => void>();
  private readonly endChanges: () => void;
  private ticks = 0;
  private hasEnded = false;

  constructor(deps: WatchDeps, listener: (message: LiveMessage) => void) {
    this.deps = deps;
    this.listener = listener;
    this.rows = new LiveRows(deps.store);
    this.statuses = new StatusQueue((livestreamId) => this.viewOf(livestreamId));
    // The subscription comes before the first read, so that no commit falls between the two.
    this.work = Promise.resolve();
    this.endChanges = deps.store.onChange((changes) => this.enqueue(changes));
    this.work = this.rows.load();
  }

  /** Resolves when messages begin. */
  async begin(): Promise<void> {
    await this.work;
    const nowMs = this.deps.clock.now();
    for (const livestreamId of this.rows.livestreams.keys()) this.statuses.know(livestreamId, nowMs);
    this.takeDevices();
    this.later('tick', RATES_MS, () => this.tick());
  }

  end(): void {
    this.hasEnded = true;
    this.endChanges();
    for (const cancel of this.timers.values()) cancel();
    this.timers.clear();
  }

  snapshot(): LiveSnapshot {
    this.sendStatuses();
    this.sendDevices();
    const livestreams = [...this.rows.livestreams.keys()]
      .sort((a, b) => a - b)
      .flatMap((livestreamId): FlaggedStatus[] => {
        const view = this.viewOf(livestreamId);
        return view === undefined ? [] : [{ ...view, flags: flagsOf(this.reportOf(livestreamId)) }];
      });
    return { livestreams, devices: [...this.sentDevices.values()] };
  }

  /** Takes note of a report that has been kept. */
  receive({ livestreamId, runId }: RunReport): void {
    if (this.rows.runs.get(livestreamId)?.runId === runId) this.mark(livestreamId);
  }

  /** The page reads a Channel anew once a second at most, however often its ingest changes. */
  ingestChanged(channelId: number): void {
    this.ingests.add(channelId);
    for (const { id, boundChannels } of this.rows.active()) if (boundChannels?.includes(channelId)) this.mark(id);
  }

  private enqueue(changes: readonly Change[]): void {
    this.work = this.work
      .then(() => this.follow(changes))
      .catch((error: unknown) => {
        if (!this.hasEnded) this.deps.log.warn({ err: error }, 'A stored change did not reach the feed');
      });
  }

  private async follow(changes: readonly Change[]): Promise<void> {
    if (this.hasEnded) return;
    const by = await this.actorOf(changes);
    for (const { collection, id } of changes) {
      this.changedRows.add(collection, id);
      if (collection === 'livestreams') {
        await this.rows.readLivestream(id);
        this.markAgain(id);
      } else if (collection === 'runs') {
        await this.rows.readRun(id);
        this.markAgain(id, by);
      } else if (collection === 'recordings') {
        const row = (await this.deps.store.get('recordings', id))?.row;
        if (row !== undefined) this.markAgain(row.livestreamId);
      } else if (collection === 'devices') await this.rows.readDevice(id);
      else if (collection === 'deviceLinks') {
        // It says whether the Device is lost, and what was refused in its name.
        this.changedRows.add('devices', id);
        for (const run of this.rows.active()) if (run.deviceId === id) this.markAgain(run.id);
      }
    }
    await this.sendEvents(changes.flatMap(({ collection, id }) => (collection === 'events' ? [id] : [])));
    if (!this.changedRows.isEmpty) this.later('rows', ROWS_MS, () => this.sendRows());
  }

  /** The caller whose audit entry is in the commit; only a commit that changes a run is told with its caller. */
  private async actorOf(changes: readonly Change[]): Promise<Actor | undefined> {
    if (!changes.some(({ collection }) => collection === 'runs')) return undefined;
    const audit = changes.find(({ collection }) => collection === 'audit');
    const entry = audit && (await this.deps.store.get('audit', audit.id))?.row;
    return entry?.outcome === 'ok' ? { user: entry.user, via: entry.via } : undefined;
  }

  private async sendEvents(ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return;
    for (const event of await this.deps.store.getMany('events', ids)) this.send({ type: 'event', event });
  }

  private mark(livestreamId: number, by?: Actor): void {
    this.statuses.mark(livestreamId, by);
    this.later('status', STATUS_MS, () => this.sendStatuses());
  }

  private markAgain(livestreamId: number, by?: Actor): void {
    this.mark(livestreamId, by);
    this.again.add(livestreamId);
  }

  private sendStatuses(): void {
    if (this.statuses.isEmpty) return;
    for (const message of this.statuses.take(this.deps.clock.now())) this.send(message);
  }

  private sendRows(): void {
    this.send({ type: 'changed', rows: this.changedRows.take() });
  }

  private tick(): void {
    this.later('tick', RATES_MS, () => this.tick());
    this.ticks += 1;
    for (const livestreamId of this.again) this.mark(livestreamId);
    this.again.clear();
    for (const channelId of this.ingests) this.changedRows.add('channels', channelId);
    this.ingests.clear();
    if (!this.changedRows.isEmpty) this.later('rows', 0, () => this.sendRows());
    this.sendRates();
    if (this.ticks % DEVICE_TICKS === 0) this.sendDevices();
  }

  private sendRates(): void {
    const nowMs = this.deps.clock.now();
    const rows = this.rows.active().flatMap(({ id }) => {
      const report = this.reportOf(id);
      return report === undefined ? [] : [rateRow(report, nowMs)];
    });
    this.send({ type: 'rates', at: toIso(nowMs), rows });
  }

  private sendDevices(): void {
    const devices = this.takeDevices();
    if (devices.length > 0) this.send({ type: 'device', devices });
  }

  /** Answers the Devices whose state is another than at the last call. */
  private takeDevices(): DeviceLiveStatus[] {
    const runs = this.rows.active();
    const livestreams = [...this.rows.livestreams.values()];
    for (const deviceId of this.sentDevices.keys()) {
      if (!this.rows.devices.has(deviceId)) this.sentDevices.delete(deviceId);
    }
    return [...this.rows.devices.values()].flatMap((device) => {
      const row = liveStatusOf(device, this.deps.control, runs, livestreams);
      if (isSameJson(this.sentDevices.get(device.id), row)) return [];
      this.sentDevices.set(device.id, row);
      return [row];
    });
  }

  private viewOf(livestreamId: number): LivestreamStatusView | undefined {
    const livestream = this.rows.livestreams.get(livestreamId);
    return livestream && this.deps.control.status(livestream, this.rows.runs.get(livestreamId));
  }

  private reportOf(livestreamId: number): RunReport | undefined {
    const run = this.rows.runs.get(livestreamId);
    return run === undefined || run.status === 0 ? undefined : this.deps.reportOf(run.runId);
  }

  /** Starts a timer of this name, unless one is running. */
  private later(name: 'status' | 'rows' | 'tick', delayMs: number, task: () => void): void {
    if (this.timers.has(name) || this.hasEnded) return;
    const cancel = this.deps.clock.after(delayMs, () => {
      this.timers.delete(name);
      task();
    });
    this.timers.set(name, cancel);
  }

  private send(message: LiveMessage): void {
    if (!this.hasEnded) this.listener(message);
  }
}
