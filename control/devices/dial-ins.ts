/** The Devices and join tokens that may dial this server, by the identities of their keys. */
import type { Duplex, Writable } from 'node:stream';
import { joinIdentity, keyIdentity, memberIdentity, newChannelKey } from '../../domain/shapes/sources/channel-key.ts';
import { toIso, type Clock } from '../../domain/time/clock.ts';
import type { Dialler, DevicePort, Joined, JoiningMachine } from '../../domain/ports/dial-in.ts';
import type { Device } from '../../domain/shapes/devices/device.ts';
import type { DialledLink } from '../../domain/ports/device-link.ts';
import type { Log } from '../../domain/base/log.ts';
import { joinDevice } from '../../domain/rules/devices/join-token.ts';
import type { Store } from '../../domain/ports/store.ts';
import type { Attachments } from '../attachments.ts';
import type { HeardForOthers } from './heard-for-others.ts';

export interface DialInDeps {
  store: Store;
  clock: Clock;
  log: Log;
  attachments: Pick<Attachments, 'onDialled' | 'channelTo'>;
  heard: Pick<HeardForOthers, 'follow'>;
  /** The key that the servers have in common; undefined where there are no others. */
  memberKey: string | undefined;
}

type Collection = 'devices' | 'joinTokens';

/** A handshake cannot wait for the store, so what it needs is kept here as the store last had it. */
export class DialIns implements DevicePort {
  private readonly deps: DialInDeps;
  private readonly diallers = new Map<string, Dialler>();
  /** The identity of each row that is among them, so that an old one goes with a new key. */
  private readonly identities = new Map<string, string>();
  private endChanges: () => void = () => undefined;

  constructor(deps: DialInDeps) {
    this.deps = deps;
  }

  async load(): Promise<this> {
    const { store, log, memberKey } = this.deps;
    if (memberKey !== undefined) this.diallers.set(memberIdentity(memberKey), { isMember: true, key: memberKey });
    this.endChanges = store.onChange((changes) => {
      for (const { collection, id } of changes)
        if (collection === 'devices' || collection === 'joinTokens')
          void this.read(collection, id).catch((error: unknown) =>
            log.warn({ err: error }, 'A Device or join token could not be read.'),
          );
    });
    for (const row of (await store.find('devices', {})).rows) this.keep('devices', row.id, deviceDialler(row));
    for (const { id, kid, join_key: key } of (await store.find('joinTokens', {})).rows)
      this.keep('joinTokens', id, { kid, key });
    return this;
  }

  close(): void {
    this.endChanges();
  }

  findDialler(identity: string): Dialler | undefined {
    return this.diallers.get(identity);
  }

  openChannel(deviceId: number): Duplex | undefined {
    return this.deps.attachments.channelTo(deviceId);
  }

  followHeard(out: Writable): void {
    this.deps.heard.follow(out);
  }

  async join(kid: string, machine: JoiningMachine): Promise<Joined> {
    const { store, clock } = this.deps;
    const newKey = newChannelKey();
    const { device, key } = await store.tx((tx) =>
      joinDevice(tx, { kid, machine, key: newKey, now: toIso(clock.now()) }),
    );
    // The Device dials with its key at once, perhaps before the change is read.
    this.keep('devices', device.id, { deviceId: device.id, key });
    return { deviceId: device.id, name: device.name, key };
  }

  async onDialled(deviceId: number, key: string, link: DialledLink): Promise<void> {
    const row = (await this.deps.store.get('devices', deviceId))?.row;
    // The key may have been taken away while the Device dialled.
    if (row?.link_key !== key) return link.close();
    await this.deps.attachments.onDialled(row, key, link);
  }

  private async read(collection: Collection, id: number): Promise<void> {
    const { store } = this.deps;
    if (collection === 'devices') {
      const row = (await store.get('devices', id))?.row;
      return this.keep('devices', id, row && deviceDialler(row));
    }
    const row = (await store.get('joinTokens', id))?.row;
    this.keep('joinTokens', id, row && { kid: row.kid, key: row.join_key });
  }

  private keep(collection: Collection, id: number, dialler: Dialler | undefined): void {
    const place = `${collection} ${id}`;
    const former = this.identities.get(place);
    if (former !== undefined) this.diallers.delete(former);
    this.identities.delete(place);
    if (dialler === undefined) return;
    const identity = 'kid' in dialler ? joinIdentity(dialler.kid) : keyIdentity(dialler.key);
    this.identities.set(place, identity);
    this.diallers.set(identity, dialler);
  }
}

function deviceDialler({ id, link_key: key, dials_in }: Readonly<Device>): Dialler | undefined {
  return key === undefined || dials_in !== true ? undefined : { deviceId: id, key };
}
