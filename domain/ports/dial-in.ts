/** The port through which Devices that dial in reach the control plane. */
import type { Duplex, Writable } from 'node:stream';
import type { DialledLink } from './device-link.ts';

/** The peer of a channel, by the key that it has proved to know: a Device, a machine that joins, or another server. */
export type Dialler =
  { deviceId: number; key: string } | { kid: string; key: string } | { isMember: true; key: string };

/** A machine before it joins, as it names itself. */
export interface JoiningMachine {
  /** The id that it has given itself, and keeps in its folder. */
  machineId: string;
  /** Its host name. */
  name: string;
  /** The address that its connection comes from. */
  address: string;
}

export interface Joined {
  deviceId: number;
  name: string;
  key: string;
}

export interface DevicePort {
  /** Undefined when no Device and no join token has this identity. */
  findDialler(identity: string): Dialler | undefined;
  /** Rejects with AppError rule_violated (errors[0].code says why the token lets nobody in) or unavailable. */
  join(kid: string, machine: JoiningMachine): Promise<Joined>;
  /** Opens a channel to a Device that this server owns; undefined while it owns none of that id. */
  openChannel(deviceId: number): Duplex | undefined;
  /** Writes what this server hears of its Devices for another server, until the stream is closed. */
  followHeard(out: Writable): void;
  /** Takes the Device into service. */
  onDialled(deviceId: number, key: string, link: DialledLink): Promise<void>;
}
