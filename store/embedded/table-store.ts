/**
 * The store port over tables in memory and a durability that makes commits outlive the process. Plans run one after another in the order of
 * the calls, so versions and unique sets hold however many are queued. Memory may be ahead of the disk, answers never are: an answer that
 * depends on commits under way waits until these are durable, and is read again when they were refused.
 */
import {
  HISTORY_NAMES,
  isHistory,
  type CollectionName,
  type CollectionRows,
  type HistoryName,
} from '../../domain/ports/collections.ts';
import { toIso, type Clock } from '../../domain/time/clock.ts';
import { AppError } from '../../domain/base/errors.ts';
import type { StoreMember } from '../../domain/shapes/installation/member.ts';
import type { Change, Found, Lease, Query, Store, StoreHealth, Tx, Versioned, View } from '../../domain/ports/store.ts';
import { ChangeFeed, type Listener } from '../tables/change-feed.ts';
import { documentHead, documentState, documentText } from '../document/document.ts';
import type { Durability } from './durability.ts';
import { capture, findHistory, type Captured } from '../history/find.ts';
import { assertEmpty, checkedDocument, fillResident, historyOf, type DocumentSource } from '../document/import.ts';
import type { Schema } from '../tables/migration.ts';
import { Planner } from '../tables/planner.ts';
import { refusal } from '../tables/refusal.ts';
import { findRows, getRow, getRows } from '../tables/resident-reads.ts';
import type { AnyRow } from '../tables/table.ts';
import { changesOf, type Commit, type Tables } from '../tables/tables.ts';
import { Transaction } from '../tables/transaction.ts';

export class TableStore implements Store {
  private readonly tables: Tables;
  private readonly durability: Durability;
  readonly clock: Clock;
  private readonly schema: Schema;
  private readonly feed: ChangeFeed;
  private readonly planner = new Planner();
  private closed: Promise<void> | undefined;

  constructor(tables: Tables, durability: Durability, clock: Clock, schema: Schema) {
    this.tables = tables;
    this.durability = durability;
    this.clock = clock;
    this.schema = schema;
    this.feed = new ChangeFeed(tables.seq);
    tables.onAcknowledged((commits) => this.publish(commits));
  }

  tx<T>(plan: (tx: Tx) => T): Promise<T> {
    return this.run(plan);
  }

  view<T>(look: (view: View) => T): Promise<T> {
    return this.run(look);
  }

  // The three reads are not async, because every call makes several of them and an async function around a promise triples its price.
  get<C extends CollectionName>(collection: C, id: number): Promise<Versioned<CollectionRows[C]> | undefined> {
    if (isHistory(collection))
      return this.getHistory(collection, id) as Promise<Versioned<CollectionRows[C]> | undefined>;
    return this.read(() => getRow(this.tables, collection, id));
  }

  getMany<C extends CollectionName>(collection: C, ids: readonly number[]): Promise<Readonly<CollectionRows[C]>[]> {
    if (isHistory(collection))
      return this.getManyHistory(collection, ids) as Promise<unknown> as Promise<Readonly<CollectionRows[C]>[]>;
    return this.read(() => getRows(this.tables, collection, ids));
  }

  find<C extends CollectionName>(collection: C, query: Query): Promise<Found<CollectionRows[C]>> {
    if (isHistory(collection))
      return this.findHistory(collection, query) as unknown as Promise<Found<CollectionRows[C]>>;
    return this.read(() => findRows(this.tables, collection, query));
  }

  /**
   * `ttlMs` 0 gives the lease back. A renewal in time keeps its token; a holder that takes the lease after it ran out, the last one
   * included, gets a new one, so that a paused twin of the same name cannot act on the old.
   */
  async claim(name: string, holder: string, ttlMs: number): Promise<Lease | undefined> {
    this.assertWritable();
    const now = this.clock.now();
    const present = this.tables.leases.get(name);
    const inTime = present !== undefined && Date.parse(present.expires_at) > now;
    if (inTime && present.holder !== holder) {
      await this.durability.pending();
      return undefined;
    }
    const token = (present?.token ?? 0) + (inTime ? 0 : 1);
    const lease: Lease = Object.freeze({ name, holder, token, expires_at: toIso(now + ttlMs) });
    this.tables.stage({ ops: [], lease }, [this.tables.writeLease(lease)]);
    await this.durability.write();
    return lease;
  }

  members(): Promise<StoreMember[]> {
    return Promise.resolve([]);
  }

  rank(): number {
    return 0;
  }

  sharing(): undefined {
    return undefined;
  }

  async changes(since: number): Promise<Change[] | undefined> {
    this.assertOpen();
    return this.feed.after(since);
  }

  onChange(listener: Listener): () => void {
    return this.feed.add(listener);
  }

  async appliedByAll(): Promise<void> {
    this.assertOpen();
  }

  async notify(_notice: string): Promise<void> {
    this.assertOpen();
  }

  onNotice(_listener: (notice: string) => void): () => void {
    return () => undefined;
  }

  health(): StoreHealth {
    const final = this.closed === undefined ? this.durability.problem() : 'the store is closed';
    const shortage = this.durability.shortage();
    const problem = final ?? (shortage?.level === 'none' ? shortage.message : null);
    return { ok: problem === null, problem, ...(shortage && { shortage }) };
  }

  staleMs(): undefined {
    return undefined;
  }

  counts(): Record<CollectionName, number> {
    const { archive } = this.durability;
    return Object.fromEntries([
      ...this.tables.all().map(({ name, size }) => [name, size]),
      ...HISTORY_NAMES.map((name) => [name, archive.rows(name) + this.tables.recent(name).size]),
    ]) as Record<CollectionName, number>;
  }

  async checkpoint(): Promise<void> {
    this.assertWritable();
    await this.durability.checkpoint();
  }

  async close(): Promise<void> {
    this.closed ??= this.durability.close();
    await this.closed;
  }

  async *exportDocument(): AsyncGenerator<string, number> {
    await this.durability.archive.checked();
    const state = await this.read(() => {
      const head = documentHead(this.schema.version, toIso(this.clock.now()), this.tables.nextIds());
      return documentState(this.tables, head, (name) => this.capture(name, {}), this.warn);
    });
    return yield* documentText(state);
  }

  async importDocument(source: DocumentSource, check?: (view: View) => void): Promise<void> {
    assertEmpty(this.counts());
    const state = await checkedDocument(source, this.schema);
    await this.rehearse((tx) => {
      fillResident(tx, state);
      check?.(tx);
    });
    const end = await this.durability.beginImport();
    for await (const [name, rows] of historyOf(source))
      await this.run((tx) => rows.forEach(({ version, row }) => tx.restore(name, version, row)));
    await this.run((tx) => fillResident(tx, state));
    await end();
  }

  /** Throws what the plan throws, and writes nothing. */
  private async rehearse(plan: (tx: Transaction) => void): Promise<void> {
    const done = new Error('rehearsed');
    const run = this.run((tx) => {
      plan(tx);
      throw done;
    });
    await run.catch((error: unknown) => {
      if (error !== done) throw error;
    });
  }

  private async run<T>(plan: (tx: Transaction) => T): Promise<T> {
    this.assertWritable();
    this.planner.assertOutside();
    const tx = new Transaction(this.tables);
    let answer: T;
    try {
      answer = this.planner.run(() => plan(tx));
    } catch (error) {
      tx.abandon();
      // The commits that the plan saw may yet be refused, and its reason with them.
      await this.durability.pending();
      throw error;
    }
    await (tx.commit() ? this.durability.write() : this.durability.pending());
    return answer;
  }

  private async read<T>(read: () => T): Promise<T> {
    this.assertOpen();
    const answer = read();
    const pending = this.durability.pending();
    if (pending === undefined) return answer;
    try {
      await pending;
    } catch {
      // The writers get the error; a reader gets the state that memory went back to.
      return read();
    }
    return answer;
  }

  private async getHistory(name: HistoryName, id: number): Promise<Versioned<AnyRow> | undefined> {
    const [row] = await this.getManyHistory(name, [id]);
    return row && { row, version: 1 };
  }

  /** Those who follow commits read rows that are in no file yet. */
  private async getManyHistory(name: HistoryName, ids: readonly number[]): Promise<AnyRow[]> {
    const recent = await this.read(() => ids.flatMap((id) => this.tables.recent(name).get(id) ?? []));
    if (recent.length === ids.length) return recent;
    const { rows } = await this.findHistory(name, { where: { id: { in: ids } } });
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  private async findHistory(name: HistoryName, query: Query): Promise<Found<AnyRow>> {
    await this.durability.archive.checked();
    const captured = await this.read(() => this.capture(name, query));
    return findHistory(name, query, captured, this.warn);
  }

  private capture(name: HistoryName, query: Query): Captured {
    return capture(this.tables.recent(name), this.durability.archive, query);
  }

  private readonly warn = (message: string): void => this.durability.archive.warn(message);

  private publish(commits: readonly Commit[]): void {
    for (const commit of commits) this.feed.publish(commit.seq, changesOf(commit));
  }

  private assertOpen(): void {
    if (this.closed !== undefined) throw new AppError('unavailable', 'The store is closed: the server is stopping.');
  }

  private assertWritable(): void {
    this.assertOpen();
    const problem = this.durability.problem();
    if (problem !== null) throw refusal(problem);
  }
}
