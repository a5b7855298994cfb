/** Devices that other servers own: they are followed, and called, by way of their owners. */
import type { DeviceOwner } from '../../domain/shapes/devices/device-owner.ts';
import type { DeviceNetwork } from '../../domain/ports/device-link.ts';
import type { Device } from '../../domain/shapes/devices/device.ts';
import type { KnownDevice } from '../device-registry.ts';
import { watchDevice, type WatchDeps } from './device-watch.ts';

interface Forwarded {
  /** Names owner, claim and address: another of them is another way. */
  way: string;
  device: KnownDevice;
  end: () => void;
}

export interface ForwardingDeps {
  network: Pick<DeviceNetwork, 'through'>;
  watch: WatchDeps;
  /** The key that the servers have in common; undefined where there are no others. */
  memberKey: string | undefined;
}

export class ForwardedDevices {
  private readonly deps: ForwardingDeps;
  private readonly devices = new Map<number, Forwarded>();

  constructor(deps: ForwardingDeps) {
    this.deps = deps;
  }

  /** Brings the way to a Device in line with the claim of its owner, who is another server. */
  follow({ id, acceptedMemberId, acceptedToken, address }: Readonly<DeviceOwner>, row: Readonly<Device>): void {
    const { network, watch, memberKey } = this.deps;
    const way = `${acceptedMemberId} ${acceptedToken} ${address}`;
    if (this.devices.get(id)?.way === way) return;
    this.end(id);
    if (address === null || memberKey === undefined) return;
    const token = row.local ? undefined : acceptedToken;
    const link = network.through({ deviceId: id, address, key: memberKey, token });
    const device: KnownDevice = { id, link, isOwn: false, online: false, mediaUrl: row.media_url };
    watch.registry.add(device);
    this.devices.set(id, { way, device, end: watchDevice(watch, device) });
  }

  /** The Device is unknown from here on, until it is followed again or owned. */
  end(id: number): void {
    const present = this.devices.get(id);
    if (present === undefined) return;
    const { device, end } = present;
    const { registry, ingests } = this.deps.watch;
    end();
    device.online = false;
    this.devices.delete(id);
    if (registry.get(id) === device) {
      registry.remove(id);
      ingests.lost(id);
    }
    device.link.close?.();
  }

  close(): void {
    for (const id of [...this.devices.keys()]) this.end(id);
  }
}
