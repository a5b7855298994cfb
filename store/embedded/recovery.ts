/**
 * Reads the data folder back: the newest snapshot, then the journals from its number on. Changes nothing on disk. Only the end of
 * the last journal may be torn; damage anywhere else throws AppError unavailable with the file and the line.
 */
import { readdir, stat } from 'node:fs/promises';
import { AppError } from '../../domain/base/errors.ts';
import type { Lease } from '../../domain/ports/store.ts';
import { numbersIn, pathOf } from '../files/files.ts';
import type { History, HistoryInSnapshot } from '../history/history.ts';
import { OldHistory } from '../history/old-history.ts';
import { linesOf, looksTorn, parseLine, type Line } from '../files/lines.ts';
import { assertReadable, migrate, type RawState, type Schema } from '../tables/migration.ts';
import type { CommitBody, Operation } from '../tables/tables.ts';

export interface JournalHeader {
  readonly format: 'onair-journal';
  readonly schemaVersion: number;
  /** Position of the last commit before this journal. */
  readonly after: number;
}

/** `batch` is the `seq` of the first commit of the same write: commits that were written together were acknowledged together. */
export type JournalEntry = CommitBody & { readonly seq: number; readonly batch: number };

export interface SnapshotHeader {
  readonly format: 'onair-snapshot';
  readonly schemaVersion: number;
  /** Version of the program that wrote it; left out by versions before 0.2.0. */
  readonly program?: string | undefined;
  readonly after: number;
}

/** The last line of a snapshot; a file without it is not whole. */
export interface SnapshotFooter {
  readonly rows: number;
  readonly nextIds: Readonly<Record<string, number>>;
  readonly leases: readonly Lease[];
  /** Left out by versions that had history in memory, and its rows among the others. */
  readonly history?: HistoryInSnapshot;
}

/** The position at which appending continues. */
export interface JournalTail {
  readonly number: number;
  /** Bytes that are whole; 0 when not even the header is. */
  readonly bytes: number;
}

export class Recovery {
  readonly state: RawState = { collections: new Map(), nextIds: new Map() };
  readonly leases = new Map<string, Lease>();
  seq = 0;
  /** Schema version of the data found; that of this program for an empty folder. */
  foundVersion: number;
  snapshotNumber = 0;
  snapshotBytes = 0;
  /** Bytes of commits that no snapshot covers. */
  uncoveredBytes = 0;
  /** Bytes of the torn end that are to be cut. */
  tornBytes = 0;
  tail: JournalTail | undefined;
  /** Names in the folder, before any change. */
  names: readonly string[] = [];
  private readonly schema: Schema;
  private readonly history: History;
  private readonly old: OldHistory;
  private version: number | undefined;

  private constructor(schema: Schema, history: History) {
    this.schema = schema;
    this.history = history;
    this.old = new OldHistory(history);
    this.foundVersion = schema.version;
  }

  /** `history` gets the facts about its files; its rows that an older version wrote elsewhere are put there. */
  static async read(dir: string, schema: Schema, history: History): Promise<Recovery> {
    const recovery = new Recovery(schema, history);
    // The folder is listed once, because there may be hundreds of history files in it.
    recovery.names = await readdir(dir);
    const snapshot = numbersIn(recovery.names, 'snapshot').at(-1);
    if (snapshot !== undefined) await recovery.readSnapshot(pathOf(dir, 'snapshot', snapshot), snapshot);
    const first = snapshot ?? 1;
    const journals = numbersIn(recovery.names, 'journal').filter((number) => number >= first);
    const last = journals.at(-1) ?? (snapshot === undefined ? 0 : first);
    for (let number = first; number <= last; number += 1) {
      const path = pathOf(dir, 'journal', number);
      if (!journals.includes(number)) throw unusable(`${path} is missing`, { file: path });
      recovery.tail = { number, bytes: await recovery.readJournal(path, number === last) };
    }
    const version = recovery.version ?? schema.version;
    migrate(recovery.state, version, schema.version, schema, `The data folder ${dir}`);
    history.assertWhole();
    return recovery;
  }

  private async readSnapshot(path: string, number: number): Promise<void> {
    this.snapshotNumber = number;
    this.snapshotBytes = (await stat(path)).size;
    let footer: SnapshotFooter | undefined;
    let rows = 0;
    for await (const line of linesOf(path)) {
      const value = parseLine(line);
      if (value === undefined || footer !== undefined) throw damaged(path, line.number);
      if (line.number === 1) {
        const header = value as SnapshotHeader;
        if (header.format !== 'onair-snapshot') throw damaged(path, 1);
        this.reachVersion(header.schemaVersion, path, header.program);
        this.seq = header.after;
      } else if (Array.isArray(value)) {
        const op = value as unknown as Operation;
        if (!(await this.old.take(op))) this.apply(op);
        rows += 1;
      } else footer = value as SnapshotFooter;
    }
    if (footer?.rows !== rows) throw unusable(`${path} ends early: it is not whole`, { file: path });
    if (footer.history !== undefined) this.history.adopt(footer.history);
    await this.old.end();
    for (const [name, next] of Object.entries(footer.nextIds)) this.raiseNextId(name, next);
    for (const lease of footer.leases) this.leases.set(lease.name, lease);
  }

  /** Answers the number of whole bytes. */
  private async readJournal(path: string, isLast: boolean): Promise<number> {
    let whole = 0;
    let torn: Line | undefined;
    let end = 0;
    for await (const line of linesOf(path)) {
      end = line.end;
      const value = parseLine(line);
      if (value === undefined) {
        if (!isLast || !looksTorn(line)) throw damaged(path, line.number);
        torn ??= line;
      } else if (torn !== undefined) {
        // Blocks of one write reach the disk in any order, so whole lines of the torn batch may follow. A later batch was only begun when
        // the torn one was durable, so its presence means damage.
        if (torn.number === 1 || (value as JournalEntry).batch > this.seq + 1) throw damaged(path, torn.number);
      } else {
        if (line.number === 1) this.readHeader(value as JournalHeader, path);
        else this.readEntry(value as JournalEntry, path, line);
        whole = line.end;
      }
    }
    if (whole === 0 && !isLast) throw damaged(path, 1);
    this.tornBytes = end - whole;
    return whole;
  }

  private readHeader({ format, schemaVersion, after }: JournalHeader, path: string): void {
    if (format !== 'onair-journal') throw damaged(path, 1);
    this.reachVersion(schemaVersion, path);
    if (after !== this.seq) {
      const what = `${path} follows commit ${after}, but what is before it ends with commit ${this.seq}`;
      throw unusable(what, { file: path, line: 1 });
    }
  }

  private readEntry({ seq, ops, lease, nextIds }: JournalEntry, path: string, line: Line): void {
    if (seq !== this.seq + 1) {
      const what = `${path}, line ${line.number}, has commit ${seq} where ${this.seq + 1} is due`;
      throw unusable(what, { file: path, line: line.number });
    }
    this.seq = seq;
    for (const op of ops) if (!this.old.has(op)) this.apply(op);
    if (lease !== undefined) this.leases.set(lease.name, lease);
    for (const [name, next] of Object.entries(nextIds ?? {})) this.raiseNextId(name, next);
    this.uncoveredBytes += line.end - line.start;
  }

  /** A migration that a crash cut short leaves an old snapshot with a newer, empty journal behind it. */
  private reachVersion(version: number, path: string, writer?: string): void {
    assertReadable(version, this.schema, path, writer);
    const before = this.version ?? version;
    if (this.version === undefined) this.foundVersion = version;
    if (version < before) {
      throw unusable(`${path} has schema version ${version}, older than what is before it`, { file: path, line: 1 });
    }
    migrate(this.state, before, version, this.schema, path);
    this.version = version;
  }

  private apply([collection, id, version, row]: Operation): void {
    let rows = this.state.collections.get(collection);
    if (rows === undefined) this.state.collections.set(collection, (rows = new Map()));
    if (row === null) rows.delete(id);
    else rows.set(id, { version, row });
    this.raiseNextId(collection, id + 1);
  }

  private raiseNextId(collection: string, next: number): void {
    if (next > (this.state.nextIds.get(collection) ?? 1)) this.state.nextIds.set(collection, next);
  }
}

function damaged(path: string, line: number): AppError {
  return unusable(`${path}, line ${line}, is damaged`, { file: path, line });
}

export function unusable(what: string, facts: Record<string, unknown>, cause?: unknown): AppError {
  return new AppError(
    'unavailable',
    `The store does not start: ${what}. Nothing was changed; bring the data folder back from a copy.`,
    { facts, cause },
  );
}
