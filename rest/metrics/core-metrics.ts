/** Cores of the Devices, in the Prometheus text format. */
import type { DeviceCapacity } from '../../domain/shapes/encodings/capacity.ts';
import { family, type Sample } from './exposition.ts';

export function coreFamilies(devices: readonly { id: number; capacity: DeviceCapacity }[]): string {
  const each = (of: (capacity: DeviceCapacity) => number): Sample[] =>
    devices.map(({ id, capacity }) => ({ labels: { device: id }, value: of(capacity) }));
  return [
    family(
      'onair_device_cores',
      'gauge',
      'Cores of the Device.',
      each(({ cores }) => cores),
    ),
    family(
      'onair_device_reserved_cores',
      'gauge',
      'Cores reserved by Live streams.',
      each(({ promised }) => promised),
    ),
    family(
      'onair_device_other_cores',
      'gauge',
      'Cores that other programs take while something is on air.',
      each(({ others }) => others),
    ),
    family(
      'onair_device_free_cores',
      'gauge',
      'Cores that may still be reserved.',
      each(({ free }) => free),
    ),
  ].join('');
}
