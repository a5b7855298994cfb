/**
 * Retention deletes a Recording when its days are over; one with a Remote Folder not before its backup there was read back and compared. No
 * failure deletes anything.
 */
import { toIso } from '../domain/time/clock.ts';
import type { Recording } from '../domain/shapes/media/recording.ts';
import { deleteRecording } from '../domain/rules/media/recording.ts';
import { dueAtMs, mustBeBackedUp } from '../domain/shapes/media/retention.ts';
import { backUpRecording, type BackupDeps } from './retention-backup.ts';
import type { SchedulerTask } from './task.ts';
import { DueQueue } from './due-queue.ts';

/** A Device that is offline, or a disk that refuses, is not tried more often. */
const DELETE_RETRY_MS = 60_000;

export class Retention implements SchedulerTask {
  private readonly deps: BackupDeps;
  private readonly dueQueue: DueQueue;
  private readonly ending = new AbortController();
  /** Recordings that wait for their turn, or have it. */
  private readonly underWay = new Set<number>();
  /** Backups run one after the other: one keeps a share and a disk busy. */
  private transfers: Promise<void> = Promise.resolve();
  private endWatch: () => void = () => undefined;

  constructor(deps: BackupDeps) {
    this.deps = deps;
    this.dueQueue = new DueQueue(deps.clock, (id) => this.take(id));
  }

  async begin(): Promise<void> {
    const { store } = this.deps;
    this.endWatch = store.onChange((changes) => {
      for (const { collection, id } of changes) {
        if (collection === 'recordings') this.inBackground(this.follow(id), id);
        else if (collection === 'remoteFolders') this.inBackground(this.tryAgain(id), id);
      }
    });
    for (const row of (await store.find('recordings', {})).rows) this.expect(row);
  }

  end(): void {
    this.ending.abort();
    this.endWatch();
    this.dueQueue.close();
  }

  private async follow(id: number): Promise<void> {
    const row = (await this.deps.store.get('recordings', id))?.row;
    if (row === undefined) this.dueQueue.delete(id);
    else this.expect(row);
  }

  private expect(row: Readonly<Recording>): void {
    const dueMs = dueAtMs(row);
    if (dueMs === undefined || this.underWay.has(row.id)) this.dueQueue.delete(row.id);
    else this.dueQueue.set(row.id, dueMs);
  }

  /** The folder was changed and perhaps repaired, so backups that wait for it are tried at once. */
  private async tryAgain(folderId: number): Promise<void> {
    const { rows } = await this.deps.store.find('recordings', { where: { remotefolder: folderId } });
    const now = this.deps.clock.now();
    for (const { id, backup } of rows)
      if (backup?.state === 'waiting' && !this.underWay.has(id)) this.dueQueue.set(id, now);
  }

  private take(id: number): void {
    if (this.underWay.has(id)) return;
    this.underWay.add(id);
    this.inBackground(this.settle(id), id);
  }

  private async settle(id: number): Promise<void> {
    try {
      const row = (await this.deps.store.get('recordings', id))?.row;
      if (row !== undefined && mustBeBackedUp(row)) {
        this.transfers = this.transfers.then(() => this.backUp(id));
        await this.transfers;
      }
      await this.remove(id);
    } finally {
      this.underWay.delete(id);
    }
    await this.follow(id);
  }

  private async backUp(id: number): Promise<void> {
    const row = (await this.deps.store.get('recordings', id))?.row;
    if (row === undefined || this.ending.signal.aborted) return;
    try {
      await backUpRecording(this.deps, row, this.ending.signal);
    } catch (error) {
      // The store refuses, or there is a fault of ours; the backups behind it get their turn all the same.
      this.deps.log.error({ err: error, recordingId: id }, 'The outcome of a backup could not be stored.');
    }
  }

  /** The files go first: a file on a Device without a row would look like a loss of this store. */
  private async remove(id: number): Promise<void> {
    const { store, clock, control } = this.deps;
    const row = (await store.get('recordings', id))?.row;
    const dueMs = row && dueAtMs(row);
    if (row === undefined || dueMs === undefined || dueMs > clock.now() || mustBeBackedUp(row)) return;
    if (this.ending.signal.aborted) return;
    // A download or a clip that has the file open reads on: Linux keeps a deleted file until it is closed.
    await control.recordings.remove(row);
    const why =
      row.backup === null
        ? `its ${row.delete_after} days are over.`
        : `its ${row.delete_after} days are over, and it is backed up as ${row.backup.files.join(', ')}.`;
    await store.tx((tx) => {
      const present = tx.get('recordings', id);
      if (present !== undefined) deleteRecording(tx, toIso(clock.now()), present, why);
    });
  }

  private inBackground(work: Promise<void>, id: number): void {
    work.catch((error: unknown) => {
      if (this.ending.signal.aborted) return;
      this.deps.log.warn({ err: error, recordingId: id }, 'Retention could not go on; it is tried again.');
      this.dueQueue.set(id, this.deps.clock.now() + DELETE_RETRY_MS);
    });
  }
}
