/** Recordings: what a Record Destination keeps of one run. */
export const RECORDING_STATUSES = ['recording', 'finished', 'failed'] as const;
export type RecordingStatus = (typeof RECORDING_STATUSES)[number];

export interface RecordingTrack {
  trackId: number;
  kind: 'video' | 'audio';
  codec: string;
  language: string | null;
  bitrate_kbps: number | null;
  width: number | null;
  height: number | null;
}

/** A row; callers see less of it. One for each run and Record Destination. */
export interface Recording {
  id: number;
  created_at: string;
  updated_at: string;
  name: string;
  livestreamId: number;
  livestream_name: string;
  publishingId: number;
  runId: string;
  /** Device whose disk holds it. */
  deviceId: number;
  status: RecordingStatus;
  /** Why it has failed, waits to be made one file, or stays in several; null: nothing is to be said. */
  errorstatus: string | null;
  container: 'mp4' | 'ts';
  started_at: string;
  /** null while it is still written. */
  ended_at: string | null;
  duration_seconds: number;
  size_bytes: number;
  /** It consists of: parts while it is written, one file as a rule once it is finished. */
  files: number;
  /** Names of the Encodings in it, best first. */
  qualities: string[];
  tracks: RecordingTrack[];
  /** Remote Folder that it is backed up to before it is deleted; null: none. */
  remotefolder: number | null;
  /** Days after its end until it is deleted; null: never. */
  delete_after: number | null;
  backup: RecordingBackup | null;
}

export interface RecordingBackup {
  state: 'waiting' | 'verified';
  attempts: number;
  /** Of the next attempt; null: none is due. */
  next_at: string | null;
  /** Why the last attempt failed. */
  error: string | null;
  verified_at: string | null;
  /** Names in the Remote Folder. */
  files: string[];
}

/** Which Recording is meant, on every Device. */
export type RecordingKey = Pick<Recording, 'livestreamId' | 'runId' | 'publishingId'>;

/** A Recording as the Device that holds it tells of it. */
export interface HeldRecording extends RecordingKey {
  /** joining: its run is over, and its parts wait to become one file, or are about to; failed: nothing of it can be read. */
  state: 'recording' | 'joining' | 'finished' | 'failed';
  /** What is to be said of that state: why parts wait or stay, or cannot be read. */
  reason: string | null;
  container: Recording['container'];
  started_at: string;
  /** When the last of it was written. */
  ended_at: string;
  /** null: not known before it is finished. */
  duration_seconds: number | null;
  size_bytes: number;
  /** Files it consists of. */
  files: number;
  /** Empty before it is finished. */
  tracks: RecordingTrack[];
}

/** The media of a Recording as files of this machine, in their order: one when it is finished, one a part while it is written. */
export interface OpenRecording {
  files: string[];
  /** Removes what was only brought here to be read. Safe to call twice. */
  release(): Promise<void>;
}

/** Where the media of Recordings lie. */
export interface RecordingFiles {
  /**
   * Brings it to this machine where its Device is another one. `progress` is told bytes. Rejects with AppError: not_found (the Device
   * has lost it), unavailable, timeout.
   */
  open(
    recording: Readonly<Recording>,
    signal: AbortSignal,
    progress?: (done: number, total: number) => void,
  ): Promise<OpenRecording>;
  /** What is gone already is fine. Rejects with AppError unavailable. */
  remove(recording: Readonly<Recording>): Promise<void>;
}
