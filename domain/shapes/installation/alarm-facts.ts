/** The facts that the findings about this installation are made of. */
import type { Validation } from '../../base/validation.ts';
import type { Capabilities, Device, DeviceState } from '../devices/device.ts';
import type { FleetHold } from '../devices/fleet-hold.ts';
import type { ArchiveState } from './archive.ts';
import type { Recording } from '../media/recording.ts';
import type { Licence } from './licence.ts';
import type { MailRule } from './mail-rule.ts';
import type { Restored } from './store-era.ts';

export interface AlarmFacts {
  /** ISO instant of the look. */
  now: string;
  devices: readonly DeviceFacts[];
  /** Each place that may take a start has an entry. */
  abilities: readonly Capabilities[];
  /** Features that a row needs and that no place has, by the names of Capabilities.missing. */
  unable: readonly string[];
  licences: readonly Readonly<Licence>[];
  /** DRM providers. */
  keyServers: readonly ServiceFacts[];
  /** Cloud accounts, Remote Folders and Target Folders. */
  connections: readonly ServiceFacts[];
  mailRules: readonly Readonly<MailRule>[];
  /** Recordings whose last attempt at a backup has failed. */
  unsaved: readonly Readonly<Pick<Recording, 'id' | 'name' | 'backup'>>[];
  /** How far history is archived, where it ever was. */
  archives: readonly Readonly<ArchiveState>[];
  /** The last time that the store went back, while it waits for a person. */
  restored: Restored | undefined;
  /** undefined while broadcasts may be moved by themselves. */
  held: FleetHold | undefined;
}

export interface DeviceFacts {
  device: Readonly<Device>;
  state: DeviceState;
  away_since: string | undefined;
  /** Seconds by which its clock is ahead of this server's; undefined: not known. */
  clock_ahead: number | undefined;
}

export interface ServiceFacts extends Validation {
  /** As people know it: kind, id and name. */
  called: string;
  /** Something that is enabled cannot do without it. */
  isUsed: boolean;
  /** The operation that tries it. */
  operation: string;
}
