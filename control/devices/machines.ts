/**
 * One machine is a Device. A copy of its folder or of its disk has the same key, so a machine that dials is asked which it is: one that comes while
 * another one is there, or that does not know what the Device's machine was told last, is refused, and people are told.
 */
import { keyIdentity } from '../../domain/shapes/sources/channel-key.ts';
import { toIso, type Clock } from '../../domain/time/clock.ts';
import type { DeviceMachine, DeviceOwner, RefusedMachine } from '../../domain/shapes/devices/device-owner.ts';
import type { Device } from '../../domain/shapes/devices/device.ts';
import type { DialledLink, DialledMachine } from '../../domain/ports/device-link.ts';
import type { Log } from '../../domain/base/log.ts';
import { noteRefused } from '../../domain/rules/devices/device-owner.ts';
import { called } from '../../domain/base/sentence.ts';
import type { Store } from '../../domain/ports/store.ts';
import type { DeviceRegistry } from '../device-registry.ts';
import type { Presence } from './presence.ts';

export interface MachinesDeps {
  store: Store;
  clock: Clock;
  log: Log;
  registry: Pick<DeviceRegistry, 'get'>;
  presence: Pick<Presence, 'isHeard'>;
}

const REMEDY =
  'One machine is one Device. If this one is to take the place of the other, switch that off, run `onair device unpair` here, and join with a ' +
  'new token. If it is to be another Device, remove its Device folder first.';

export class Machines {
  private readonly deps: MachinesDeps;

  constructor(deps: MachinesDeps) {
    this.deps = deps;
  }

  /**
   * Resolves with the machine that may be the Device from here on; with undefined when it may not, and was told so where that is certain.
   * Rejects with AppError unavailable when it does not answer.
   */
  async admitted(device: Readonly<Device>, key: string, link: DialledLink): Promise<DeviceMachine | undefined> {
    const { owner: known, ...named } = await link.machine();
    const machine: DeviceMachine = { ...named, address: link.peer, key_id: keyIdentity(key) };
    const owner = (await this.deps.store.get('deviceLinks', device.id))?.row;
    if (owner === undefined || isOtherKey(owner, machine)) return machine;
    if (known !== null && known < owner.acceptedToken) return this.refuse(device, owner, machine, 'former', link);
    // The same agent dials anew when its connection is lost, whatever its server still believes.
    const isSame = machine.agent_id !== null && machine.agent_id === owner.machine?.agent_id;
    if (isSame) return machine;
    if (await this.answers(owner)) return this.refuse(device, owner, machine, 'present', link);
    // A server that cannot be asked says that it hears the Device: it is right, or says otherwise in a moment.
    return this.deps.presence.isHeard(owner) && machine.agent_id !== null ? undefined : machine;
  }

  /** Whether it is the machine of before, and was booted since: nothing is left of what it ran. */
  async wasBooted(deviceId: number, { key_id, boot_id }: DeviceMachine): Promise<boolean> {
    const before = (await this.deps.store.get('deviceLinks', deviceId))?.row.machine;
    return before?.key_id === key_id && before.boot_id !== null && boot_id !== null && before.boot_id !== boot_id;
  }

  /** Whether the machine that is the Device now gives a sign of life. */
  private async answers(owner: Readonly<DeviceOwner>): Promise<boolean> {
    const link = this.deps.registry.get(owner.id)?.link;
    if (link === undefined || !('claim' in link)) return false;
    const { claim } = link as DialledLink;
    return claim(owner.acceptedToken).then(
      () => true,
      () => false,
    );
  }

  private async refuse(
    device: Readonly<Device>,
    owner: Readonly<DeviceOwner>,
    machine: DeviceMachine,
    reason: RefusedMachine['reason'],
    link: DialledLink,
  ): Promise<undefined> {
    const { store, clock, log } = this.deps;
    const detail = detailOf(device, owner, machine, reason);
    await store.tx((tx) => noteRefused(tx, device.id, { machine, reason, detail, now: toIso(clock.now()) }));
    log.warn({ deviceId: device.id, ...machine, reason }, detail);
    await link.refuse({ detail, remedy: REMEDY });
    return undefined;
  }
}

/** The Device was paired anew since, which is how a person says that a machine is this Device. */
function isOtherKey({ machine }: Readonly<DeviceOwner>, { key_id }: DeviceMachine): boolean {
  return machine?.key_id !== key_id;
}

function detailOf(
  device: Readonly<Device>,
  { machine: present }: Readonly<DeviceOwner>,
  machine: DeviceMachine,
  reason: RefusedMachine['reason'],
): string {
  const which = `A machine at ${machine.address}${named(machine)} has the key of ${called('Device', device)} and was refused`;
  const other = present === undefined ? '' : ` at ${present.address}${named(present)}`;
  return reason === 'present'
    ? `${which}: another machine${other} is this Device and answers. It gets no orders, and nothing runs on it.`
    : `${which}: it does not know what the machine of the Device${other} was told last, as a copy, or one that was set back, does not. It gets no orders, and nothing runs on it.`;
}

function named({ name }: Pick<DialledMachine, 'name'>): string {
  return name === null ? '' : ` ("${name}")`;
}
