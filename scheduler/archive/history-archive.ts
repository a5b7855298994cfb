/**
 * Sends audit entries and events into the bucket of ONAIR_ARCHIVE, day by day. What is sent next is noted first, then sent, and then noted as
 * archived: a server that is killed in between, or another one that takes over, sends the same object again.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../../domain/base/log.ts';
import type { ArchiveBucket } from '../../domain/ports/archive-bucket.ts';
import type { Store, View } from '../../domain/ports/store.ts';
import {
  ARCHIVED,
  type ArchivedName,
  type ArchivedObject,
  type ArchiveState,
} from '../../domain/shapes/installation/archive.ts';
import { toIso, type Clock } from '../../domain/time/clock.ts';
import { writeRows, type Room } from './archive-file.ts';
import { keyOf, nextRange } from './archive-range.ts';

/** Between looks at what is due. An attempt that has failed is made again after as long. */
const EVERY_MS = 10 * 60_000;

export interface ArchivePlace {
  bucket: ArchiveBucket;
  /** Folder of the file that is sent; nothing else is in it. */
  dir: string;
  /** Rejects with AppError unavailable when the disk is nearly full. */
  roomIn(dir: string): Promise<Room>;
}

export interface HistoryArchiveDeps {
  store: Store;
  clock: Clock;
  log: Log;
  /** Left out: nothing is archived. */
  archive?: ArchivePlace | undefined;
}

export class HistoryArchive {
  private readonly deps: HistoryArchiveDeps;
  private readonly ending = new AbortController();
  private cancelNext: () => void = () => undefined;

  constructor(deps: HistoryArchiveDeps) {
    this.deps = deps;
  }

  async begin(): Promise<void> {
    const { archive } = this.deps;
    if (archive === undefined) return this.forgetFailures();
    // A server that was killed left its file.
    await rm(archive.dir, { recursive: true, force: true });
    await mkdir(archive.dir, { recursive: true, mode: 0o750 });
    void this.turn(archive);
  }

  end(): void {
    this.ending.abort();
    this.cancelNext();
  }

  private async turn(archive: ArchivePlace): Promise<void> {
    for (const name of ARCHIVED) await this.attempt(archive, name);
    if (!this.isEnding) this.cancelNext = this.deps.clock.after(EVERY_MS, () => void this.turn(archive));
  }

  private get isEnding(): boolean {
    return this.ending.signal.aborted;
  }

  private async attempt(archive: ArchivePlace, name: ArchivedName): Promise<void> {
    try {
      while (!this.isEnding && (await this.sendNext(archive, name)));
    } catch (error) {
      if (this.isEnding) return;
      await this.noteFailure(name, error as Error).catch((refused: unknown) => {
        this.deps.log.warn({ err: error, refused, collection: name }, 'History could not be archived.');
      });
    }
  }

  /** Answers whether there was something to send. */
  private async sendNext(archive: ArchivePlace, name: ArchivedName): Promise<boolean> {
    const { store, clock, log } = this.deps;
    const [state = initial(name)] = (await store.find('archives', { where: { collection: name } })).rows;
    const next = state.sending ?? (await nextRange(store, name, state, clock.now()));
    if (next === undefined) {
      if (state.failing !== null) await this.change(name, (row) => ({ ...row, failing: null }));
      return false;
    }
    const { sending: range, through_id } = await this.change(name, (row) =>
      row.sending !== null || row.through_id !== state.through_id ? row : { ...row, sending: next },
    );
    // Another server, which has taken over meanwhile, has archived it.
    if (range === null || through_id !== state.through_id) return true;
    const path = join(archive.dir, `${name}-${randomUUID()}.ndjson.gz`);
    const key = keyOf(name, range);
    let sent: ArchivedObject | null = null;
    try {
      const room = await archive.roomIn(archive.dir);
      const written = await writeRows(store, name, range, { path, room, signal: this.ending.signal });
      // Rows that are over by their age are in no answer.
      if (written.rows > 0) {
        await archive.bucket.send(key, path);
        sent = { key, ...written, archived_at: toIso(clock.now()) };
      }
    } finally {
      await rm(path, { force: true });
    }
    await this.change(name, (row) => {
      // The same is true here: what both have sent is the same object.
      if (row.sending?.from_id !== range.from_id || row.sending.to_id !== range.to_id) return row;
      const { day, to_id } = range;
      return { ...row, through_id: to_id, through_day: day, sending: null, last: sent ?? row.last, failing: null };
    });
    if (sent !== null) log.info({ collection: name, ...sent }, 'History is archived.');
    return true;
  }

  /** A failure counts from the first of its attempts, and is told once. */
  private async noteFailure(name: ArchivedName, error: Error): Promise<void> {
    const now = toIso(this.deps.clock.now());
    const reason = error.message;
    let isNew = false;
    await this.change(name, (row) => {
      isNew = row.failing === null;
      return row.failing?.reason === reason ? row : { ...row, failing: { since: row.failing?.since ?? now, reason } };
    });
    if (isNew)
      this.deps.log.warn(
        { err: error, collection: name },
        'History could not be archived. It is tried again every ten minutes; the system alarms tell of it after a day.',
      );
  }

  private async forgetFailures(): Promise<void> {
    for (const { collection, failing } of (await this.deps.store.find('archives', {})).rows)
      if (failing !== null) await this.change(collection, (row) => ({ ...row, failing: null }));
  }

  /** Resolves with the row as it is then. `next` may run again, and answers the same row for no change. */
  private change(name: ArchivedName, next: (row: ArchiveState) => ArchiveState): Promise<ArchiveState> {
    return this.deps.store.tx((tx) => {
      const present = rowIn(tx, name);
      const row = next(present ?? initial(name));
      if (present === undefined) {
        const { id: _none, ...fields } = row;
        return tx.insert('archives', fields);
      }
      if (row !== present) tx.put('archives', row);
      return row;
    });
  }
}

function rowIn(view: View, name: ArchivedName): Readonly<ArchiveState> | undefined {
  return view.find('archives', { where: { collection: name } }).rows[0];
}

function initial(collection: ArchivedName): ArchiveState {
  return { id: 0, collection, through_id: 0, through_day: null, sending: null, last: null, failing: null };
}
