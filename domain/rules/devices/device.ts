import { z } from 'zod/v3';
import type { Control } from '../../ports/control.ts';
import {
  deviceCreate,
  deviceOutput,
  type deviceLiveStatus,
  type deviceSummary,
  type Device,
  type Drain,
  type DeviceView,
} from '../../shapes/devices/device.ts';
import { AppError, invalidInput, type FieldIssue } from '../../base/errors.ts';
import type { Livestream } from '../../shapes/broadcasts/livestream.ts';
import type { ResourceUser } from '../../ports/resource.ts';
import type { PairingCredentials } from '../../ports/device-link.ts';
import type { Run } from '../../shapes/broadcasts/run.ts';
import { mergePatch } from '../../base/schema.ts';
import type { View } from '../../ports/store.ts';
import { assertRules } from '../rows/references.ts';
import { actionUsers, distinctUsers, livestreamUsers, placeUsers } from '../rows/resource-users.ts';
import { called } from '../../base/sentence.ts';

export const DEVICE = { collection: 'devices', noun: 'Device' } as const;

export const deviceFilters = {
  type: deviceCreate.type.removeDefault().optional().describe('Only Devices of this type.'),
  enabled: z.boolean().optional().describe('Only those enabled, or not.'),
};
export const deviceShortFields = ['id', 'name', 'type', 'enabled', 'online', 'slots', 'load', 'location'] as const;

/** The specification calls the name of a Device its alias, so either is accepted and both are answered. */
export const deviceNameFields = {
  name: deviceCreate.name.optional().describe('Name (alias), 1-100 characters, unique.'),
  alias: deviceCreate.name.optional().describe('The same as name; send one of them.'),
};
export const registerFields = {
  register_username: z.string().trim().min(1).max(100).describe('One-time user name that the agent shows.'),
  register_password: z.string().trim().min(1).max(100).describe('One-time password that the agent shows; not stored.'),
};

type States = Pick<Control, 'deviceState'>;
type Fields = Partial<Pick<Device, keyof typeof deviceCreate>>;

/** The declared fields of the stored row, with the facts that only the running service knows. */
export function presentDevice(device: Readonly<Device>, control: States): DeviceView {
  const shown = Object.entries(device).filter(([name]) => name in deviceOutput.shape);
  const row = Object.fromEntries(shown) as Omit<Device, 'drain'>;
  return {
    ...row,
    drain: shownDrain(device.drain),
    encoding_factor: device.encoding_trial?.factor ?? null,
    alias: row.name,
    ...control.deviceState(row.id),
  };
}

function shownDrain(drain: Drain | undefined): DeviceView['drain'] {
  if (drain === undefined) return null;
  return drain.ended_at === null ? 'under_way' : 'ended';
}

/** Throws AppError invalid_input when name and alias differ. */
export function withName<T extends { name?: string | undefined; alias?: string | undefined }>({
  alias,
  ...fields
}: T): Omit<T, 'alias'> {
  if (alias === undefined || fields.name === alias) return fields;
  if (fields.name === undefined) return { ...fields, name: alias };
  throw invalidInput([{ field: 'alias', code: 'exclusive', message: 'is the same as name; send one of them' }]);
}

/** Undefined when neither was sent. Throws AppError invalid_input when one is missing. */
export function credentialsOf(
  sent: Partial<Record<keyof PairingCredentials, string | undefined>>,
): PairingCredentials | undefined {
  const { register_username, register_password } = sent;
  if (register_username === undefined && register_password === undefined) return undefined;
  if (register_username !== undefined && register_password !== undefined)
    return { register_username, register_password };
  const field = register_username === undefined ? 'register_username' : 'register_password';
  throw invalidInput([
    { field, code: 'required', message: 'is required to pair: both credentials that the agent shows' },
  ]);
}

/** Row of a newly paired Device, which reports its capabilities once it is connected. */
export function pairedDevice(
  fields: Fields & Pick<Device, 'name' | 'ip_address'>,
  key: string,
  now: string,
): Omit<Device, 'id'> {
  const shape = z.object(deviceCreate).parse(fields);
  return {
    created_at: now,
    updated_at: now,
    ...shape,
    licensed: { channels: null, outputs: null, publishing_points: null },
    capabilities: null,
    media_url: null,
    local: false,
    cores: 0,
    link_key: key,
  };
}

/** The row after an update. `key` belongs to a new pairing; facts of the former machine are forgotten then. */
export function changedDevice(present: Readonly<Device>, patch: Fields, key: string | undefined, now: string): Device {
  const { drain, ...merged } = mergePatch(present, patch);
  // Who takes it into use again wants nothing moved away.
  const row = { ...merged, ...(drain !== undefined && patch.enabled !== true && { drain }), updated_at: now };
  if (key === undefined) return row;
  const { dials_in: _dials, machine_id: _machine, join_kid: _kid, ...others } = row;
  const { encoding_trial: _trial, other_load: _load, storage_states: _states, ...called } = others;
  return { ...called, link_key: key, capabilities: null };
}

/** Throws AppError conflict; called before a pairing that could not be stored. */
export function assertNameFree(view: View, name: string, ownId?: number): void {
  const [other] = view.find('devices', { where: { name }, limit: 1 }).rows;
  if (other === undefined || other.id === ownId) return;
  throw new AppError('conflict', `Device ${other.id} has the name ${JSON.stringify(name)} already; choose another.`, {
    facts: { field: 'name', value: name, id: other.id },
  });
}

/** Throws AppError rule_violated. `pairs` means that credentials were sent. */
export function assertChange(view: View, present: Readonly<Device>, patch: Fields, pairs: boolean): void {
  const issues: FieldIssue[] = [];
  if (present.local && patch.ip_address !== undefined && patch.ip_address !== present.ip_address)
    issues.push({
      field: 'ip_address',
      code: 'local',
      message: 'is fixed: the agent of this machine is reached directly',
    });
  if (present.local && pairs)
    issues.push({ field: 'register_username', code: 'local', message: 'the agent of this machine needs no pairing' });
  if (patch.type !== undefined && patch.type !== present.type) {
    const group = groupsOf(view, present.id).find(({ devices }) => devices.length > 1);
    if (group !== undefined) {
      const message = `${called('Device group', group)} holds other Devices of type ${present.type}; take it out of the group first`;
      issues.push({ field: 'type', code: 'group_type', message });
    }
  }
  assertRules(issues);
}

/** Throws AppError conflict for the Device of a server's machine, unless that is one of several servers and is gone. */
export function assertDeletable(device: Readonly<Device>, isOnline: boolean): void {
  if (!device.local || (device.member_id !== undefined && !isOnline)) return;
  throw new AppError(
    'conflict',
    `${called('Device', device)} is the machine of a server: it would be back at its next start. Set enabled to false to give it no Live streams.`,
  );
}

export function deviceUsers(view: View, id: number): ResourceUser[] {
  const running = placeUsers(view, { deviceId: id });
  const bound = [...livestreamUsers(view, 'deviceId', id), ...livestreamUsers(view, 'backupDeviceId', id)];
  const channels = view
    .find('channels', {})
    .rows.filter(({ deviceId, settings }) => deviceId === id || settings.deviceId === id)
    .map((channel) => ({ resource: 'Channel', id: channel.id, name: channel.name }));
  const groups = groupsOf(view, id).map((group) => ({ resource: 'Device group', id: group.id, name: group.name }));
  const planned = actionUsers(view, 'start', ({ deviceId }) => deviceId === id);
  return distinctUsers([...running, ...bound, ...channels, ...groups, ...planned]);
}

function groupsOf(view: View, id: number): { id: number; name: string; devices: number[] }[] {
  return view.find('deviceGroups', {}).rows.filter((group) => group.devices.includes(id));
}

/** `runs` are those starting or running; the slot of such a run is set. */
export function liveStatusOf(
  device: Readonly<Device>,
  control: States,
  runs: readonly Readonly<Run>[],
  livestreams: readonly Readonly<Pick<Livestream, 'id' | 'name'>>[],
): z.infer<typeof deviceLiveStatus> {
  const { online, load, slots } = control.deviceState(device.id);
  const running = runs
    .filter((run) => run.deviceId === device.id)
    .map(({ id, slot, status, since }) => {
      const name = livestreams.find((livestream) => livestream.id === id)?.name ?? '';
      return { livestreamId: id, name, slot: slot ?? 0, status, since };
    });
  return {
    deviceId: device.id,
    name: device.name,
    online,
    load,
    slots,
    livestreams: running.sort((a, b) => a.slot - b.slot),
  };
}

type Summary = z.infer<typeof deviceSummary>;
type LiveStatusRow = Summary['devices'][number] & { cores: number };

export function summaryOf(devices: readonly Readonly<Device>[], control: States, held: Summary['held']): Summary {
  const rows = devices.map(({ id, name, type, enabled, cores }): LiveStatusRow => {
    const { online, slots, load } = control.deviceState(id);
    return { deviceId: id, name, type, enabled, online, slots, load, cores };
  });
  const types = [...new Set(rows.map(({ type }) => type))].sort();
  const busiest = [...rows].sort((a, b) => b.load - a.load || a.deviceId - b.deviceId);
  return {
    ...countsOf(rows),
    enabled: rows.filter(({ enabled }) => enabled).length,
    held,
    types: types.map((type) => ({ type, ...countsOf(rows.filter((row) => row.type === type)) })),
    devices: busiest.map(({ cores: _cores, ...row }) => row),
  };
}

/** A Device that is offline or disabled takes no run, so its slots are no room and its load is no load. */
function countsOf(rows: readonly LiveStatusRow[]): Pick<Summary, 'total' | 'online' | 'slots' | 'load'> {
  const usable = rows.filter(({ online, enabled }) => online && enabled);
  const sum = (of: (row: LiveStatusRow) => number): number => usable.reduce((total, row) => total + of(row), 0);
  const cores = sum((row) => row.cores);
  return {
    total: rows.length,
    online: rows.filter(({ online }) => online).length,
    slots: {
      used: sum(({ slots }) => slots.used),
      free: sum(({ slots }) => slots.free),
      total: sum(({ slots }) => slots.total),
    },
    load: cores === 0 ? 0 : Math.round((sum((row) => row.load * row.cores) / cores) * 100) / 100,
  };
}
