/**
 * The adapter that `Low` reads and writes through. lowdb's own adapters stringify and rewrite everything on each write and never
 * fsync; this one appends the commits that were staged since, and rewrites everything only now and then, in the background.
 */
import { rm } from 'node:fs/promises';
import type { Adapter } from 'lowdb';
import type { Clock } from '../../domain/time/clock.ts';
import type { Shortage } from '../../domain/ports/store.ts';
import { deleteOlder, unfinishedSnapshotPath } from '../files/files.ts';
import { assertJournalKept, writeFormat } from './format-file.ts';
import { History, type Covered, type KeptMs } from '../history/history.ts';
import { assertImported, markImport, unmarkImport } from '../document/import-mark.ts';
import { JournalFile } from './journal-file.ts';
import { JournalRoom } from './journal-room.ts';
import { Journal, type JournalOwner, type Rotation } from './journal.ts';
import type { Schema } from '../tables/migration.ts';
import { Recovery, unusable } from './recovery.ts';
import { messageOf } from '../tables/refusal.ts';
import { writeSnapshot } from './snapshot.ts';
import { Tables, type Commit } from '../tables/tables.ts';

/** A checkpoint pays only when the journal is longer than the snapshot costs to write; a start reads less than 8 MB in no time. */
const MIN_JOURNAL_BYTES = 8 * 1024 * 1024;

export interface JournalAdapterOptions {
  readonly dir: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly schema: Schema;
  readonly keptMs?: KeptMs | undefined;
  readonly forbidden: JournalOwner['forbidden'];
  /** Called with the schema version that was found, before anything of it is changed. */
  readonly beforeMigration: (found: number) => Promise<void>;
  /** Reports what an administrator should know, though nothing failed. */
  readonly warn: (message: string) => void;
}

export class JournalAdapter implements Adapter<Tables> {
  readonly history: History;
  private readonly options: JournalAdapterOptions;
  private tables = new Tables();
  private journal: Journal | undefined;
  private uncoveredBytes = 0;
  private snapshotBytes = 0;
  /** Bytes of journal at which the next checkpoint begins. */
  private checkpointAt = MIN_JOURNAL_BYTES;
  private running: Promise<void> | undefined;
  /** True from the beginning of a checkpoint until history is ready for its snapshot. */
  private isCovering = false;

  constructor(options: JournalAdapterOptions) {
    this.options = options;
    this.history = new History(options);
  }

  /** Everything is read and checked before the first byte is changed. Throws AppError unavailable when the folder is not whole. */
  async read(): Promise<Tables> {
    const { dir, schema, warn } = this.options;
    await assertImported(dir);
    const found = await Recovery.read(dir, schema, this.history);
    await assertJournalKept(dir, found);
    try {
      this.tables.load(found.state, found.leases.values(), found.seq);
    } catch (cause) {
      throw unusable(`the rows in ${dir} do not fit together (${messageOf(cause)})`, { dir }, cause);
    }
    if (found.foundVersion !== schema.version) await this.options.beforeMigration(found.foundVersion);
    const { tail, tornBytes } = found;
    if (tornBytes > 0) {
      warn(`The last write before the stop was cut short: its ${tornBytes} bytes, never acknowledged, are dropped.`);
    }
    const header = { schemaVersion: schema.version, after: found.seq };
    const file =
      tail === undefined || tail.bytes === 0
        ? await JournalFile.create(dir, tail?.number ?? 1, header)
        : await JournalFile.resume(dir, tail);
    const room = await JournalRoom.of(dir, file, warn);
    const owner = {
      acknowledged: (commits: readonly Commit[], bytes: number) => this.acknowledge(commits, bytes),
      refused: (commits: readonly Commit[]) => this.tables.takeBack(commits),
      forbidden: this.options.forbidden,
    };
    this.journal = new Journal({ dir, schemaVersion: schema.version, file, room, seq: found.seq, owner });
    this.uncoveredBytes = found.uncoveredBytes;
    this.snapshotBytes = found.snapshotBytes;
    this.checkpointAt = Math.max(MIN_JOURNAL_BYTES, found.snapshotBytes);
    await writeFormat(dir).catch((cause: unknown) => {
      // A store that an older version began must start on a full disk too; the next start writes the mark.
      warn(`${dir} could not be marked as begun (${messageOf(cause)}); the next start tries again.`);
    });
    await rm(unfinishedSnapshotPath(dir), { force: true });
    await deleteOlder(dir, found.snapshotNumber, found.names);
    await this.history.begin(this.tables, found.seq);
    if (found.foundVersion !== schema.version) await this.checkpoint();
    return this.tables;
  }

  /** Journals the staged commits. The answer is that of their batch. */
  write(tables: Tables): Promise<void> {
    const staged = tables.takeStaged();
    return staged.length > 0 ? this.opened.append(staged) : this.opened.settle();
  }

  pending(): Promise<void> | undefined {
    return this.opened.pending();
  }

  problem(): string | null {
    return this.opened.problem;
  }

  shortage(): Shortage | undefined {
    return this.opened.shortage;
  }

  /** Joins a checkpoint that is under way. */
  async checkpoint(): Promise<void> {
    this.running ??= this.writeCheckpoint().finally(() => (this.running = undefined));
    await this.running;
  }

  async beginImport(): Promise<() => Promise<void>> {
    const { dir } = this.options;
    await markImport(dir);
    return async () => {
      await this.checkpoint();
      await unmarkImport(dir);
    };
  }

  /** A clean stop leaves a snapshot, so that the next start has nothing to replay. */
  async close(): Promise<void> {
    try {
      // Callers hear of a failure from their own promises.
      await Promise.allSettled([this.pending(), this.running]);
      if (this.problem() === null && this.uncoveredBytes > 0) await this.checkpoint();
    } catch (cause) {
      this.options.warn(
        `No snapshot at the stop (${messageOf(cause)}); the journal has everything, the next start replays it.`,
      );
    } finally {
      await this.history.close();
      await this.opened.close();
    }
  }

  private get opened(): Journal {
    if (this.journal === undefined) throw new TypeError('The store is written before it is read.');
    return this.journal;
  }

  private acknowledge(commits: readonly Commit[], bytes: number): void {
    this.uncoveredBytes += bytes;
    this.tables.acknowledge(commits);
    this.history.acknowledge(commits, bytes);
    // A checkpoint first moves those up to the commit of its snapshot, and none beyond.
    if (!this.isCovering) this.history.moveWhenDue();
    if (this.uncoveredBytes < this.checkpointAt || this.running !== undefined) return;
    this.checkpoint().catch((cause: unknown) => {
      // The journal goes on; the next attempt waits until as much again has been written.
      this.checkpointAt = this.uncoveredBytes + MIN_JOURNAL_BYTES;
      this.options.warn(`No snapshot was written (${messageOf(cause)}); the journal grows until one is.`);
    });
  }

  private async cover(): Promise<Rotation & Covered & { covered: number }> {
    this.isCovering = true;
    try {
      // No snapshot is larger than the one before and everything written since.
      const rotation = await this.opened.rotate(this.snapshotBytes + this.uncoveredBytes);
      const covered = this.uncoveredBytes;
      return { ...rotation, covered, ...(await this.history.cover(rotation.after)) };
    } finally {
      this.isCovering = false;
    }
  }

  private async writeCheckpoint(): Promise<void> {
    const { dir, schema } = this.options;
    const { number, covered, inSnapshot, dropped, after } = await this.cover();
    const { refusals } = this.opened;
    const settled = async (): Promise<void> => {
      await this.opened.settle();
      if (this.opened.refusals !== refusals) throw new Error('writes were refused meanwhile that it may hold half of');
    };
    const header = { schemaVersion: schema.version, program: schema.program, after };
    const bytes = await writeSnapshot(dir, number, { header, tables: this.tables, settled, history: inSnapshot });
    this.uncoveredBytes -= covered;
    this.snapshotBytes = bytes;
    this.checkpointAt = Math.max(MIN_JOURNAL_BYTES, bytes);
    await deleteOlder(dir, number);
    for (const segment of dropped) await segment.remove();
  }
}
