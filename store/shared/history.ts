/** Reads of history, by connections of their own: a long search holds up no commit. */
import pg from 'pg';
import { historyFacts, type HistoryName } from '../../domain/ports/collections.ts';
import { toIso } from '../../domain/time/clock.ts';
import type { Found, Query } from '../../domain/ports/store.ts';
import type { KeptMs } from '../history/history.ts';
import { deepFreeze } from '../tables/plain-copy.ts';
import type { AnyRow } from '../tables/table.ts';
import { clientOptions, type PostgresAddress } from './database/address.ts';
import { DatabaseAway, isConnectionLost, messageOfFailure } from './database/failure.ts';
import { historyQuery } from './database/history-query.ts';
import { RecentEvents } from './recent-events.ts';

const CONNECTIONS = 4;
const CONNECT_TIMEOUT_MS = 5_000;
const QUERY_TIMEOUT_MS = 30_000;

/** Rows that are read one by one, on their way: those of one query. */
interface Batch {
  readonly ids: Set<number>;
  readonly rows: Promise<ReadonlyMap<number, AnyRow>>;
}

export class HistoryReads {
  private readonly recent: RecentEvents;
  /** For each collection the rows that go with the next query, and the end of the present one. */
  private readonly waiting = new Map<HistoryName, Batch>();
  private readonly reading = new Map<HistoryName, Promise<unknown>>();
  private readonly pool: pg.Pool;
  private readonly keptMs: KeptMs | undefined;
  private readonly now: () => number;

  constructor(address: PostgresAddress, keptMs: KeptMs | undefined, now: () => number, recent = new RecentEvents()) {
    this.recent = recent;
    this.keptMs = keptMs;
    this.now = now;
    this.pool = new pg.Pool({
      // What is dropped is locked for a moment, and must not wait long with all others behind it.
      ...clientOptions(address, 'history', ' -c lock_timeout=5s'),
      max: CONNECTIONS,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: QUERY_TIMEOUT_MS,
      statement_timeout: QUERY_TIMEOUT_MS,
      allowExitOnIdle: true,
    });
    // A connection that dies while idle is replaced by the next query; without a listener it would end the process.
    this.pool.on('error', () => undefined);
  }

  /** Throws AppError invalid_input; rejects with DatabaseAway, or with what the database refuses. */
  async find(name: HistoryName, query: Query): Promise<Found<AnyRow>> {
    const { rows, total, values } = historyQuery(name, query, this.since(name));
    const isWhole = query.limit === undefined && query.offset === undefined;
    const [found, counted] = await Promise.all([
      query.limit === 0 ? [] : this.query(rows, values),
      // All that match are in the answer.
      isWhole ? undefined : this.query(total, values),
    ]);
    return {
      rows: found.map(([text]) => deepFreeze(JSON.parse(text!) as AnyRow)),
      total: counted === undefined ? found.length : Number(counted[0]![0]),
    };
  }

  /**
   * The row with this id. What is asked for while other rows are read goes in one query with what else is: each part of a server that follows
   * events reads each of them, and a storm of a thousand would hold up all other reads. Rejects like `find`.
   */
  async get(name: HistoryName, id: number): Promise<AnyRow | undefined> {
    const known = this.recent.get(name, id);
    if (known !== undefined) return known;
    const { ids, rows } = this.waiting.get(name) ?? this.nextBatch(name);
    ids.add(id);
    return (await rows).get(id);
  }

  /** Those of them that there are, in their order. Rejects like `find`. */
  async getMany(name: HistoryName, ids: readonly number[]): Promise<AnyRow[]> {
    // Taken before the database is asked: newer events may push them out meanwhile.
    const found = new Map(ids.map((id) => [id, this.recent.get(name, id)]));
    const missing = ids.filter((id) => found.get(id) === undefined);
    const { rows } = missing.length === 0 ? { rows: [] } : await this.find(name, { where: { id: { in: missing } } });
    for (const row of rows) {
      found.set(row.id, row);
      this.recent.keep(name, row);
    }
    return ids.flatMap((id) => found.get(id) ?? []);
  }

  private nextBatch(name: HistoryName): Batch {
    const ids = new Set<number>();
    const read = async (): Promise<ReadonlyMap<number, AnyRow>> => {
      await this.reading.get(name);
      this.waiting.delete(name);
      const found = this.getMany(name, [...ids]);
      this.reading.set(
        name,
        found.then(
          () => undefined,
          () => undefined,
        ),
      );
      return new Map((await found).map((row) => [row.id, row]));
    };
    const batch = { ids, rows: read() };
    this.waiting.set(name, batch);
    return batch;
  }

  /** Rows older than this are not answered, and go with the rest of their month. */
  private since(name: HistoryName): string | undefined {
    const keptMs = this.keptMs?.[name] ?? historyFacts(name).keptMs;
    return keptMs === Infinity ? undefined : toIso(Math.max(0, this.now() - keptMs));
  }

  async query(text: string, values: readonly unknown[]): Promise<(string | null)[][]> {
    const types = { getTypeParser: () => (cell: unknown) => cell } as unknown as pg.CustomTypesConfig;
    try {
      const { rows } = await this.pool.query<(string | null)[]>({
        text,
        values: values as unknown[],
        rowMode: 'array',
        types,
      });
      return rows;
    } catch (error) {
      if (isConnectionLost(error)) throw new DatabaseAway(messageOfFailure(error), { cause: error });
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.pool.end().catch(() => undefined);
  }
}
