/** The Devices that the control plane is connected to: which links exist follows from the rows. */
import { AppError } from '../domain/errors.ts';
import type { CloudAccount } from '../domain/cloud-account.ts';
import type { Device } from '../domain/device.ts';
import type { CloudNetwork, DeviceLink, DeviceNetwork, PairedLink } from '../domain/device-link.ts';
import type { Log } from '../domain/log.ts';
import type { RunReport } from '../domain/run.ts';
import type { DeviceRegistry, KnownDevice } from './device-registry.ts';
import { cloudPlace } from './locations.ts';
import type { RecordingSync } from './recordings/recording-sync.ts';
import type { Reconciler } from './reconciler.ts';

export interface AttachmentParts {
  registry: DeviceRegistry;
  reconciler: Reconciler;
  recordings: RecordingSync;
  network: DeviceNetwork;
  /** undefined: no cloud platform is configured. */
  cloud: CloudNetwork | undefined;
  /** Told of each report that arrives, beside the reconciler. */
  onReport(deviceId: number, report: RunReport): void;
  log: Log;
}

interface Paired {
  key: string;
  address: string;
  device: KnownDevice;
  link: PairedLink;
  endWatch: () => void;
}

interface Account {
  password: string;
  device: KnownDevice;
  endWatch: () => void;
}

export class Attachments {
  private readonly parts: AttachmentParts;
  private readonly accounts = new Map<number, Account>();
  private readonly paired = new Map<number, Paired>();
  private readonly endWatches: (() => void)[] = [];

  constructor(parts: AttachmentParts) {
    this.parts = parts;
  }

  /** A Device that has answered: what it runs is adopted before this resolves. */
  async attach(id: number, link: DeviceLink, mediaUrl: string | null): Promise<void> {
    const device: KnownDevice = { id, link, online: true, mediaUrl };
    this.parts.registry.add(device);
    await this.parts.reconciler.sync(device);
    this.endWatches.push(this.watch(device));
  }

  /** Brings the link to a paired Device in line with its row: connects, connects elsewhere, or lets go. */
  follow(id: number, row: Readonly<Device> | undefined): void {
    const held = this.paired.get(id);
    if (held !== undefined) {
      if (row?.link_key === held.key && row.ip_address === held.address) return;
      this.letGo(held, row?.link_key !== held.key);
    }
    if (row?.link_key !== undefined) this.connect(row, row.link_key);
  }

  /** The same for the platform behind a Cloud account. `isUsed`: a run there stays in hand, whatever the account is set to. */
  followAccount(id: number, row: Readonly<CloudAccount> | undefined, isUsed: boolean): void {
    const { cloud, registry } = this.parts;
    const held = this.accounts.get(id);
    const isWanted = row !== undefined && (row.validation_status === 'VALID' || isUsed);
    if (held !== undefined && isWanted && held.password === row.password) return;
    if (held !== undefined) {
      held.endWatch();
      held.device.online = false;
      registry.remove(held.device.id);
      this.accounts.delete(id);
    }
    if (cloud === undefined || !isWanted) return;
    const { password } = row;
    const device: KnownDevice = { id: cloudPlace(id), link: cloud.connect(row), online: false, mediaUrl: null };
    registry.add(device);
    this.accounts.set(id, { password, device, endWatch: this.watch(device) });
  }

  close(): void {
    for (const end of this.endWatches) end();
    for (const { endWatch } of this.accounts.values()) endWatch();
    for (const { endWatch, link } of this.paired.values()) {
      endWatch();
      link.close?.();
    }
  }

  private connect(row: Readonly<Device>, key: string): void {
    const link = this.parts.network.connect(row.ip_address, key);
    const device: KnownDevice = { id: row.id, link, online: false, mediaUrl: row.media_url };
    this.parts.registry.add(device);
    const endWatch = this.watch(device);
    this.paired.set(row.id, { key, address: row.ip_address, device, link, endWatch });
  }

  /** `forsaken`: nobody will hold its key any more. Who is away then keeps it until it is unpaired by hand. */
  private letGo({ device, link, endWatch }: Paired, forsaken: boolean): void {
    const { registry, log } = this.parts;
    const wasOnline = device.online;
    endWatch();
    device.online = false;
    registry.remove(device.id);
    this.paired.delete(device.id);
    const told = forsaken && wasOnline ? link.unpair() : Promise.resolve();
    void told
      .catch((error: unknown) =>
        log.warn(
          { err: error, deviceId: device.id },
          'The Device could not be told to forget its key; unpair it there.',
        ),
      )
      .finally(() => link.close?.());
  }

  private watch(device: KnownDevice): () => void {
    const { reconciler, recordings, onReport } = this.parts;
    return device.link.watch(
      (message) => {
        if (message.type === 'recording') return recordings.receive(device.id, message.recording);
        reconciler.receive(device, message);
        if (message.type === 'report') onReport(device.id, message.report);
      },
      (online) => {
        const back = online && !device.online;
        device.online = online;
        if (back) void reconciler.sync(device);
        // Changes are told from here on: what was missed before is compared.
        if (online) recordings.sync(device);
      },
    );
  }
}

/** Where nothing but this machine is reached. */
export const NO_NETWORK: DeviceNetwork = {
  pair: () => Promise.reject(new AppError('unavailable', 'This server reaches no Devices on other machines.')),
  connect: () => {
    throw new AppError('unavailable', 'This server reaches no Devices on other machines.');
  },
};
