/** Access to the media of Recordings, which lie on the Devices that wrote them. */
import { AppError, notFound } from '../../domain/base/errors.ts';
import type { Device } from '../../domain/shapes/devices/device.ts';
import type { DeviceRecordings } from '../../domain/ports/device-link.ts';
import type { Recording, RecordingFiles } from '../../domain/shapes/media/recording.ts';
import { calledAmong } from '../../domain/base/sentence.ts';
import type { DeviceRegistry } from '../device-registry.ts';

/** `devices` are those that still have a row; files on a deleted Device are out of reach for good. */
export function recordingFiles(
  registry: DeviceRegistry,
  devices: ReadonlyMap<number, Readonly<Device>>,
): RecordingFiles {
  function heldBy({ deviceId: id }: Readonly<Recording>): DeviceRecordings {
    const recordings = registry.get(id)?.link.recordings;
    if (recordings === undefined) {
      const device = calledAmong(devices, 'Device', id);
      throw new AppError('unavailable', `${device}, which holds the Recording, is not connected.`);
    }
    return recordings;
  }
  return {
    async open(recording, signal, progress) {
      if (!devices.has(recording.deviceId)) throw notFound('Device', recording.deviceId);
      return heldBy(recording).open(recording, signal, progress);
    },
    async remove(recording) {
      if (devices.has(recording.deviceId)) await heldBy(recording).remove(recording);
    },
  };
}
