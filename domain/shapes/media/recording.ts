/** Recordings: the media that is kept of a run, by a Record Destination or begun on air. */
import { z } from 'zod/v3';
import { instantField, reference, stampFields } from '../../base/schema.ts';

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

/** One row for each run and Record Destination, and for each recording that was begun on air; callers see a part of it. */
export interface Recording {
  id: number;
  created_at: string;
  updated_at: string;
  name: string;
  livestreamId: number;
  livestream_name: string;
  /** A recording that was begun on air has minus its number within the run, and callers see null. */
  publishingId: number;
  runId: string;
  /** The Device whose disk has the files. */
  deviceId: number;
  status: RecordingStatus;
  /** Why it has failed, waits to become one file, or stays in several; null when there is nothing to say. */
  errorstatus: string | null;
  container: 'mp4' | 'ts';
  started_at: string;
  /** null while it is being written. */
  ended_at: string | null;
  duration_seconds: number;
  size_bytes: number;
  /** Number of files: parts while it is written, usually one once it is finished. */
  files: number;
  /** Names of the Encodings in it, best first. */
  qualities: string[];
  tracks: RecordingTrack[];
  /** Remote Folder of the backup before deletion; null for none. */
  remotefolder: number | null;
  /** Days after its end until it is deleted; null for never. */
  delete_after: number | null;
  backup: RecordingBackup | null;
  /** Left out while nothing of it is in the bucket. */
  objects?: RecordingObjects | undefined;
  /** The run in which it goes on, because its own began anew elsewhere: both become one in the bucket. */
  goes_on?: string | undefined;
}

/** The media of a Recording in the bucket of ONAIR_MEDIA. */
export interface RecordingObjects {
  /** Files that its Device still has, in whole pieces of one size, as far as they were sent. */
  parts: RecordingPieces[];
  /** All of it, in the order of its files. Nothing has to be on its Device then. Left out before. */
  whole?: { key: string; bytes: number }[] | undefined;
  /** Seconds of its own run that were made whole from pieces: its Device may have more. */
  recovered?: number | undefined;
  /** Other runs whose files are among those of `whole`. */
  runs?: string[] | undefined;
  /** Its Device has come back without it: what is in the bucket is all of it. */
  isLost?: true | undefined;
}

export interface RecordingPieces {
  /** The name of the file on its Device. */
  name: string;
  /** Pieces that are there, from the first byte on. */
  pieces: number;
  /** Bytes behind them that are there in an object of their own, which a longer one replaces. */
  tail: number;
}

export interface RecordingBackup {
  state: 'waiting' | 'verified';
  attempts: number;
  /** Instant of the next attempt; null when none is due. */
  next_at: string | null;
  /** Why the last attempt failed. */
  error: string | null;
  verified_at: string | null;
  /** Names in the Remote Folder. */
  files: string[];
}

/** Identifies a Recording on every Device. */
export type RecordingKey = Pick<Recording, 'livestreamId' | 'runId' | 'publishingId'>;

/** Whether it was begun on air, without a Record Destination. */
export function isTake({ publishingId }: Pick<RecordingKey, 'publishingId'>): boolean {
  return publishingId < 0;
}

/** File names tell the Recordings of one run apart by it: the id of the Destination, or `r` and the number. */
export function recordingWord({ publishingId }: Pick<RecordingKey, 'publishingId'>): string {
  return isTake({ publishingId }) ? `r${-publishingId}` : String(publishingId);
}

/** The id of its Destination as callers see it. */
export function destinationOf(key: Pick<RecordingKey, 'publishingId'>): number | null {
  return isTake(key) ? null : key.publishingId;
}

/** A Recording in the account of its Device. */
export interface HeldRecording extends RecordingKey {
  /** joining: its run is over, and its parts wait to become one file, or are about to; failed: nothing of it can be read. */
  state: 'recording' | 'joining' | 'finished' | 'failed';
  /** Why parts wait or stay, or cannot be read. */
  reason: string | null;
  container: Recording['container'];
  started_at: string;
  /** Instant at which the last of it was written. */
  ended_at: string;
  /** null before it is finished, when it is not known. */
  duration_seconds: number | null;
  size_bytes: number;
  /** Number of its files. */
  files: number;
  /** Empty before it is finished. */
  tracks: RecordingTrack[];
}

/** The media of a Recording as files of this machine, in their order: one when it is finished, one a part while it is written. */
export interface OpenRecording {
  files: string[];
  /** Removes files that were brought here only to be read. Safe to call twice. */
  release(): Promise<void>;
}

/** The port to the media of Recordings. */
export interface RecordingFiles {
  /**
   * Brings it to this machine when its Device is another one. `progress` gets bytes. Rejects with AppError: not_found (the Device has lost
   * it), unavailable, timeout.
   */
  open(
    recording: Readonly<Recording>,
    signal: AbortSignal,
    progress?: (done: number, total: number) => void,
  ): Promise<OpenRecording>;
  /** A missing Recording counts as removed. Rejects with AppError unavailable. */
  remove(recording: Readonly<Recording>): Promise<void>;
  /** An address at which anybody gets the file of this number, from 1, for so long; undefined where it is on its Device. */
  linkTo(recording: Readonly<Recording>, part: number, seconds: number): Promise<string | undefined>;
  /**
   * Makes the Recording of a lost Device whole from its pieces in the bucket. Resolves with whether there was anything to do. Rejects with
   * AppError unavailable, and with Error when the pieces cannot be made a file.
   */
  recover(recording: Readonly<Recording>, signal: AbortSignal): Promise<boolean>;
}

export const recordingTrackOutput = z
  .object({
    trackId: z.number().int().describe('From 1, in the order of the file.'),
    kind: z.enum(['video', 'audio']).describe('Picture or sound.'),
    codec: z.string().describe('Codec as an Encoding names it.'),
    language: z.string().nullable().describe('ISO 639-2; null: not told.'),
    bitrate_kbps: z.number().nullable().describe('Mean rate in kbit/s; null: not told.'),
    width: z.number().int().nullable().describe('Pixels; null for sound.'),
    height: z.number().int().nullable().describe('Pixels; null for sound.'),
  })
  .strict();

const backupOutput = z
  .object({
    state: z.enum(['waiting', 'verified']).describe('verified: it lies in the Remote Folder and was read back.'),
    attempts: z.number().int().describe('Attempts so far.'),
    next_at: instantField.nullable().describe('Next attempt; null: none is due.'),
    error: z.string().nullable().describe('Why the last attempt failed.'),
    verified_at: instantField.nullable().describe('When it was read back.'),
    files: z.array(z.string()).describe('Names in the Remote Folder.'),
  })
  .strict();

export const recordingObjectsField = z
  .object({
    parts: z.array(z.object({ name: z.string(), pieces: z.number().int(), tail: z.number().int() }).strict()),
    whole: z.array(z.object({ key: z.string(), bytes: z.number().int() }).strict()).optional(),
    recovered: z.number().optional(),
    runs: z.array(z.string()).optional(),
    isLost: z.literal(true).optional(),
  })
  .strict();

export const recordingOutput = z
  .object({
    ...stampFields,
    name: z.string().describe('Live stream, time of its beginning in UTC, Destination.'),
    livestreamId: reference('Live stream'),
    livestream_name: z.string().describe('Name of the Live stream at that time.'),
    publishingId: reference('Publishing').nullable().describe('Record Destination; null: begun on air.'),
    deviceId: reference('Device that holds it'),
    status: z.enum(RECORDING_STATUSES).describe('recording: still written; failed: its media is lost.'),
    errorstatus: z.string().nullable().describe('Why it has failed, waits, or stays in several files; null otherwise.'),
    container: z.enum(['mp4', 'ts']).describe('File format.'),
    started_at: instantField.describe('When its first media was written.'),
    ended_at: instantField.nullable().describe('null while it is still written.'),
    duration_seconds: z.number().describe('Length of its media in seconds.'),
    size_bytes: z.number().int().describe('Size of its media in bytes.'),
    files: z.number().int().describe('Files it consists of: one as a rule, once it is finished.'),
    qualities: z.array(z.string()).describe('Names of its Encodings, best first.'),
    tracks: z.array(recordingTrackOutput).describe('As ordered while it is written, as found once it is finished.'),
    remotefolder: z.number().int().nullable().describe('Remote Folder for the backup.'),
    delete_after: z.number().int().nullable().describe('Days after its end until it is deleted; null: never.'),
    backup: backupOutput.nullable().describe('How the backup stands; null: none is due yet.'),
    bucket_bytes: z.number().int().describe('Bytes of it in the bucket of ONAIR_MEDIA.'),
  })
  .strict()
  .describe('Recording: what is kept of one run.');
