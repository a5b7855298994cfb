/** Access to the media of Recordings, which lie on the Devices that wrote them. */
import { AppError, notFound } from '../../domain/errors.ts';
import type { DeviceRecordings } from '../../domain/device-link.ts';
import type { Recording, RecordingFiles } from '../../domain/recording.ts';
import type { DeviceRegistry } from '../device-registry.ts';

/** `isDevice` answers whether the Device still has a row; files on a deleted Device are out of reach for good. */
export function recordingFiles(registry: DeviceRegistry, isDevice: (deviceId: number) => boolean): RecordingFiles {
  function heldBy({ deviceId }: Readonly<Recording>): DeviceRecordings {
    const recordings = registry.get(deviceId)?.link.recordings;
    if (recordings === undefined)
      throw new AppError('unavailable', `Device ${deviceId}, which holds the Recording, is not connected.`);
    return recordings;
  }
  return {
    async open(recording, signal, progress) {
      if (!isDevice(recording.deviceId)) throw notFound('Device', recording.deviceId);
      return heldBy(recording).open(recording, signal, progress);
    },
    async remove(recording) {
      if (isDevice(recording.deviceId)) await heldBy(recording).remove(recording);
    },
  };
}
