/** Knowledge of the control plane about its Devices beyond their rows: links, presence, and the last report of each run. */
import { toIso, type Clock } from '../domain/clock.ts';
import type { DeviceHello, DeviceLink } from '../domain/device-link.ts';
import type { Run, RunReport } from '../domain/run.ts';
import type { Device } from '../domain/device.ts';
import type { Store } from '../domain/store.ts';
import { placeOf } from './locations.ts';

export interface KnownDevice {
  /** Its place, as locations.ts numbers them. */
  readonly id: number;
  readonly link: DeviceLink;
  online: boolean;
  mediaUrl: string | null;
}

export class DeviceRegistry {
  private readonly devices = new Map<number, KnownDevice>();
  private readonly reports = new Map<string, RunReport>();
  private readonly reportListeners = new Set<(report: RunReport) => void>();

  add(device: KnownDevice): void {
    this.devices.set(device.id, device);
  }

  remove(deviceId: number): void {
    this.devices.delete(deviceId);
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
    return this.reports.get(runId);
  }

  keepReport(report: RunReport): void {
    this.reports.set(report.runId, report);
    for (const listener of this.reportListeners) listener(report);
  }

  /** Calls back with every report that has been kept. */
  onReport(listener: (report: RunReport) => void): void {
    this.reportListeners.add(listener);
  }

  dropReport(runId: string): void {
    this.reports.delete(runId);
  }
}

type DeviceFacts = Pick<DeviceHello, 'capabilities' | 'mediaUrl' | 'cores'>;

function factFields({
  capabilities,
  mediaUrl,
  cores,
}: DeviceFacts): Pick<Device, 'capabilities' | 'media_url' | 'cores'> {
  return { capabilities, media_url: mediaUrl, cores };
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
export async function storeLocalDevice(store: Store, hello: DeviceFacts, name: string, clock: Clock): Promise<number> {
  const present = (await store.find('devices', {})).rows.find((device) => device.local);
  if (present !== undefined) return present.id;
  const now = toIso(clock.now());
  return store.tx(
    (tx) =>
      tx.insert('devices', {
        created_at: now,
        updated_at: now,
        name,
        description: 'The machine of the control plane.',
        location: null,
        ip_address: '127.0.0.1',
        type: 'standalone',
        enabled: true,
        licensed: { channels: null, outputs: null, publishing_points: null },
        local: true,
        ...factFields(hello),
      }).id,
  );
}
