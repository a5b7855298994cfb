/**
 * The store port over PostgreSQL, for several processes at once. Each has the resident rows in memory, as the acknowledged beginning of one log
 * in the database; plans run over them and are appended where they are still true. History is read from the database.
 */
import { toIso, type Clock } from '../../domain/time/clock.ts';
import {
  HISTORY_NAMES,
  isHistory,
  type CollectionName,
  type CollectionRows,
  type HistoryName,
} from '../../domain/ports/collections.ts';
import { AppError } from '../../domain/base/errors.ts';
import { rankOf, type Sharing, type StoreMember } from '../../domain/shapes/installation/member.ts';
import type { Change, Found, Lease, Query, Store, StoreHealth, Tx, Versioned, View } from '../../domain/ports/store.ts';
import type { Listener } from '../tables/change-feed.ts';
import { documentText } from '../document/document.ts';
import { assertEmpty, checkedDocument, fillResident, historyOf, type DocumentSource } from '../document/import.ts';
import { Signal } from '../tables/signal.ts';
import { shownAddress } from './database/address.ts';
import { COMMITS, NOTICES, RENEWALS, tell } from './database/channels.ts';
import { Connection, TASK_TIMEOUT_MS } from './database/connection.ts';
import { messageOfFailure } from './database/failure.ts';
import { FlushLoop } from './flush-loop.ts';
import { CLAIM } from './database/functions.ts';
import { HeadReads } from './head-reads.ts';
import { HistoryReads } from './history.ts';
import { assertAlone, Membership } from './membership.ts';
import { LogFollower } from './log-follower.ts';
import { Months } from './database/months.ts';
import type { SharedStoreDeps } from './deps.ts';
import { PATIENCE_MS, patiently } from './database/patience.ts';
import { RecentEvents } from './recent-events.ts';
import { END_REASONS, Replica, type EndReason } from './replica.ts';
import { Tidying } from './tidy.ts';
import { ONE_MOMENT, partsOfState, storedState } from './transfer.ts';
import { findRows, getRow, getRows } from '../tables/resident-reads.ts';
import type { AnyRow } from '../tables/table.ts';

const TROUBLE = 'does not answer, or takes no writes';

export class SharedStore implements Store {
  private readonly deps: SharedStoreDeps;
  private readonly replica: Replica;
  private readonly head: HeadReads;
  private readonly follower: LogFollower;
  private readonly loop: FlushLoop;
  private readonly history: HistoryReads;
  private readonly membership: Membership;
  private readonly notices = new Signal<string>();
  readonly clock: Clock;
  private readonly troubles = new Set<'writes' | 'feed'>();
  private readonly tidying: Tidying;
  private ended: AppError | undefined;
  private closed: Promise<void> | undefined;

  constructor(deps: SharedStoreDeps) {
    const { address, tables, loaded, commit, side, feed, heard, keptMs, memberId, schema, waits } = deps;
    this.deps = deps;
    this.clock = deps.clock ?? loaded.clock;
    const recent = new RecentEvents();
    const onEnd = (reason: EndReason): void => this.end(reason);
    const replica = (this.replica = new Replica(tables, loaded.head.tip, loaded.counts, onEnd, recent));
    const head = (this.head = new HeadReads(side, replica));
    this.follower = new LogFollower(feed, replica, head, (error) => this.note('feed', error));
    heard.listener = (channel, payload) => this.heard(channel, payload);
    this.loop = new FlushLoop({
      connection: commit,
      replica,
      head,
      months: new Months(),
      nowMs: () => deps.clock?.now(),
      patienceMs: waits.patienceMs,
      onTrouble: (reason) => this.note('writes', reason ?? undefined),
    });
    this.history = new HistoryReads(address, keptMs, () => this.clock.now(), recent);
    this.tidying = new Tidying({
      claim: (ttlMs) => this.claim('tidy', memberId, ttlMs),
      run: (text, values) => this.history.query(text, values),
      keptMs,
      now: () => this.clock.now(),
      warn: deps.warn,
    });
    const facts = { id: memberId, name: deps.server?.name, program: schema.program, speaks: schema.version };
    const onRenewed = (error: unknown): void => this.note('writes', error);
    this.membership = new Membership({ facts, connection: side, replica, head, clock: loaded.clock, onRenewed, waits });
  }

  async tx<T>(plan: (tx: Tx) => T): Promise<T> {
    this.assertOpen();
    return this.loop.run(plan);
  }

  /** It is answered from memory, as every read, and not among the plans that wait for their commits. */
  view<T>(look: (view: View) => T): Promise<T> {
    return this.read(() => this.loop.look(look));
  }

  get<C extends CollectionName>(collection: C, id: number): Promise<Versioned<CollectionRows[C]> | undefined> {
    if (isHistory(collection))
      return this.getHistory(collection, id) as Promise<Versioned<CollectionRows[C]> | undefined>;
    return this.read(() => getRow(this.replica.tables, collection, id));
  }

  getMany<C extends CollectionName>(collection: C, ids: readonly number[]): Promise<Readonly<CollectionRows[C]>[]> {
    if (isHistory(collection))
      return this.getManyHistory(collection, ids) as Promise<unknown> as Promise<Readonly<CollectionRows[C]>[]>;
    return this.read(() => getRows(this.replica.tables, collection, ids));
  }

  find<C extends CollectionName>(collection: C, query: Query): Promise<Found<CollectionRows[C]>> {
    if (isHistory(collection))
      return this.bounded(() => this.history.find(collection, query)) as unknown as Promise<Found<CollectionRows[C]>>;
    return this.read(() => findRows(this.replica.tables, collection, query));
  }

  async claim(name: string, holder: string, ttlMs: number): Promise<Lease | undefined> {
    this.assertOpen();
    const now = this.deps.clock === undefined ? null : toIso(this.deps.clock.now());
    const claim = async (): Promise<(string | null)[][]> => {
      const options = { name: 'claim', timeoutMs: PATIENCE_MS };
      const session = await this.deps.side.open();
      return session.query(
        `select token, expires_ms from ${CLAIM}($1, $2, $3, $4)`,
        [name, holder, ttlMs, now],
        options,
      );
    };
    const rows = await patiently(claim, this.deps.waits.patienceMs);
    const [[token, expiresMs] = []] = rows;
    if (token === undefined) return undefined;
    return Object.freeze({ name, holder, token: Number(token), expires_at: toIso(Number(expiresMs)) });
  }

  members(): Promise<StoreMember[]> {
    return this.bounded(() => this.membership.list());
  }

  rank(): number {
    return rankOf(this.deps.memberId, this.membership.members);
  }

  sharing(): Sharing {
    return { members: this.membership.members, conflicts: this.loop.conflicts };
  }

  async changes(since: number): Promise<Change[] | undefined> {
    this.assertOpen();
    await this.head.ask();
    return this.replica.feed.after(since);
  }

  onChange(listener: Listener): () => void {
    return this.replica.feed.add(listener);
  }

  async appliedByAll(): Promise<void> {
    this.assertOpen();
    await this.membership.othersApplied(this.replica.position.seq);
  }

  async notify(notice: string): Promise<void> {
    this.assertOpen();
    await tell(await this.deps.side.open(), NOTICES, notice, PATIENCE_MS);
  }

  onNotice(listener: (notice: string) => void): () => void {
    return this.notices.add(listener);
  }

  health(): StoreHealth {
    const isAway = this.troubles.size > 0 || this.head.isSilent;
    const problem =
      this.closed === undefined
        ? (this.ended?.message ?? (isAway ? `the database ${TROUBLE}` : null))
        : 'the store is closed';
    return { ok: problem === null, problem };
  }

  staleMs(): number | undefined {
    return this.head.staleMs;
  }

  counts(): Record<CollectionName, number> {
    const { tables, historyCounts } = this.replica;
    return Object.fromEntries([
      ...tables.all().map(({ name, size }) => [name, size]),
      ...HISTORY_NAMES.map((name) => [name, historyCounts[name]]),
    ]) as Record<CollectionName, number>;
  }

  /** The database makes its own. */
  async checkpoint(): Promise<void> {
    this.assertOpen();
  }

  async close(): Promise<void> {
    this.closed ??= this.closeAll();
    await this.closed;
  }

  async *exportDocument(): AsyncGenerator<string, number> {
    this.assertOpen();
    const connection = new Connection({ address: this.deps.address, purpose: 'export', answerMs: TASK_TIMEOUT_MS });
    try {
      const session = await connection.open();
      await session.query(ONE_MOMENT);
      return yield* documentText(await storedState(session, toIso(this.clock.now())));
    } finally {
      await connection.close();
    }
  }

  async importDocument(source: DocumentSource, check?: (view: View) => void): Promise<void> {
    assertEmpty(this.counts());
    const state = await checkedDocument(source, this.deps.schema);
    // What is wrong is found before anything is written.
    await this.read(() =>
      this.loop.look((tx) => {
        fillResident(tx, state);
        check?.(tx);
      }),
    );
    await this.markImport(true);
    for await (const [name, rows] of historyOf(source))
      await this.loop.run((tx) => rows.forEach(({ version, row }) => tx.restore(name, version, row)));
    for (const part of partsOfState(state)) await this.loop.run((tx) => fillResident(tx, part));
    await this.markImport(false);
  }

  /** Until it is taken away, a crash leaves a database that no member uses. */
  private async markImport(isBegun: boolean): Promise<void> {
    const session = await this.deps.side.open();
    await assertAlone(session, this.deps.memberId, 'An import');
    await session.query('update onair.head set importing = $1', [isBegun]);
  }

  private async read<T>(read: () => T): Promise<T> {
    this.assertOpen();
    await this.head.ask();
    this.assertOpen();
    return read();
  }

  private async getHistory(name: HistoryName, id: number): Promise<Versioned<AnyRow> | undefined> {
    const row = await this.bounded(() => this.history.get(name, id));
    return row && { row, version: 1 };
  }

  private async getManyHistory(name: HistoryName, ids: readonly number[]): Promise<AnyRow[]> {
    return this.bounded(() => this.history.getMany(name, ids));
  }

  private async bounded<T>(task: () => Promise<T>): Promise<T> {
    this.assertOpen();
    return patiently(task, this.deps.waits.patienceMs);
  }

  private heard(channel: string, payload: string): void {
    if (channel === COMMITS) this.follower.heard(payload);
    else if (channel === RENEWALS) void this.membership.renewNow();
    else if (channel === NOTICES) this.notices.tell(payload);
  }

  /** The reason names machines and users, which is for the log alone. */
  private note(what: 'writes' | 'feed', error: unknown): void {
    const before = this.troubles.size;
    this.troubles[error === undefined ? 'delete' : 'add'](what);
    if (before === 0 && this.troubles.size > 0 && this.closed === undefined) {
      const reason = typeof error === 'string' ? error : messageOfFailure(error);
      this.deps.warn(`The ${shownAddress(this.deps.address)} ${TROUBLE}: ${reason}. Broadcasts and status go on.`);
    } else if (before > 0 && this.troubles.size === 0) this.deps.warn('The database answers and takes writes again.');
  }

  private end(reason: EndReason): void {
    if (this.ended !== undefined) return;
    this.ended = new AppError('unavailable', `The store has ended: ${END_REASONS[reason]}.`);
    this.loop.end(this.ended);
    this.deps.warn(this.ended.message);
    this.deps.onEnd?.(END_REASONS[reason]);
  }

  private async closeAll(): Promise<void> {
    this.tidying.close();
    await this.loop.idle();
    await this.follower.close();
    await this.membership.close();
    await Promise.all([this.deps.commit, this.deps.side, this.deps.feed, this.history].map((each) => each.close()));
  }

  private assertOpen(): void {
    if (this.ended !== undefined) throw this.ended;
    if (this.closed !== undefined) throw new AppError('unavailable', 'The store is closed: the server is stopping.');
  }
}
