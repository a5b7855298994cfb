/** One attempt to back a Recording up, and the stored outcome of it. */
import { toIso } from '../domain/time/clock.ts';
import { AppError, notFound } from '../domain/base/errors.ts';
import type { RemoteFolder } from '../domain/shapes/media/folder.ts';
import type { SentFile } from '../domain/shapes/installation/integrations.ts';
import { destinationOf, type Recording, type RecordingBackup } from '../domain/shapes/media/recording.ts';
import { addEvent } from '../domain/rules/rows/event-log.ts';
import { backupName, backupRetryMs, mediaEnding, NO_BACKUP, sidecarOf } from '../domain/shapes/media/retention.ts';
import type { Tx } from '../domain/ports/store.ts';
import type { SchedulerDeps } from './task.ts';

export type BackupDeps = Pick<SchedulerDeps, 'store' | 'clock' | 'log'> & {
  control: Pick<SchedulerDeps['control'], 'recordings'>;
  integrations: Pick<SchedulerDeps['integrations'], 'backUp'>;
};

interface SentBackup {
  folder: Readonly<RemoteFolder>;
  files: SentFile[];
}

/** Rejects only when the outcome could not be stored. */
export async function backUpRecording(deps: BackupDeps, row: Readonly<Recording>, signal: AbortSignal): Promise<void> {
  const { store, clock, log } = deps;
  let backup: SentBackup;
  try {
    backup = await send(deps, row, signal);
  } catch (error) {
    // The service is ending; the next one begins the backup anew.
    if (signal.aborted) return;
    log.warn({ err: error, recordingId: row.id }, 'A Recording could not be backed up.');
    const reason = error instanceof AppError ? error : new AppError('internal', 'The server failed to back it up.');
    await store.tx((tx) => noteFailure(tx, clock.now(), row.id, reason));
    return;
  }
  await store.tx((tx) => noteBackup(tx, clock.now(), row.id, backup));
}

/** Sends the media first and then the sidecar: where a sidecar lies, the backup is complete. */
async function send(
  { store, control, integrations }: BackupDeps,
  row: Readonly<Recording>,
  signal: AbortSignal,
): Promise<SentBackup> {
  const folder = await store.tx((tx) => folderOf(tx, row));
  const opened = await control.recordings.open(row, signal);
  try {
    const files: SentFile[] = [];
    for (const [index, path] of opened.files.entries()) {
      const name = backupName(row, mediaEnding(row, index + 1, opened.files.length));
      files.push(await integrations.backUp(folder, { name, path }, signal));
    }
    const sidecar = { name: backupName(row, '.json'), text: sidecarOf(row, files) };
    files.push(await integrations.backUp(folder, sidecar, signal));
    return { folder, files };
  } finally {
    await opened.release();
  }
}

/** Answers the Recording's folder or, when that was deleted, the present one of its Destination. Throws AppError not_found. */
function folderOf(tx: Tx, { remotefolder, publishingId }: Readonly<Recording>): Readonly<RemoteFolder> {
  const present = tx.get('publishings', publishingId)?.settings.remotefolder;
  const folders = [remotefolder, present].flatMap((id) => (id == null ? [] : (tx.get('remoteFolders', id) ?? [])));
  if (folders[0] !== undefined) return folders[0];
  throw notFound('Remote Folder', remotefolder ?? 0);
}

function noteBackup(tx: Tx, nowMs: number, id: number, { folder, files }: SentBackup): void {
  const row = tx.get('recordings', id);
  if (row === undefined) return;
  const now = toIso(nowMs);
  const names = files.map(({ name }) => name);
  const attempts = (row.backup?.attempts ?? 0) + 1;
  const backup: RecordingBackup = { ...NO_BACKUP, state: 'verified', attempts, verified_at: now, files: names };
  tx.put('recordings', { ...row, backup, updated_at: now });
  const message = `Recording "${row.name}" was backed up to "${folder.name}" and read back: ${names.join(', ')}.`;
  const facts = { recordingId: id, publishingId: destinationOf(row), folderId: folder.id, files };
  addEvent(tx, now, row.livestreamId, { kind: 'recording_backed_up', severity: 'info', message, data: facts });
}

/** Writes one event for each reason, not for each attempt that fails for it. */
function noteFailure(tx: Tx, nowMs: number, id: number, reason: AppError): void {
  const row = tx.get('recordings', id);
  if (row === undefined) return;
  const now = toIso(nowMs);
  const attempts = (row.backup?.attempts ?? 0) + 1;
  const next_at = toIso(nowMs + backupRetryMs(attempts));
  const backup: RecordingBackup = { ...NO_BACKUP, attempts, next_at, error: reason.message };
  tx.put('recordings', { ...row, backup, updated_at: now });
  if (row.backup?.error === reason.message) return;
  const message = `Recording "${row.name}" is kept: it could not be backed up. ${reason.message}`;
  const facts = { recordingId: id, publishingId: destinationOf(row), folderId: row.remotefolder, code: reason.code };
  const { upstream } = reason.extras;
  const data = { ...facts, reason: reason.message, next_at, ...(upstream !== undefined && { upstream }) };
  addEvent(tx, now, row.livestreamId, { kind: 'recording_backup_failed', severity: 'error', message, data });
}
