/** Connections of the control plane to its Devices: which links exist follows from the stored rows. */
import type { Duplex } from 'node:stream';
import { AppError } from '../domain/base/errors.ts';
import type { Control } from '../domain/ports/control.ts';
import type { CloudAccount } from '../domain/shapes/devices/cloud-account.ts';
import type { DeviceOwner } from '../domain/shapes/devices/device-owner.ts';
import type { Device } from '../domain/shapes/devices/device.ts';
import type { CloudNetwork, DeviceLink, DeviceNetwork, DialledLink, PairedLink } from '../domain/ports/device-link.ts';
import { HeldLease, type LeaseDeps } from '../domain/ports/held-lease.ts';
import type { Log } from '../domain/base/log.ts';
import type { KnownDevice } from './device-registry.ts';
import type { DeviceOwners } from './devices/device-owners.ts';
import { syncOwn, watchDevice, type WatchDeps } from './devices/device-watch.ts';
import type { Machines } from './devices/machines.ts';
import { ForwardedDevices } from './devices/forwarded-devices.ts';
import { cloudPlace } from './locations.ts';

export interface AttachmentDeps extends WatchDeps {
  network: DeviceNetwork;
  owners: DeviceOwners;
  machines: Pick<Machines, 'admitted' | 'wasBooted'>;
  losses: { booted(deviceId: number): Promise<void> };
  /** One server at a time orders what a Device does that waits to be called, and what runs at a Cloud account. */
  leases: LeaseDeps;
  /** See ForwardingParts. */
  memberKey: string | undefined;
  /** undefined when no cloud platform is configured. */
  cloud: CloudNetwork | undefined;
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

/** A Device that waits to be called. */
interface Called {
  key: string;
  address: string;
  lease: HeldLease;
}

interface Account {
  password: string;
  device: KnownDevice;
  end: () => void;
}

/** The Device refuses the calls of a server that another has replaced; at a Cloud account the same order is given twice at worst. */
const DEVICE_TERMS = { ttlMs: 15_000, isKeptWithoutStore: true };
const CLOUD_TERMS = { ttlMs: 30_000, isKeptWithoutStore: true };

export class Attachments {
  private readonly deps: AttachmentDeps;
  private readonly forwarded: ForwardedDevices;
  private readonly accounts = new Map<number, Account>();
  private readonly called = new Map<number, Called>();
  /** Devices that this server owns and that are on other machines. */
  private readonly paired = new Map<number, Paired>();
  private readonly endWatches: (() => void)[] = [];

  constructor(deps: AttachmentDeps) {
    this.deps = deps;
    const { network, memberKey } = deps;
    this.forwarded = new ForwardedDevices({ network, memberKey, watch: deps });
  }

  /**
   * Takes the Device of this machine into service. What it runs has been compared with its orders before this resolves, or is compared
   * later when the Device does not answer.
   */
  async attach(id: number, link: DeviceLink, mediaUrl: string | null): Promise<void> {
    await this.deps.owners.claimLocal(id);
    this.forwarded.end(id);
    const device: KnownDevice = { id, link, isOwn: true, online: true, mediaUrl };
    this.deps.registry.add(device);
    await this.deps.reconciler.sync(device);
    this.endWatches.push(watchDevice(this.deps, device));
  }

  /** Brings the link to a Device in line with its row: calls it, calls it elsewhere, or ends the link. */
  follow(id: number, row: Readonly<Device> | undefined): void {
    const paired = this.paired.get(id);
    if (paired !== undefined && (row?.link_key !== paired.key || row.ip_address !== paired.address))
      this.letGo(paired, row?.link_key !== paired.key);
    if (row === undefined) this.forwarded.end(id);
    const present = this.called.get(id);
    if (present !== undefined && present.key === row?.link_key && present.address === row.ip_address) return;
    present?.lease.end();
    this.called.delete(id);
    if (row?.link_key === undefined || row.dials_in === true) return;
    this.called.set(id, { key: row.link_key, address: row.ip_address, lease: this.callUnderLease(row, row.link_key) });
  }

  /** Brings the way to a Device in line with the claims on it. While a claim is not confirmed, nothing changes. */
  followOwner(owner: Readonly<DeviceOwner>, row: Readonly<Device>): void {
    const { memberId } = this.deps.leases;
    if (owner.acceptedToken !== owner.token) return;
    if (owner.acceptedMemberId === memberId) return this.tellApart(owner);
    const former = this.paired.get(owner.id);
    if (former !== undefined) this.drop(former);
    this.forwarded.follow(owner, row);
  }

  /** A machine was refused that knows what the Device was told last: with a new token the Device knows what that one does not. */
  private tellApart({ id, acceptedToken, refused }: Readonly<DeviceOwner>): void {
    const own = this.paired.get(id);
    if (own === undefined || refused?.reason !== 'present' || refused.token !== acceptedToken) return;
    this.deps.owners.claim(id, own.link).catch((error: unknown) => {
      this.deps.log.warn(
        { err: error, deviceId: id },
        'The Device was not told from the machine that was refused yet.',
      );
    });
  }

  /** A channel for another server to a Device that this one owns. */
  channelTo(deviceId: number): Duplex | undefined {
    const device = this.deps.registry.get(deviceId);
    return device?.isOwn === true ? device.link.channel?.() : undefined;
  }

  /**
   * Takes a Device into service that has dialled this server and has proved that it knows its key. A newer connection of the same Device
   * takes the place of an older one.
   */
  async onDialled(row: Readonly<Device>, key: string, link: DialledLink): Promise<void> {
    const { owners, machines, losses, registry, log } = this.deps;
    const { id } = row;
    const machine = await machines.admitted(row, key, link);
    if (machine !== undefined && (await machines.wasBooted(id, machine))) await losses.booted(id);
    const token = machine && (await owners.claim(id, link, { machine }));
    if (token === undefined) return link.close();
    const former = this.paired.get(id);
    if (former !== undefined) this.drop(former);
    this.forwarded.end(id);
    const device: KnownDevice = { id, link, isOwn: true, online: false, mediaUrl: row.media_url };
    registry.add(device);
    const own: Paired = { key, address: row.ip_address, device, link, end: watchDevice(this.deps, device) };
    this.paired.set(id, own);
    log.info({ deviceId: id, token }, `Device ${row.name} has dialled this server.`);
    link.onClose(() => {
      if (this.paired.get(id) !== own) return;
      this.drop(own);
      log.warn({ deviceId: id }, `The connection of Device ${row.name} has ended; it dials again by itself.`);
    });
  }

  /** Does the same for the platform behind a Cloud account. With `isUsed` a run there stays reachable, whatever the account is set to. */
  followAccount(id: number, row: Readonly<CloudAccount> | undefined, isUsed: boolean): void {
    const { cloud, registry, leases } = this.deps;
    const present = this.accounts.get(id);
    const isWanted = row !== undefined && (row.validation_status === 'VALID' || isUsed);
    if (present !== undefined && isWanted && present.password === row.password) return;
    if (present !== undefined) {
      present.end();
      present.device.online = false;
      registry.remove(present.device.id);
      this.accounts.delete(id);
    }
    if (cloud === undefined || !isWanted) return;
    const { password } = row;
    const link = cloud.connect(row);
    const device: KnownDevice = { id: cloudPlace(id), link, isOwn: false, online: false, mediaUrl: null };
    registry.add(device);
    const lease = new HeldLease(leases, { name: `cloud ${id}`, ...CLOUD_TERMS }, (isHeld) => {
      device.isOwn = isHeld;
      if (isHeld && device.online) syncOwn(this.deps, device);
    });
    const endWatch = watchDevice(this.deps, device);
    const end = (): void => {
      endWatch();
      lease.end();
    };
    this.accounts.set(id, { password, device, end });
  }

  close(): void {
    for (const end of this.endWatches) end();
    for (const { end } of this.accounts.values()) end();
    this.forwarded.close();
    for (const { end, link } of this.paired.values()) {
      end();
      link.close?.();
    }
    for (const { lease } of this.called.values()) lease.end();
  }

  private callUnderLease(row: Readonly<Device>, key: string): HeldLease {
    return new HeldLease(this.deps.leases, { name: `device ${row.id}`, ...DEVICE_TERMS }, (isHeld) => {
      const present = this.paired.get(row.id);
      if (isHeld) this.call(row, key);
      else if (present !== undefined) this.drop(present);
    });
  }

  private call(row: Readonly<Device>, key: string): void {
    const { network, registry, owners, log } = this.deps;
    this.forwarded.end(row.id);
    const link = network.connect(row.ip_address, key, true);
    const device: KnownDevice = { id: row.id, link, isOwn: true, online: false, mediaUrl: row.media_url };
    registry.add(device);
    const over = new AbortController();
    let endWatch = (): void => undefined;
    const end = (): void => {
      over.abort();
      endWatch();
    };
    this.paired.set(row.id, { key, address: row.ip_address, device, link, end });
    owners.claim(row.id, link, { signal: over.signal }).then(
      (token) => {
        if (token !== undefined && !over.signal.aborted)
          endWatch = watchDevice(this.deps, device, () => owners.tellOrdered(row.id, link));
      },
      (error: unknown) => {
        if (!over.signal.aborted) log.error({ err: error, deviceId: row.id }, 'The Device could not be claimed.');
      },
    );
  }

  /** The Device is offline from here on; its runs go on. */
  private drop({ device, link, end }: Paired): void {
    const { registry, ingests, owners } = this.deps;
    end();
    device.online = false;
    if (registry.get(device.id) === device) registry.remove(device.id);
    ingests.lost(device.id);
    owners.release(device.id);
    this.paired.delete(device.id);
    link.close?.();
  }

  /** With `isAbandoned` nobody will have the Device's key any more; a Device that is offline then keeps it until it is unpaired by hand. */
  private letGo({ device, link, end }: Paired, isAbandoned: boolean): void {
    const { registry, owners, log } = this.deps;
    const wasOnline = device.online;
    end();
    device.online = false;
    registry.remove(device.id);
    owners.release(device.id);
    this.paired.delete(device.id);
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
}

/** The network of a control plane that reaches nothing but its own machine. */
export const NO_NETWORK: DeviceNetwork = {
  pair: () => Promise.reject(new AppError('unavailable', 'This server reaches no Devices on other machines.')),
  connect: () => {
    throw new AppError('unavailable', 'This server reaches no Devices on other machines.');
  },
  through: () => {
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
