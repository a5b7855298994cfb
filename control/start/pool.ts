/** The Devices that a start may be given to, by what names them: the request, else the Live stream. */
import type { StartReason, StartRequest } from '../../domain/ports/control.ts';
import type { Device } from '../../domain/shapes/devices/device.ts';
import type { Livestream } from '../../domain/shapes/broadcasts/livestream.ts';
import { called } from '../../domain/base/sentence.ts';
import type { View } from '../../domain/ports/store.ts';

export interface Pool {
  /** The pool's name in a refusal; empty for all Devices. */
  name: string;
  devices: readonly Readonly<Device>[];
}

/** The request decides; what it leaves open follows from the Live stream's own Device or group. */
export function poolOf(view: View, livestream: Readonly<Livestream>, request: StartRequest): Pool | StartReason {
  const pinned = request.deviceId ?? (request.idEncoderGroup == null ? livestream.deviceId : null);
  const grouped = request.idEncoderGroup ?? (pinned === null ? livestream.idEncoderGroup : null);
  const group = grouped === null ? undefined : view.get('deviceGroups', grouped);
  const device = pinned === null ? undefined : view.get('devices', pinned);
  if (grouped !== null && group === undefined) return noDevice(`Device group ${grouped} does not exist.`);
  if (pinned !== null && device === undefined) return noDevice(`Device ${pinned} does not exist; see getAllDevices.`);
  if (device !== undefined) return { name: '', devices: [device] };
  if (group === undefined) return { name: '', devices: view.find('devices', {}).rows };
  const devices = group.devices.flatMap((id) => view.get('devices', id) ?? []);
  if (devices.length === 0)
    return noDevice(`${called('Device group', group)} is empty; add Devices with updateDeviceGroup.`);
  return { name: `of ${called('Device group', group)}`, devices };
}

function noDevice(message: string): StartReason {
  return { code: 'no_device', message };
}
