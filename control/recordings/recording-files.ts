/** Access to the media of Recordings, which lie on the Devices that wrote them, or in the bucket of ONAIR_MEDIA. */
import { AppError, notFound } from '../../domain/base/errors.ts';
import { calledAmong } from '../../domain/base/sentence.ts';
import type { DeviceRecordings } from '../../domain/ports/device-link.ts';
import type { RecordingMedia } from '../../domain/ports/recording-media.ts';
import type { Store } from '../../domain/ports/store.ts';
import { downloadName, mediaType } from '../../domain/rules/media/recording.ts';
import { keysOfPieces } from '../../domain/rules/media/recording-objects.ts';
import type { Device } from '../../domain/shapes/devices/device.ts';
import type { Recording, RecordingFiles } from '../../domain/shapes/media/recording.ts';
import type { Clock } from '../../domain/time/clock.ts';
import type { DeviceRegistry } from '../device-registry.ts';
import { recoverLost } from './recover-lost.ts';

export interface RecordingFilesDeps {
  store: Store;
  clock: Clock;
  registry: DeviceRegistry;
  /** Those that still have a row; files on a deleted Device are out of reach for good. */
  devices: ReadonlyMap<number, Readonly<Device>>;
  /** Left out: there is no bucket. */
  media: RecordingMedia | undefined;
}

export function recordingFiles({ store, clock, registry, devices, media }: RecordingFilesDeps): RecordingFiles {
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
      if (recording.objects?.whole !== undefined) return bucketOf(media).open(recording, signal, progress);
      if (!devices.has(recording.deviceId)) throw notFound('Device', recording.deviceId);
      return heldBy(recording).open(recording, signal, progress);
    },
    async remove(recording) {
      const { objects, deviceId } = recording;
      const bucket = objects && bucketOf(media).bucket;
      // A Device that is away may have left files of a Recording that is whole in the bucket.
      const isNeeded = objects?.whole === undefined;
      if (devices.has(deviceId) && (isNeeded || registry.isOnline(deviceId))) await heldBy(recording).remove(recording);
      if (bucket === undefined) return;
      const whole = (objects?.whole ?? []).map(({ key }) => key);
      for (const key of [...whole, ...keysOfPieces(recording, objects!)]) await bucket.remove(key);
    },
    async linkTo(recording, part, seconds) {
      const object = recording.objects?.whole?.[part - 1];
      if (object === undefined) return undefined;
      const answer = { filename: downloadName(recording, part), contentType: mediaType(recording) };
      return bucketOf(media).bucket.linkTo(object.key, seconds, answer);
    },
    async recover(recording, signal) {
      return media !== undefined && recoverLost({ store, clock, media }, recording.id, signal);
    },
  };
}

function bucketOf(media: RecordingMedia | undefined): RecordingMedia {
  if (media !== undefined) return media;
  throw new AppError('unavailable', 'The Recording is in a bucket, and this server has none.', {
    remedy: 'Set ONAIR_MEDIA to the bucket that it had when the Recording was made.',
  });
}
