/** Connections of the control plane to its Devices: which links exist follows from the stored rows. */
import { AppError } from '../domain/errors.ts';
import type { Control } from '../domain/control.ts';
import type { CloudAccount } from '../domain/cloud-account.ts';
import type { Device } from '../domain/device.ts';
import type { CloudNetwork, DeviceLink, DeviceNetwork, DialledLink, PairedLink } from '../domain/device-link.ts';
import type { Log } from '../domain/log.ts';
import type { RunReport } from '../domain/run.ts';
import type { DeviceRegistry, KnownDevice } from './device-registry.ts';
import type { DeviceOwners } from './devices/device-owners.ts';
import { cloudPlace } from './locations.ts';
import type { Ingests } from './ingest/ingests.ts';
import type { RecordingSync } from './recordings/recording-sync.ts';
import type { Reconciler } from './reconciler.ts';

export interface AttachmentParts {
  registry: DeviceRegistry;
  reconciler: Reconciler;
  recordings: RecordingSync;
  ingests: Ingests;
  network: DeviceNetwork;
  owners: DeviceOwners;
  /** undefined when no cloud platform is configured. */
  cloud: CloudNetwork | undefined;
  /** Called with each report that arrives, after the reconciler has received it. */
  onReport(deviceId: number, report: RunReport): void;
  log: Log;
}

interface Paired {
  key: string;
  address: string;
  device: KnownDevice;
  link: PairedLink;
  /** Ends the watch, or the wait for its beginning. */
  end: () => void;
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
  /** Devices that have dialled this server. */
  private readonly dialled = new Map<number, Paired>();
  private readonly endWatches: (() => void)[] = [];

  constructor(parts: AttachmentParts) {
    this.parts = parts;
  }

  /**
   * Takes a Device that has answered into service. What it runs has been compared with its orders before this resolves, or is compared
   * later when the Device does not answer.
   */
  async attach(id: number, link: DeviceLink, mediaUrl: string | null): Promise<void> {
    const device: KnownDevice = { id, link, online: true, mediaUrl };
    this.parts.registry.add(device);
    await this.parts.reconciler.sync(device);
    this.endWatches.push(this.watch(device));
  }

  /** Brings the link to a paired Device in line with its row: connects, connects elsewhere, or ends the link. */
  follow(id: number, row: Readonly<Device> | undefined): void {
    const present = this.paired.get(id);
    if (present !== undefined) {
      if (row?.link_key === present.key && row.ip_address === present.address) return;
      this.letGo(present, row?.link_key !== present.key);
    }
    const dialled = this.dialled.get(id);
    if (dialled !== undefined && row?.link_key !== dialled.key) this.letGo(dialled, true);
    if (row?.link_key !== undefined && row.dials_in !== true) this.connect(row, row.link_key);
  }

  /**
   * Takes a Device into service that has dialled this server and has proved that it knows its key. A newer connection of the same Device
   * takes the place of an older one.
   */
  async onDialled(row: Readonly<Device>, key: string, link: DialledLink): Promise<void> {
    const { owners, registry, log } = this.parts;
    const { id } = row;
    const token = await owners.claim(id, link);
    if (token === undefined) return link.close();
    const former = this.dialled.get(id);
    if (former !== undefined) this.drop(former);
    const device: KnownDevice = { id, link, online: false, mediaUrl: row.media_url };
    registry.add(device);
    const own: Paired = { key, address: row.ip_address, device, link, end: this.watch(device) };
    this.dialled.set(id, own);
    log.info({ deviceId: id, token }, `Device ${row.name} has dialled this server.`);
    link.onClose(() => {
      if (this.dialled.get(id) !== own) return;
      this.drop(own);
      log.warn({ deviceId: id }, `The connection of Device ${row.name} has ended; it dials again by itself.`);
    });
  }

  /** Does the same for the platform behind a Cloud account. With `isUsed` a run there stays reachable, whatever the account is set to. */
  followAccount(id: number, row: Readonly<CloudAccount> | undefined, isUsed: boolean): void {
    const { cloud, registry } = this.parts;
    const present = this.accounts.get(id);
    const isWanted = row !== undefined && (row.validation_status === 'VALID' || isUsed);
    if (present !== undefined && isWanted && present.password === row.password) return;
    if (present !== undefined) {
      present.endWatch();
      present.device.online = false;
      registry.remove(present.device.id);
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
    for (const { end, link } of [...this.paired.values(), ...this.dialled.values()]) {
      end();
      link.close?.();
    }
  }

  private connect(row: Readonly<Device>, key: string): void {
    const { network, registry, owners, log } = this.parts;
    const link = network.connect(row.ip_address, key, true);
    const device: KnownDevice = { id: row.id, link, online: false, mediaUrl: row.media_url };
    registry.add(device);
    const over = new AbortController();
    let endWatch = (): void => undefined;
    this.paired.set(row.id, {
      key,
      address: row.ip_address,
      device,
      link,
      end: () => {
        over.abort();
        endWatch();
      },
    });
    owners.claim(row.id, link, over.signal).then(
      (token) => {
        if (token !== undefined && !over.signal.aborted) endWatch = this.watch(device);
      },
      (error: unknown) => {
        if (!over.signal.aborted) log.error({ err: error, deviceId: row.id }, 'The Device could not be claimed.');
      },
    );
  }

  /** The Device is offline from here on; its runs go on. */
  private drop({ device, link, end }: Paired): void {
    const { registry, ingests, owners } = this.parts;
    end();
    device.online = false;
    if (registry.get(device.id) === device) registry.remove(device.id);
    ingests.lost(device.id);
    owners.release(device.id);
    this.dialled.delete(device.id);
    link.close?.();
  }

  /** With `isAbandoned` nobody will have the Device's key any more; a Device that is offline then keeps it until it is unpaired by hand. */
  private letGo({ device, link, end }: Paired, isAbandoned: boolean): void {
    const { registry, owners, log } = this.parts;
    const wasOnline = device.online;
    end();
    device.online = false;
    registry.remove(device.id);
    owners.release(device.id);
    this.paired.delete(device.id);
    this.dialled.delete(device.id);
    const unpairing = isAbandoned && wasOnline ? link.unpair() : Promise.resolve();
    void unpairing
      .catch((error: unknown) =>
        log.warn(
          { err: error, deviceId: device.id },
          'The Device could not be told to forget its key; unpair it there.',
        ),
      )
      .finally(() => link.close?.());
  }

  private watch(device: KnownDevice): () => void {
    const { reconciler, recordings, ingests, onReport } = this.parts;
    return device.link.watch(
      (message) => {
        if (message.type === 'recording') return recordings.receive(device.id, message.recording);
        if (message.type === 'ingests') return ingests.receive(device.id, message.ingests);
        if (message.type === 'ingest_event') return ingests.receiveEvent(device.id, message.event);
        reconciler.receive(device, message);
        if (message.type === 'report') onReport(device.id, message.report);
      },
      (online) => {
        const back = online && !device.online;
        device.online = online;
        if (back) void reconciler.sync(device);
        // Changes arrive from here on; those missed before are found by comparing.
        if (online) recordings.sync(device);
        if (online) ingests.sync(device);
        else ingests.lost(device.id);
      },
    );
  }
}

/** The network of a control plane that reaches nothing but its own machine. */
export const NO_NETWORK: DeviceNetwork = {
  pair: () => Promise.reject(new AppError('unavailable', 'This server reaches no Devices on other machines.')),
  connect: () => {
    throw new AppError('unavailable', 'This server reaches no Devices on other machines.');
  },
};

export function pairDeviceOver(network: DeviceNetwork, log: Log): Control['pairDevice'] {
  return async (address, credentials) => {
    const key = await network.pair(address, credentials);
    return { key, undo: () => undoPairing(network, address, key, log) };
  };
}

/** Best effort: an agent that cannot be reached stays paired, with a key that nobody has, until it is unpaired by hand. */
async function undoPairing(network: DeviceNetwork, address: string, key: string, log: Log): Promise<void> {
  const link = network.connect(address, key);
  try {
    await link.unpair();
  } catch (error) {
    log.warn({ err: error, address }, 'A pairing could not be undone; run `onair device unpair` on that machine.');
  } finally {
    link.close?.();
  }
}
