/** When a Recording is deleted, and the backup that is kept elsewhere before that. */
import type { SentFile } from '../installation/integrations.ts';
import { recordingWord, type Recording, type RecordingBackup } from './recording.ts';

const DAY_MS = 86_400_000;
const FIRST_RETRY_MS = 60_000;
const MAX_RETRY_MS = 3_600_000;

/**
 * Instant of its next step: the next backup attempt, or its deletion. Undefined when there is none, as for one that has failed before it
 * was backed up: a person has to judge what is left of it.
 */
export function dueAtMs(recording: Readonly<Recording>): number | undefined {
  const { status, ended_at, delete_after, remotefolder, backup } = recording;
  if (delete_after === null || ended_at === null || status === 'recording') return undefined;
  if (status === 'failed' && remotefolder !== null && backup?.state !== 'verified') return undefined;
  const dueMs = Date.parse(ended_at) + delete_after * DAY_MS;
  return backup?.next_at == null ? dueMs : Math.max(dueMs, Date.parse(backup.next_at));
}

export function mustBeBackedUp({ remotefolder, backup }: Readonly<Recording>): boolean {
  return remotefolder !== null && backup?.state !== 'verified';
}

/** Pause after `attempts` failures: a minute, doubled up to an hour. */
export function backupRetryMs(attempts: number): number {
  return Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(attempts - 1, 16));
}

export const NO_BACKUP: RecordingBackup = {
  state: 'waiting',
  attempts: 0,
  next_at: null,
  error: null,
  verified_at: null,
  files: [],
};

/**
 * The name is the same at each attempt and unique: several deployments may share a folder, and the run's id belongs to one. It is ASCII,
 * without characters that a protocol or a file system reads as more than a name.
 */
export function backupName(recording: Readonly<Recording>, ending: string): string {
  const { livestream_name, started_at, runId } = recording;
  const plain = livestream_name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9]+/gu, '-')
    .slice(0, 60)
    .replace(/^-|-$/gu, '');
  const when = started_at.replace(/[-:]/gu, '').slice(0, 15);
  const run = runId.replace(/[^A-Za-z0-9]/gu, '').slice(0, 12);
  return `${plain || 'recording'}-${when}Z-${run}-${recordingWord(recording)}${ending}`;
}

export function mediaEnding({ container }: Readonly<Recording>, part: number, parts: number): string {
  return parts === 1 ? `.${container}` : `-part${part}.${container}`;
}

/** Facts with which a person or a program finds the media again and checks that it is whole. */
export function sidecarOf(recording: Readonly<Recording>, media: readonly SentFile[]): string {
  const { name, livestreamId, livestream_name, publishingId, runId, started_at, ended_at, duration_seconds } =
    recording;
  const facts = {
    format: 'onair-recording',
    name,
    livestreamId,
    livestream_name,
    publishingId,
    runId,
    started_at,
    ended_at,
    duration_seconds,
    qualities: recording.qualities,
    tracks: recording.tracks,
    files: media,
  };
  return `${JSON.stringify(facts, null, 2)}\n`;
}
