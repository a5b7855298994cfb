/** Knowledge of the control plane about its Devices beyond their rows: links, presence, and the last report of each run. */
import { systemClock, toIso, type Clock } from '../domain/time/clock.ts';
import type { DeviceHello, DeviceLink } from '../domain/ports/device-link.ts';
import type { Run, RunReport } from '../domain/shapes/broadcasts/run.ts';
import type { DeviceFeature } from '../domain/shapes/devices/device-features.ts';
import type { DeviceStorage } from '../domain/shapes/devices/device-storage.ts';
import type { Device } from '../domain/shapes/devices/device.ts';
import { LONE_MEMBER } from '../domain/shapes/devices/device-owner.ts';
import type { Store, Tx, View } from '../domain/ports/store.ts';
import { placeOf } from './locations.ts';

export interface KnownDevice {
  /** Its place, as locations.ts numbers them. */
  readonly id: number;
  readonly link: DeviceLink;
  /** This server orders what it does; else another does that shares the store. */
  isOwn: boolean;
  online: boolean;
  /** Set once what it runs was compared with the store since it came. */
  isCompared?: boolean;
  mediaUrl: string | null;
}

export class DeviceRegistry {
  private readonly devices = new Map<number, KnownDevice>();
  private readonly reports = new Map<string, { report: RunReport; place: number | undefined }>();
  /** When something was last heard of each Device. */
  private readonly heard = new Map<number, number>();
  private readonly disks = new Map<number, readonly DeviceStorage[]>();
  /** Seconds by which the clock of a Device was ahead of this one's, the last two times that it told. */
  private readonly ahead = new Map<number, [number, number]>();
  private readonly clock: Pick<Clock, 'now'>;
  private readonly reportListeners = new Set<(report: RunReport) => void>();

  constructor(clock: Pick<Clock, 'now'> = systemClock) {
    this.clock = clock;
  }

  noteHeard(deviceId: number): void {
    this.heard.set(deviceId, this.clock.now());
  }

  heardAt(deviceId: number): number | undefined {
    return this.heard.get(deviceId);
  }

  /** The last that was told of the disks of the Device. */
  storage(deviceId: number): readonly DeviceStorage[] {
    return this.disks.get(deviceId) ?? [];
  }

  keepStorage(deviceId: number, storage: readonly DeviceStorage[]): void {
    this.disks.set(deviceId, storage);
  }

  noteTime(deviceId: number, atMs: number): void {
    const ahead = (atMs - this.clock.now()) / 1000;
    const [, before] = this.ahead.get(deviceId) ?? [ahead, ahead];
    this.ahead.set(deviceId, [before, ahead]);
  }

  /** A time that was told may have waited on its way, so the smaller of two differences counts; undefined: none was told. */
  clockAhead(deviceId: number): number | undefined {
    const pair = this.ahead.get(deviceId);
    return pair && [...pair].sort((a, b) => Math.abs(a) - Math.abs(b))[0];
  }

  add(device: KnownDevice): void {
    this.devices.set(device.id, device);
  }

  remove(deviceId: number): void {
    this.devices.delete(deviceId);
    this.disks.delete(deviceId);
    this.ahead.delete(deviceId);
  }

  get all(): readonly KnownDevice[] {
    return [...this.devices.values()];
  }

  get(deviceId: number): KnownDevice | undefined {
    return this.devices.get(deviceId);
  }

  /** The entry of the Device or Cloud account that a run is placed on. */
  deviceFor(run: Pick<Run, 'deviceId' | 'cloudAccountId'>): KnownDevice | undefined {
    const place = placeOf(run);
    return place === null ? undefined : this.devices.get(place);
  }

  isOnline(deviceId: number): boolean {
    return this.devices.get(deviceId)?.online ?? false;
  }

  report(runId: string): RunReport | undefined {
    return this.reports.get(runId)?.report;
  }

  /** `place` is left out for the answer to a change, which comes from where the run is. */
  keepReport(report: RunReport, place = this.reports.get(report.runId)?.place): void {
    this.reports.set(report.runId, { report, place });
    for (const listener of this.reportListeners) listener(report);
  }

  /** Calls back with every report that has been kept. */
  onReport(listener: (report: RunReport) => void): void {
    this.reportListeners.add(listener);
  }

  /** With `place`, that of another place stays. */
  dropReport(runId: string, place?: number): void {
    const kept = this.reports.get(runId);
    if (place === undefined || kept?.place === undefined || kept.place === place) this.reports.delete(runId);
  }
}

type DeviceFacts = Pick<DeviceHello, 'capabilities' | 'mediaUrl' | 'cores' | 'encodingTrial' | 'ingest'>;

function factFields(hello: DeviceFacts): Pick<Device, 'capabilities' | 'media_url' | 'cores' | 'encoding_trial'> {
  const { mediaUrl, cores, encodingTrial } = hello;
  const { features = earlierFeatures(hello), ...abilities } = hello.capabilities;
  // What an earlier trial has found holds until there is another.
  const trial = encodingTrial && { encoding_trial: encodingTrial };
  return { capabilities: { ...abilities, features: [...features] }, media_url: mediaUrl, cores, ...trial };
}

/** Agents of earlier versions tell of RTMPS by an address alone. */
function earlierFeatures({ ingest }: DeviceFacts): DeviceFeature[] {
  return ingest?.secureHost === undefined ? [] : ['rtmps'];
}

/** Brings a Device's row up to date with its hello; writes nothing when nothing is new. */
export async function storeFacts(store: Store, deviceId: number, hello: DeviceFacts): Promise<void> {
  const device = (await store.get('devices', deviceId))?.row;
  if (device === undefined || isCurrent(device, hello)) return;
  await store.tx((tx) => {
    const present = tx.get('devices', deviceId);
    if (present !== undefined) tx.put('devices', { ...present, ...factFields(hello) });
  });
}

function isCurrent(device: Readonly<Device>, hello: DeviceFacts): boolean {
  return JSON.stringify({ ...device, ...factFields(hello) }) === JSON.stringify(device);
}

/** Answers the id of this machine's row, which the first start makes. */
export async function storeLocalDevice(
  store: Store,
  hello: DeviceFacts,
  name: string,
  clock: Clock,
  memberId: string,
): Promise<number> {
  const now = toIso(clock.now());
  return store.tx((tx) => {
    const locals = tx.find('devices', {}).rows.filter((device) => device.local);
    if (memberId === LONE_MEMBER && locals[0] !== undefined) return withoutMember(tx, locals[0]);
    // The row of a server that had its store alone belongs to the first one that finds it in a store that is shared.
    const present =
      locals.find(({ member_id: id }) => id === memberId) ?? locals.find(({ member_id: id }) => id === undefined);
    if (present !== undefined) {
      if (present.member_id === undefined) tx.put('devices', { ...present, member_id: memberId });
      return present.id;
    }
    return tx.insert('devices', {
      created_at: now,
      updated_at: now,
      name: freeName(tx, name),
      ...(memberId !== LONE_MEMBER && { member_id: memberId }),
      description: 'The machine of the control plane.',
      location: null,
      ip_address: '127.0.0.1',
      type: 'standalone',
      enabled: true,
      licensed: { channels: null, outputs: null, publishing_points: null },
      local: true,
      ...factFields(hello),
    }).id;
  });
}

/** The store came from several servers, and is this one's alone from here on. */
function withoutMember(tx: Tx, { member_id: former, ...row }: Readonly<Device>): number {
  if (former !== undefined) tx.put('devices', row);
  return row.id;
}

/** Servers on machines of one name, or several on one machine, have Devices with numbers behind it. */
function freeName(view: View, name: string): string {
  for (let number = 1; ; number += 1) {
    const tried = number === 1 ? name : `${name} ${number}`;
    if (view.find('devices', { where: { name: tried }, limit: 1 }).rows.length === 0) return tried;
  }
}
