/** Disks of Devices in the Prometheus text format. */
import { STORAGE_STATES, type DeviceStorage } from '../../domain/shapes/devices/device-storage.ts';
import { family, oneHot } from './exposition.ts';

export function storageFamily(devices: readonly { id: number; storage: readonly DeviceStorage[] }[]): string {
  return family(
    'onair_device_storage_state',
    'gauge',
    'State of a disk of a Device: 1 for the present one.',
    devices.flatMap(({ id, storage }) =>
      storage.flatMap(({ use, status }) => oneHot(STORAGE_STATES, status, { device: id, use })),
    ),
  );
}
