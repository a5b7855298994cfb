/** On which Device a start runs: the least loaded one of its pool that can carry it, or what speaks against each. */
import { ADMISSION_SHARE } from '../domain/capacity.ts';
import type { StartReason, StartRefusal, StartRequest } from '../domain/control.ts';
import type { Capabilities, Device } from '../domain/device.ts';
import type { Livestream } from '../domain/livestream.ts';
import type { View } from '../domain/store.ts';
import type { Bindings } from './bindings.ts';

export interface Placement {
  deviceId: number;
  cost: number;
  /** Lowest free input slot, from 1. */
  slot: number;
}

export type Placed = { placement: Placement } | { reason: StartReason };
type Online = (deviceId: number) => boolean;

export function place(
  view: View,
  isOnline: Online,
  livestream: Readonly<Livestream>,
  request: StartRequest,
  bindings: Bindings,
  cost: number,
): Placed {
  const pool = poolOf(view, livestream, request);
  if ('code' in pool) return { reason: pool };
  const judged = pool.devices.map((device) => ({ device, against: judge(view, isOnline, device, bindings, cost) }));
  const able = judged.filter(({ against }) => against === undefined).map(({ device }) => device);
  const [best] = able.sort((a, b) => loadOf(view, a) - loadOf(view, b) || freeCores(view, b) - freeCores(view, a));
  if (best !== undefined) return { placement: { deviceId: best.id, cost, slot: freeSlot(view, best.id) } };
  return { reason: refusalOf(pool.name, judged) };
}

interface Pool {
  /** As a refusal names it; empty: all Devices. */
  name: string;
  devices: readonly Readonly<Device>[];
}

/** The request decides; what it leaves open, the Live stream's own pin or group does. */
function poolOf(view: View, livestream: Readonly<Livestream>, request: StartRequest): Pool | StartReason {
  const pinned = request.deviceId ?? (request.idEncoderGroup == null ? livestream.deviceId : null);
  const grouped = request.idEncoderGroup ?? (pinned === null ? livestream.idEncoderGroup : null);
  const group = grouped === null ? undefined : view.get('deviceGroups', grouped);
  const device = pinned === null ? undefined : view.get('devices', pinned);
  if (grouped !== null && group === undefined) return noDevice(`Device group ${grouped} does not exist.`);
  if (pinned !== null && device === undefined) return noDevice(`Device ${pinned} does not exist; see getAllDevices.`);
  if (device !== undefined && group !== undefined && !group.devices.includes(device.id))
    return noDevice(`Device ${device.id} is not in Device group ${group.id} "${group.name}".`);
  if (device !== undefined) return { name: '', devices: [device] };
  if (group === undefined) return { name: '', devices: view.find('devices', {}).rows };
  const devices = group.devices.flatMap((id) => view.get('devices', id) ?? []);
  if (devices.length === 0)
    return noDevice(`Device group ${group.id} "${group.name}" is empty; add Devices with updateDeviceGroup.`);
  return { name: `of Device group ${group.id} "${group.name}"`, devices };
}

function noDevice(message: string): StartReason {
  return { code: 'no_device', message };
}

/** `why` goes on after the Device's name. */
interface Against {
  code: Extract<StartRefusal, 'no_device' | 'unsupported' | 'no_capacity'>;
  why: string;
}

function judge(
  view: View,
  isOnline: Online,
  device: Readonly<Device>,
  bindings: Bindings,
  cost: number,
): Against | undefined {
  if (!device.enabled) return { code: 'no_device', why: 'is disabled' };
  if (!isOnline(device.id)) return { code: 'no_device', why: 'is offline' };
  const { channel } = bindings;
  const card = channel?.type === 'SDI' || channel?.type === 'AES/EBU' ? channel.settings.deviceId : undefined;
  if (card !== undefined && card !== device.id)
    return { code: 'no_device', why: `has not the input of Channel ${channel?.name}, which is on Device ${card}` };
  const lack = lackOf(device.capabilities, bindings);
  if (lack !== undefined) return { code: 'unsupported', why: lack };
  const cores = freeCores(view, device);
  if (cores < cost)
    return { code: 'no_capacity', why: `has ${cores.toFixed(2)} of the about ${cost.toFixed(2)} cores free` };
  return undefined;
}

/** The code is that of the Devices that came furthest; the message tells of each. */
function refusalOf(
  pool: string,
  judged: readonly { device: Readonly<Device>; against: Against | undefined }[],
): StartReason {
  const codes = judged.map(({ against }) => against?.code);
  const code = (['no_capacity', 'unsupported'] as const).find((candidate) => codes.includes(candidate)) ?? 'no_device';
  const told = judged
    .map(({ device, against }) => `Device ${device.id} "${device.name}" ${against?.why ?? ''}.`)
    .join(' ');
  if (judged.length === 1 && pool === '') return { code, message: told };
  if (pool !== '') return { code, message: `No Device ${pool} can take this Live stream. ${told}` };
  const remedy = code === 'no_device' ? ' The command `onair device` starts the agent of this machine.' : '';
  return { code, message: `No Device can take this Live stream.${told === '' ? '' : ` ${told}`}${remedy}` };
}

/** What the Device cannot do of what the Live stream asks, in words; undefined when nothing is missing. */
function lackOf(capabilities: Capabilities | null, { channel, encodings, publishings }: Bindings): string | undefined {
  if (capabilities === null) return 'has not told what it can do yet (retry in a moment)';
  // Named as the Device's own list of what it lacks names them.
  const needs: [string, boolean][] = [
    ...(channel === undefined ? [] : [need(`Channel ${channel.type}`, capabilities.inputs, channel.type)]),
    ...publishings.map(({ type }) => need(`Publishing ${type}`, capabilities.outputs, type)),
    ...encodings.flatMap(({ settings_video: video, settings_audio: audio }) => [
      ...(video.active ? [need(`video ${video.codec}`, [...capabilities.video_encoders, 'copy'], video.codec)] : []),
      ...(audio.active ? [need(`audio ${audio.codec}`, [...capabilities.audio_encoders, 'copy'], audio.codec)] : []),
    ]),
  ];
  const lacking = [...new Set(needs.filter(([, able]) => !able).map(([feature]) => feature))];
  if (lacking.length === 0) return undefined;
  const remedies = capabilities.missing
    .filter(({ feature }) => lacking.includes(feature))
    .map(({ feature, needs: what }) => `${feature} needs ${what}`);
  return `cannot do ${lacking.join(', ')}${remedies.length > 0 ? `: ${remedies.join('; ')}` : ''}`;
}

function need(feature: string, able: readonly string[], wanted: string): [string, boolean] {
  return [feature, able.includes(wanted)];
}

function promisedCores(view: Pick<View, 'find'>, deviceId: number): number {
  const { rows } = view.find('runs', { where: { deviceId, status: { in: [1, 2] } } });
  return rows.reduce((sum, run) => sum + run.cost, 0);
}

/** Cores that may still be promised; reserved by starting and running Live streams alike. */
export function freeCores(view: Pick<View, 'find'>, device: Readonly<Device>): number {
  return device.cores * ADMISSION_SHARE - promisedCores(view, device.id);
}

/** Share of what may be promised that is promised. */
function loadOf(view: View, device: Readonly<Device>): number {
  return promisedCores(view, device.id) / (device.cores * ADMISSION_SHARE);
}

function freeSlot(view: View, deviceId: number): number {
  const { rows } = view.find('runs', { where: { deviceId, status: { in: [1, 2] } } });
  const taken = new Set(rows.map((run) => run.slot));
  let slot = 1;
  while (taken.has(slot)) slot += 1;
  return slot;
}
