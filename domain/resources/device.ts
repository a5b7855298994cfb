import { z } from 'zod/v3';
import type { Control } from '../control.ts';
import { deviceCreate, type deviceLiveStatus, type Device, type DeviceView } from '../device.ts';
import type { Livestream } from '../livestream.ts';
import type { Run } from '../run.ts';

export const deviceFilters = {
  type: deviceCreate.type.removeDefault().optional().describe('Only Devices of this type.'),
  enabled: z.boolean().optional().describe('Only those enabled, or not.'),
};
export const deviceShortFields = ['id', 'name', 'type', 'enabled', 'online', 'slots', 'load', 'location'] as const;

type States = Pick<Control, 'deviceState'>;

/** What is stored, and what only the running service knows of a Device; how the control plane reaches it stays inside. */
export function presentDevice(device: Readonly<Device>, control: States): DeviceView {
  const { media_url: _url, local: _here, cores: _cores, ...row } = device;
  return { ...row, alias: row.name, ...control.deviceState(row.id) };
}

/** `runs` are those starting or running; the slot of such a run is set. */
export function liveStatusOf(
  device: Readonly<Device>,
  control: States,
  runs: readonly Readonly<Run>[],
  livestreams: readonly Readonly<Livestream>[],
): z.infer<typeof deviceLiveStatus> {
  const { online, load, slots } = control.deviceState(device.id);
  const held = runs
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
    livestreams: held.sort((a, b) => a.slot - b.slot),
  };
}
