/** What the control plane knows of its Devices beyond their rows: links, presence, and the last report of each run. */
import { toIso, type Clock } from '../domain/clock.ts';
import type { DeviceHello, DeviceLink } from '../domain/device-link.ts';
import type { Run, RunReport } from '../domain/run.ts';
import type { Device } from '../domain/device.ts';
import type { Store } from '../domain/store.ts';
import { placeOf } from './locations.ts';

export interface KnownDevice {
  /** Its place (places.ts). */
  readonly id: number;
  readonly link: DeviceLink;
  online: boolean;
  mediaUrl: string | null;
}

export class DeviceRegistry {
  private readonly devices = new Map<number, KnownDevice>();
  private readonly reports = new Map<string, RunReport>();

  add(device: KnownDevice): void {
    this.devices.set(device.id, device);
  }

  remove(deviceId: number): void {
    this.devices.delete(deviceId);
  }

  get(deviceId: number): KnownDevice | undefined {
    return this.devices.get(deviceId);
  }

  /** Where a run is. */
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
  }

  dropReport(runId: string): void {
    this.reports.delete(runId);
  }
}

type Told = Pick<DeviceHello, 'capabilities' | 'mediaUrl' | 'cores'>;

function toldFields({ capabilities, mediaUrl, cores }: Told): Pick<Device, 'capabilities' | 'media_url' | 'cores'> {
  return { capabilities, media_url: mediaUrl, cores };
}

/** Brings a Device's row up to date with what it tells of itself; no write when nothing is new. */
export async function storeTold(store: Store, deviceId: number, hello: Told): Promise<void> {
  const device = (await store.get('devices', deviceId))?.row;
  if (device === undefined || isTold(device, hello)) return;
  await store.tx((tx) => {
    const present = tx.get('devices', deviceId);
    if (present !== undefined) tx.put('devices', { ...present, ...toldFields(hello) });
  });
}

function isTold(device: Readonly<Device>, hello: Told): boolean {
  return JSON.stringify({ ...device, ...toldFields(hello) }) === JSON.stringify(device);
}

/** The row of this machine, made at the first start. */
export async function storeLocalDevice(store: Store, hello: Told, name: string, clock: Clock): Promise<number> {
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
        ...toldFields(hello),
      }).id,
  );
}
