/** Join tokens and what they let in, as steps of a commit. */
import { MAX_GROUP_DEVICES } from '../../shapes/devices/device-group.ts';
import type { Device } from '../../shapes/devices/device.ts';
import type { JoiningMachine } from '../../ports/dial-in.ts';
import { AppError, ruleViolated } from '../../base/errors.ts';
import type { JoinToken } from '../../shapes/devices/join-token.ts';
import { assertRules } from '../rows/references.ts';
import { called } from '../../base/sentence.ts';
import type { Tx, View } from '../../ports/store.ts';
import { pairedDevice } from './device.ts';

/** Throws AppError rule_violated unless Devices of the type can become members of the group. */
export function assertJoinGroup(view: View, idEncoderGroup: number | null, type: Device['type']): void {
  if (idEncoderGroup === null) return;
  const group = view.get('deviceGroups', idEncoderGroup);
  const issue = (code: string, message: string): void => assertRules([{ field: 'idEncoderGroup', code, message }]);
  if (group === undefined) return issue('not_found', `there is no Device group ${idEncoderGroup}`);
  const other = view.get('devices', group.devices[0] ?? 0);
  if (other !== undefined && other.type !== type)
    issue('group_type', `${called('Device group', group)} holds Devices of type ${other.type}`);
}

/** Tokens that let nobody in any more are kept for this time, so that a machine hears why. */
const KEPT_MS = 30 * 86_400_000;

export function removeOldJoinTokens(tx: Tx, nowMs: number): void {
  for (const { id, expires_at } of tx.find('joinTokens', {}).rows)
    if (Date.parse(expires_at) + KEPT_MS < nowMs) tx.delete('joinTokens', id);
}

export interface JoinOrder {
  kid: string;
  machine: JoiningMachine;
  /** The key that a new Device gets. */
  key: string;
  now: string;
}

/**
 * Answers the row of the Device and its key. A machine whose answer was lost joins again with the same token as the same Device, which
 * counts once. Throws AppError rule_violated when the token lets it not in.
 */
export function joinDevice(tx: Tx, { kid, machine, key, now }: JoinOrder): { device: Readonly<Device>; key: string } {
  const [token] = tx.find('joinTokens', { where: { kid }, limit: 1 }).rows;
  const present = tx.find('devices', {}).rows.find(({ machine_id }) => machine_id === machine.machineId);
  if (token === undefined || token.revoked_at !== null) throw refused('revoked', 'The join token was revoked.');
  if (token.expires_at <= now) throw refused('expired', `The join token expired at ${token.expires_at}.`);
  if (present?.join_kid === kid && present.link_key !== undefined) return { device: present, key: present.link_key };
  if (token.used >= token.max_uses)
    throw refused('used_up', `The join token is used up: ${token.used} of ${token.max_uses} Devices have joined.`);
  tx.put('joinTokens', { ...token, used: token.used + 1, updated_at: now });
  const device =
    present === undefined ? newDevice(tx, token, machine, key, now) : takenBack(tx, present, kid, key, now);
  joinGroup(tx, token, device);
  return { device, key };
}

function newDevice(tx: Tx, token: JoinToken, machine: JoiningMachine, key: string, now: string): Readonly<Device> {
  const fields = { name: freeName(tx, machine.name), ip_address: machine.address, type: token.type };
  const joined = { dials_in: true, machine_id: machine.machineId, join_kid: token.kid };
  return tx.insert('devices', { ...pairedDevice(fields, key, now), ...joined });
}

/** A machine that has lost its pairing comes back with another token: its Live streams go on being ordered there. */
function takenBack(tx: Tx, present: Readonly<Device>, kid: string, key: string, now: string): Readonly<Device> {
  const row = { ...present, link_key: key, dials_in: true, join_kid: kid, updated_at: now };
  tx.put('devices', row);
  return row;
}

function joinGroup(tx: Tx, { idEncoderGroup }: JoinToken, device: Readonly<Device>): void {
  if (idEncoderGroup === null) return;
  const group = tx.get('deviceGroups', idEncoderGroup);
  if (group === undefined) throw refused('group_missing', `Device group ${idEncoderGroup} of the join token is gone.`);
  if (group.devices.includes(device.id)) return;
  assertJoinGroup(tx, idEncoderGroup, device.type);
  if (group.devices.length >= MAX_GROUP_DEVICES)
    throw refused('group_full', `${called('Device group', group)} holds ${group.devices.length} Devices already.`);
  tx.put('deviceGroups', { ...group, devices: [...group.devices, device.id], updated_at: device.updated_at });
}

/** Host names are often alike: "encoder", "encoder 2" … */
function freeName(view: View, hostName: string): string {
  const base = hostName.trim().slice(0, 90) || 'Device';
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? base : `${base} ${number}`;
    if (view.find('devices', { where: { name }, limit: 1 }).total === 0) return name;
  }
}

function refused(code: string, message: string): AppError {
  const { extras, message: detail } = ruleViolated(message, [{ field: 'token', code, message }]);
  return new AppError('rule_violated', detail, {
    ...extras,
    remedy: 'Make a new one with createJoinToken, and join with it.',
  });
}
