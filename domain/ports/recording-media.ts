/** The bucket of ONAIR_MEDIA as the place where Recordings are kept. */
import type { OpenRecording, Recording, RecordingTrack } from '../shapes/media/recording.ts';
import type { MediaBucket } from './media-bucket.ts';

/** A Recording that was made whole from its pieces. */
export interface RecoveredRecording {
  /** Its objects, in the order of its files. */
  whole: { key: string; bytes: number }[];
  duration_seconds: number;
  tracks: RecordingTrack[];
  /** Why it stays in several files, or what could not be read of it; null for nothing. */
  reason: string | null;
}

export interface RecordingMedia {
  readonly bucket: MediaBucket;
  /** Whether Recordings are sent there; those that are there stay readable. */
  readonly takes: boolean;
  /** Brings a Recording that is whole in the bucket to this machine. Rejects with AppError not_found, unavailable, upstream_failed. */
  open(
    recording: Readonly<Recording>,
    signal: AbortSignal,
    progress?: (done: number, total: number) => void,
  ): Promise<OpenRecording>;
  /**
   * Brings the pieces here, cuts off what is torn, makes them one file and sends that. Resolves with undefined when there is no media in
   * them. Rejects like `open`, and with Error when ffmpeg fails.
   */
  recover(recording: Readonly<Recording>, signal: AbortSignal): Promise<RecoveredRecording | undefined>;
}
