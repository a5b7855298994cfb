/**
 * History in files. A commit's history rows are in its journal line like all others, and in memory until they are moved to the segments of
 * their collection, some thousand at a time. The snapshot says which part of the segments counts: a checkpoint makes them durable first,
 * and after a crash later writes to them are cut off and come again out of the journals.
 */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { HISTORY_NAMES, isHistory, type HistoryName } from '../../domain/ports/collections.ts';
import type { Clock } from '../../domain/time/clock.ts';
import { AppError } from '../../domain/base/errors.ts';
import { syncFolder } from '../../linux/folder.ts';
import type { AnyRow } from '../tables/table.ts';
import { messageOf } from '../tables/refusal.ts';
import type { Commit, Tables } from '../tables/tables.ts';
import { FingerprintPool } from './fingerprint-pool.ts';
import type { Segment, SegmentFacts, SegmentView } from './segment.ts';
import { Segments } from './segments.ts';

/** Either bound is some megabytes of heap, and a few milliseconds of work to move. */
const MAX_RECENT = 1_000;
const MAX_RECENT_BYTES = 1 << 20;

/** Segments whose sizes are checked in one go: a tenth of a millisecond. */
const TOGETHER_CHECKED = 8;

/** Segments by collection, oldest first, as a snapshot has them. */
export type HistoryInSnapshot = Readonly<Partial<Record<HistoryName, readonly SegmentFacts[]>>>;

/** Rows that have left memory. */
export interface Archive {
  rows(name: HistoryName): number;
  /** The segments as they are at this moment. */
  views(name: HistoryName): readonly SegmentView[];
  /** Resolves once it is known which segments can be read. */
  checked(): Promise<void>;
  /** Reports what an administrator should know. */
  warn(message: string): void;
}

export interface Covered {
  readonly inSnapshot: HistoryInSnapshot;
  /**
   * Segments that the snapshot does not name; their files are deleted once it is durable. A crash before that leaves them to the next
   * start.
   */
  readonly dropped: readonly Segment[];
}

interface Recent {
  readonly seq: number;
  readonly name: HistoryName;
  readonly row: AnyRow;
}

/** Milliseconds that rows are kept, where it is not as long as by themselves. */
export type KeptMs = Readonly<Partial<Record<HistoryName, number>>>;

interface HistoryDeps {
  readonly dir: string;
  readonly keptMs?: KeptMs | undefined;
  readonly clock: Pick<Clock, 'now'>;
  readonly warn: (message: string) => void;
}

export class History implements Archive {
  private readonly deps: HistoryDeps;
  private readonly pool: FingerprintPool;
  private readonly segments: ReadonlyMap<HistoryName, Segments>;
  private tables: Tables | undefined;
  /** Acknowledged rows that are in no segment. */
  private waiting: Recent[] = [];
  private waitingBytes = 0;
  private moving: Promise<unknown> = Promise.resolve();
  /** After a failed move, the number of waiting rows at which the next attempt begins. */
  private retryAt = 0;
  /** Set when a sync failed, because nobody knows then which part of the segments is on disk. The journals have it all. */
  private unsure: Error | undefined;
  private isCleared = false;
  private checking: Promise<void> = Promise.resolve();
  /** Check results of the newest segment of each collection. */
  private readonly found = new Map<Segment, ReturnType<Segment['check']>>();

  constructor(deps: HistoryDeps) {
    this.deps = deps;
    this.pool = new FingerprintPool(deps.dir);
    this.segments = new Map(
      HISTORY_NAMES.map((name) => [name, new Segments(deps.dir, name, this.pool, deps.keptMs?.[name])]),
    );
  }

  rows(name: HistoryName): number {
    return this.of(name).rows;
  }

  views(name: HistoryName): readonly SegmentView[] {
    return this.of(name).views(this.deps.clock.now());
  }

  checked(): Promise<void> {
    return this.checking;
  }

  warn(message: string): void {
    this.deps.warn(message);
  }

  /** Takes over the segments of a snapshot; nothing is read. */
  adopt(facts: HistoryInSnapshot): void {
    for (const [name, segments] of this.segments) segments.adopt(facts[name] ?? []);
  }

  /**
   * Takes a row out of a snapshot of a time when history lived in memory, without keeping it there: such a store may be larger than memory.
   * As long as no snapshot names it, it counts for this process alone.
   */
  async take(name: HistoryName, rows: readonly AnyRow[]): Promise<void> {
    if (!this.isCleared) await this.clear();
    this.isCleared = true;
    (await this.of(name).append(rows))();
    this.of(name).dropOld(this.deps.clock.now());
  }

  /**
   * Throws AppError unavailable when the newest segment of a collection, to which rows are added, is shorter than the snapshot says.
   * Changes nothing. The others are checked after the start, because there may be any number of them.
   */
  assertWhole(): void {
    if (this.isCleared) return;
    for (const { all } of this.segments.values()) {
      const newest = all.at(-1);
      if (newest === undefined) continue;
      const found = newest.check();
      this.found.set(newest, found);
      if (found !== 'short') continue;
      const [file] = newest.paths;
      throw new AppError(
        'unavailable',
        `The data folder cannot be used: ${file} or one of its two neighbours of the same number ends early or is missing. Nothing was changed. ` +
          'Restore the folder from a copy, or move the three files away to go on without what they hold.',
        { facts: { file } },
      );
    }
  }

  /** Removes files that no snapshot knows, and takes rows of `tables` from now on. */
  async begin(tables: Tables, seq: number): Promise<void> {
    this.tables = tables;
    if (!this.isCleared) {
      for (const [segment, found] of this.found) if (found === 'long') await segment.cutBack();
      this.checkLater();
    }
    for (const name of HISTORY_NAMES)
      for (const row of tables.recent(name).rows()) this.waiting.push({ seq, name, row });
    this.moveWhenDue();
  }

  /** Takes the rows of commits that are durable now. */
  acknowledge(commits: readonly Commit[], bytes: number): void {
    const before = this.waiting.length;
    for (const { seq, body } of commits) {
      for (const [name, , , row] of body.ops)
        if (row !== null && isHistory(name)) this.waiting.push({ seq, name, row });
    }
    if (this.waiting.length > before) this.waitingBytes += bytes;
  }

  private get isDue(): boolean {
    return this.waiting.length >= MAX_RECENT || this.waitingBytes >= MAX_RECENT_BYTES;
  }

  /** Moves waiting rows once they are many. A disk that refuses leaves them in memory. */
  moveWhenDue(): void {
    if (!this.isDue || this.waiting.length < this.retryAt) return;
    // Only one attempt runs at a time; rows that come meanwhile are for the next.
    this.retryAt = Infinity;
    this.move(this.waiting.at(-1)!.seq).then(
      () => (this.retryAt = 0),
      () => (this.retryAt = this.waiting.length + MAX_RECENT),
    );
  }

  /** Moves the acknowledged rows of commits up to `seq` to the segments, not durably. */
  async move(seq: number): Promise<void> {
    const run = this.moving.then(() => this.moveNext(seq));
    // The caller gets the error; the next move only waits for the end of this one.
    this.moving = run.catch(() => undefined);
    await run;
  }

  /** Makes every row of commits up to `seq` durable in segments. */
  async cover(seq: number): Promise<Covered> {
    const run = this.moving.then(async () => {
      if (this.unsure !== undefined) throw this.unsure;
      await this.moveNext(seq);
      const nowMs = this.deps.clock.now();
      const inSnapshot: Partial<Record<HistoryName, readonly SegmentFacts[]>> = {};
      const dropped: Segment[] = [];
      for (const [name, segments] of this.segments) {
        segments.dropOld(nowMs);
        inSnapshot[name] = segments.facts();
        dropped.push(...segments.takeDropped());
      }
      await this.sync();
      return { inSnapshot, dropped };
    });
    // The caller gets the error; the next move only waits for the end of this one.
    this.moving = run.catch(() => undefined);
    return run;
  }

  async close(): Promise<void> {
    await this.moving;
    for (const { all } of this.segments.values()) for (const segment of all) await segment.close();
    this.pool.close();
  }

  private async moveNext(seq: number): Promise<void> {
    const taken = this.waiting.filter((recent) => recent.seq <= seq);
    if (taken.length === 0) return;
    const counts: (() => void)[] = [];
    for (const [name, segments] of this.segments) {
      const rows = taken.flatMap((recent) => (recent.name === name ? [recent.row] : []));
      if (rows.length > 0) counts.push(await segments.append(rows));
    }
    // This is done in one turn, so that a query finds each row in one of the two places.
    for (const count of counts) count();
    for (const { name, row } of taken) this.tables!.recent(name).drop(row.id);
    this.waiting = this.waiting.slice(taken.length);
    this.waitingBytes = 0;
  }

  private async sync(): Promise<void> {
    try {
      for (const { all } of this.segments.values()) for (const segment of all) await segment.sync();
      await syncFolder(this.deps.dir);
    } catch (cause) {
      this.unsure = new Error('an earlier sync of the history files failed; a restart goes back to the journals', {
        cause,
      });
      throw cause;
    }
  }

  /** Runs before anything is moved, because a move may make files that are not known here. */
  private checkLater(): void {
    const segments = [...this.segments.values()].flatMap(({ all }) => all);
    const known = new Set(segments.flatMap(({ paths }) => paths));
    const failed = (cause: unknown): void =>
      this.deps.warn(`The history files could not be looked through (${messageOf(cause)}).`);
    this.checking = this.checkAll(segments).catch(failed);
    this.moving = this.checking.then(() => this.clear(known)).catch(failed);
  }

  private async checkAll(segments: readonly Segment[]): Promise<void> {
    for (const [at, segment] of segments.entries()) {
      if (at % TOGETHER_CHECKED === 0) await new Promise((resolve) => setImmediate(resolve));
      this.excludeDamaged(segment, this.found.get(segment) ?? segment.check());
    }
  }

  /** A segment that cannot be read is left out of answers. A short one stays, because its files may be restored from a copy. */
  private excludeDamaged(segment: Segment, found: ReturnType<Segment['check']>): void {
    const { name, facts, paths } = segment;
    const [file] = paths;
    if (found === 'missing') {
      this.deps.warn(`${facts.rows} rows of ${name} are gone: ${file} and its two neighbours are missing.`);
      this.of(name).lose(segment);
    } else if (found === 'short') {
      this.deps.warn(
        `${facts.rows} rows of ${name} cannot be read: ${file} or one of its two neighbours of the same number ends early or is missing. ` +
          'Bring the three files back from a copy and restart, or take them away to go on without what they hold.',
      );
      segment.isReadable = false;
    }
  }

  private async clear(known: ReadonlySet<string> = new Set()): Promise<void> {
    const pattern = new RegExp(`^(?:${HISTORY_NAMES.join('|')})-\\d{8,}\\.(?:rows|records|words)$`, 'u');
    for (const file of await readdir(this.deps.dir)) {
      const path = join(this.deps.dir, file);
      if (pattern.test(file) && !known.has(path)) await rm(path, { force: true });
    }
  }

  private of(name: HistoryName): Segments {
    return this.segments.get(name)!;
  }
}
