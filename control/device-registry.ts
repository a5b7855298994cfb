/** What the control plane knows of its Devices beyond their rows: links, presence, and the last report of each run. */
import { systemClock, toIso, type Clock } from '../domain/clock.ts';
import type { DeviceHello, DeviceLink, RunReport } from '../domain/run.ts';
import type { Device } from '../domain/device.ts';
import type { Store } from '../domain/store.ts';

export interface KnownDevice {
  readonly id: number;
  readonly link: DeviceLink;
  online: boolean;
  mediaUrl: string | null;
}

export class DeviceRegistry {
  readonly #devices = new Map<number, KnownDevice>();
  readonly #reports = new Map<string, RunReport>();

  add(device: KnownDevice): void {
    this.#devices.set(device.id, device);
  }

  get(deviceId: number): KnownDevice | undefined {
    return this.#devices.get(deviceId);
  }

  isOnline(deviceId: number): boolean {
    return this.#devices.get(deviceId)?.online ?? false;
  }

  report(runId: string): RunReport | undefined {
    return this.#reports.get(runId);
  }

  keepReport(report: RunReport): void {
    this.#reports.set(report.runId, report);
  }

  dropReport(runId: string): void {
    this.#reports.delete(runId);
  }
}

/** The row of this machine, made at the first start and brought up to date with what the agent tells. */
export async function storeLocalDevice(
  store: Store,
  hello: DeviceHello,
  name: string,
  clock: Clock = systemClock,
): Promise<number> {
  return store.tx((tx) => {
    const now = toIso(clock.now());
    const told = { capabilities: hello.capabilities, media_url: hello.mediaUrl, cores: hello.cores };
    const present = tx.find('devices', {}).rows.find((device) => device.local);
    if (present !== undefined) {
      if (JSON.stringify({ ...present, ...told }) !== JSON.stringify(present))
        tx.put('devices', { ...present, ...told });
      return present.id;
    }
    const row: Omit<Device, 'id'> = {
      created_at: now,
      updated_at: now,
      name,
      description: 'The machine of the control plane.',
      location: null,
      ip_address: '127.0.0.1',
      type: 'standalone',
      enabled: true,
      licensed: { channels: 0, outputs: 0, publishing_points: 0 },
      local: true,
      ...told,
    };
    return tx.insert('devices', row).id;
  });
}
