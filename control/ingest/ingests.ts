/** The ingest of pushed Channels: gives each Device its listeners, keeps what it reports of them, and stores their events once. */
import type { Clock } from '../../domain/time/clock.ts';
import type { Channel } from '../../domain/shapes/sources/channel.ts';
import {
  type ChannelIngest,
  type Ingest,
  type IngestAddress,
  type IngestEvent,
  type IngestMark,
  type IngestReport,
  type IngestVideo,
  type KnownFormat,
} from '../../domain/shapes/sources/ingest.ts';
import type { IngestOrder } from '../../domain/shapes/sources/ingest-order.ts';
import { KeyedQueue } from '../../domain/base/keyed-queue.ts';
import type { Log } from '../../domain/base/log.ts';
import { calledAmong } from '../../domain/base/sentence.ts';
import type { Store } from '../../domain/ports/store.ts';
import type { DeviceCommits } from '../device-commits.ts';
import type { DeviceRegistry, KnownDevice } from '../device-registry.ts';
import type { DeviceShares } from '../device-shares.ts';
import type { RowCache } from '../row-cache.ts';
import { forgetFormat, isAmong, isSameFormat, isSameState, storeEvent, storeFormat } from './ingest-rows.ts';
import { ingestUrl, reachNote } from './ingest-address.ts';
import { SecondListeners } from './second-listeners.ts';
import { isPushed } from '../../domain/types/channel-questions.ts';

export interface IngestsDeps {
  store: Store;
  registry: DeviceRegistry;
  rows: Pick<RowCache, 'devices'>;
  shares: Pick<DeviceShares, 'take'>;
  commits: Pick<DeviceCommits, 'add'>;
  clock: Clock;
  log: Log;
  /** Called with a Channel whose ingest is in another state; not for figures alone. */
  onChange(channelId: number): void;
}

/** Pause before a Device that did not take its listeners gets them again. */
const RETRY_MS = 1000;

export class Ingests {
  private readonly deps: IngestsDeps;
  private readonly queue = new KeyedQueue<number>();
  /** The pushed Channels as they are stored. */
  private readonly channels = new Map<number, Readonly<Channel>>();
  private readonly seconds = new SecondListeners();
  private readonly formats = new Map<number, KnownFormat>();
  private readonly addresses = new Map<number, IngestAddress>();
  /** Reports by Device and Channel: one counts while the Channel names that Device. */
  private readonly reports = new Map<number, Map<number, IngestReport>>();
  /** The last events that are stored of each Device, as far as they are known here. */
  private readonly stored = new Map<number, IngestMark['epochs']>();
  /** Devices whose address is known since they are there. */
  private readonly greeted = new Set<number>();
  private isClosed = false;

  constructor(deps: IngestsDeps) {
    this.deps = deps;
  }

  async load(): Promise<void> {
    for (const row of (await this.deps.store.find('channels', {})).rows)
      if (isPushed(row)) this.channels.set(row.id, row);
    for (const row of (await this.deps.store.find('livestreams', {})).rows) this.seconds.follow(row.id, row);
    for (const format of (await this.deps.store.find('knownFormats', {})).rows) this.formats.set(format.id, format);
  }

  close(): void {
    this.isClosed = true;
  }

  /** Learns where a Device that is there takes encoders, and gives an own one the listeners that it is to have. */
  sync(device: KnownDevice): void {
    const { link, id } = device;
    if (link.ingests === undefined) return;
    void this.queue
      .run([id], async () => {
        if (this.isClosed || !device.online) return;
        if (!this.greeted.has(id)) await this.greet(device);
        if (device.isOwn) await link.ingests?.(await this.ordersOf(id));
      })
      .catch((error: unknown) => {
        if (this.isClosed) return;
        const { clock, log, registry } = this.deps;
        log.warn({ err: error, deviceId: id }, 'A Device did not take its listeners; it is tried again');
        clock.after(RETRY_MS, () => {
          if (registry.get(id) === device && device.online) this.sync(device);
        });
      });
  }

  private async greet({ id, link }: KnownDevice): Promise<void> {
    const { ingest } = await link.hello();
    if (ingest === undefined) this.addresses.delete(id);
    else this.addresses.set(id, ingest);
    this.greeted.add(id);
  }

  /** A Channel was stored, changed or deleted: the Devices that listen for it, and did before, get their listeners. */
  async channelChanged(channelId: number): Promise<void> {
    const { store, registry } = this.deps;
    const row = (await store.get('channels', channelId))?.row;
    const before = this.channels.get(channelId);
    const after = row !== undefined && isPushed(row) ? row : undefined;
    if (after === undefined) this.channels.delete(channelId);
    else this.channels.set(channelId, after);
    if (before?.deviceId != null && (after?.enabled !== true || after.deviceId !== before.deviceId))
      this.reports.get(before.deviceId)?.delete(channelId);
    if (row === undefined) await forgetFormat(store, channelId);
    const ids = new Set([before?.deviceId, after?.deviceId, ...this.seconds.of(channelId)]);
    for (const device of registry.all) if (ids.has(device.id)) this.sync(device);
  }

  /** A Live stream was stored, changed or deleted: a second Device listens for what it is fed by, or does no more. */
  async livestreamChanged(livestreamId: number): Promise<void> {
    const { store, registry, onChange } = this.deps;
    const changed = this.seconds.follow(livestreamId, (await store.get('livestreams', livestreamId))?.row);
    const ids = new Set(changed.map(({ deviceId }) => deviceId));
    for (const device of registry.all) if (ids.has(device.id)) this.sync(device);
    for (const channelId of new Set(changed.flatMap(({ channelIds }) => channelIds))) onChange(channelId);
  }

  receive({ id: deviceId, isOwn }: Pick<KnownDevice, 'id' | 'isOwn'>, reports: readonly IngestReport[]): void {
    const before = this.reports.get(deviceId);
    const now = new Map(reports.map((report) => [report.channelId, report]));
    this.reports.set(deviceId, now);
    for (const channelId of before?.keys() ?? []) if (!now.has(channelId)) this.tell(deviceId, channelId);
    for (const [channelId, report] of now) {
      if (!isSameState(before?.get(channelId), report)) this.tell(deviceId, channelId);
      if (isOwn && report.video !== null) this.keepFormat(deviceId, channelId, report.video);
    }
  }

  /** Nothing is known any more of what a Device receives that does not answer. */
  lost(deviceId: number): void {
    this.greeted.delete(deviceId);
    const before = this.reports.get(deviceId);
    this.reports.delete(deviceId);
    for (const channelId of before?.keys() ?? []) this.tell(deviceId, channelId);
  }

  /** Stores an event for each Live stream that uses the Channel, once, whatever restarts in between. */
  receiveEvent(deviceId: number, event: IngestEvent): void {
    const { commits, shares } = this.deps;
    if (isAmong(this.stored.get(deviceId) ?? [], event) || !shares.take(deviceId)) return;
    commits.add(deviceId, {
      key: `ingest ${event.epoch} ${event.seq}`,
      plan: (tx) => storeEvent(tx, deviceId, event),
      onStored: (epochs) => this.stored.set(deviceId, epochs),
    });
  }

  ingestOf(channel: Readonly<Channel>): ChannelIngest | null {
    if (!isPushed(channel)) return null;
    return {
      ...this.ingestAt(channel),
      backups: this.secondsOf(channel).map((deviceId) => {
        const name = this.deps.rows.devices.get(deviceId)?.name ?? `${deviceId}`;
        const { url, state, error, from, note } = this.ingestAt(atSecond(channel, deviceId));
        return { deviceId, name, url, state, error, from, note };
      }),
    };
  }

  /** The ingest of a Channel by its id, as the Device has it that takes it in for a broadcast. */
  ingestById(channelId: number, deviceId?: number | null): Ingest | null {
    const channel = this.channels.get(channelId);
    if (channel === undefined) return null;
    const isSecond = deviceId != null && this.secondsOf(channel).includes(deviceId);
    return this.ingestAt(isSecond ? atSecond(channel, deviceId) : channel);
  }

  /** The addresses with their key, for who may see it: of its own Device, and of the others that listen. */
  wholeUrls(channel: Readonly<Channel>): { url: string; backup_urls: string[] } {
    const urlAt = (each: Readonly<Channel>): string => ingestUrl(each, this.addressOf(each), 'whole');
    const backup_urls = this.secondsOf(channel).map((deviceId) => urlAt(atSecond(channel, deviceId)));
    return { url: urlAt(channel), backup_urls };
  }

  private secondsOf({ id, deviceId }: Readonly<Channel>): number[] {
    return this.seconds.of(id).filter((second) => second !== deviceId);
  }

  private addressOf({ deviceId }: Readonly<Channel>): IngestAddress | undefined {
    return deviceId === null ? undefined : this.addresses.get(deviceId);
  }

  private ingestAt(channel: Readonly<Channel>): Ingest {
    const { registry } = this.deps;
    const address = this.addressOf(channel);
    const isOnline = channel.deviceId !== null && registry.isOnline(channel.deviceId);
    const known = channel.enabled && isOnline ? this.reports.get(channel.deviceId)?.get(channel.id) : undefined;
    const isTooOld = known === undefined && isOnline && channel.enabled && isBeforeTls(channel, address);
    const { channelId: _id, ...report } = isTooOld ? TOO_OLD : (known ?? NOTHING_KNOWN);
    return {
      url: ingestUrl(channel, address, 'masked'),
      ...report,
      note: noteOf(channel, this.deps.rows.devices, isOnline, address),
    };
  }

  private keepFormat(deviceId: number, channelId: number, video: IngestVideo): void {
    if (video.fps === null || video.fps <= 0 || !this.isOf(deviceId, channelId)) return;
    const isTurned = video.rotation % 180 !== 0;
    const [width, height] = isTurned ? [video.height, video.width] : [video.width, video.height];
    const format = { id: channelId, fps: video.fps, width, height };
    if (isSameFormat(this.formats.get(channelId), format) || !this.deps.shares.take(deviceId)) return;
    this.formats.set(channelId, format);
    this.deps.store
      .tx((tx) => storeFormat(tx, format))
      .catch((error: unknown) => this.deps.log.warn({ err: error, channelId }, 'The form of a source was not stored'));
  }

  private isOf(deviceId: number, channelId: number): boolean {
    const channel = this.channels.get(channelId);
    return channel !== undefined && (channel.deviceId === deviceId || this.seconds.of(channelId).includes(deviceId));
  }

  private tell(deviceId: number, channelId: number): void {
    if (this.isOf(deviceId, channelId)) this.deps.onChange(channelId);
  }

  private async ordersOf(deviceId: number): Promise<IngestOrder[]> {
    const { store } = this.deps;
    const { rows: own } = await store.find('channels', { where: { deviceId } });
    const others = await store.getMany('channels', [...new Set(this.seconds.channelsAt(deviceId))]);
    const seconds = others.filter((row) => row.deviceId !== deviceId).map((row) => atSecond(row, deviceId));
    const address = this.addresses.get(deviceId);
    return [...own, ...seconds]
      .filter((row) => row.enabled && isPushed(row) && !isBeforeTls(row, address))
      .map(({ id, name, type, settings }) => ({ channelId: id, name, type, settings }));
  }
}

/** The Channel as its second Device has it: the host that it is bound to is one of the other. */
function atSecond(channel: Readonly<Channel>, deviceId: number): Readonly<Channel> {
  const { host: _host, ...settings } = channel.settings;
  return { ...channel, deviceId, settings };
}

const NOTHING_KNOWN: Omit<IngestReport, 'state'> & { state: 'off' } = {
  channelId: 0,
  state: 'off',
  error: null,
  from: null,
  since: null,
  bitrate_kbps: 0,
  video: null,
  audio: [],
  captions: [],
  last_refusal: null,
};

const TOO_OLD: Omit<IngestReport, 'state'> & { state: Ingest['state'] } = {
  ...NOTHING_KNOWN,
  state: 'failed',
  error: 'The Device has an earlier version, which takes no RTMPS; update it, or set tls to false.',
};

/** An earlier version would listen without TLS. */
function isBeforeTls({ settings }: Readonly<Channel>, address: IngestAddress | undefined): boolean {
  return settings.tls === true && address !== undefined && address.secureHost === undefined;
}

function noteOf(
  { enabled, deviceId: id, settings }: Readonly<Channel>,
  devices: RowCache['devices'],
  isOnline: boolean,
  address: IngestAddress | undefined,
): string | null {
  if (!enabled) return 'The Channel is disabled; enable it with updateChannel.';
  if (id === null) return 'No Device listens for it; name one as deviceId with updateChannel.';
  if (!isOnline) return `${calledAmong(devices, 'Device', id)} does not answer; nothing is known of its listeners.`;
  return address === undefined ? null : reachNote(address, settings.host);
}
