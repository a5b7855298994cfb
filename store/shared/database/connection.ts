/**
 * One connection to the database, opened when it is needed and again after it was lost. Its queries are sent without waiting for the answers
 * to those before (pipeline mode). All values come as text.
 */
import pg from 'pg';
import { AppError } from '../../../domain/base/errors.ts';
import { clientOptions, type PostgresAddress } from './address.ts';
import { DatabaseAway, failureKind, isConnectionLost, messageOfFailure } from './failure.ts';

/** A database that is failing over takes no connection; one that is far away takes some hundred milliseconds. */
const CONNECT_TIMEOUT_MS = 5_000;
/** A database whose machine is gone, or that stands still, answers nothing any more, and nobody says so: the connection is given up then. */
const ANSWER_TIMEOUT_MS = 10_000;
/** A statement of a start or an export: a migration writes all rows anew, and members that start together wait for each other. */
export const TASK_TIMEOUT_MS = 120_000;

export type Cells = (string | null)[];

interface QueryOptions {
  /** Plans the query once for the connection. */
  readonly name?: string;
  /** The connection is given up when no answer has come in this time; left out: that of the session. */
  readonly timeoutMs?: number;
}

const TEXT_TYPES = { getTypeParser: () => (text: unknown) => text } as unknown as pg.CustomTypesConfig;

/** An open connection. Once it is lost, every query on it rejects with DatabaseAway. */
export class Session {
  private readonly client: pg.Client;
  private answerMs: number;

  constructor(client: pg.Client, answerMs: number) {
    this.client = client;
    this.answerMs = answerMs;
  }

  /** Rejects with DatabaseAway, or with the error that the database answered. */
  async query(text: string, values: readonly unknown[] = [], options: QueryOptions = {}): Promise<Cells[]> {
    return (await this.send(text, values, options)).rows;
  }

  /** Like query; answers the command that was carried out, too: a COMMIT of what failed is a ROLLBACK. */
  async send(
    text: string,
    values: readonly unknown[] = [],
    { name, timeoutMs = this.answerMs }: QueryOptions = {},
  ): Promise<{ rows: Cells[]; command: string }> {
    const config = { text, values: values as unknown[], rowMode: 'array' as const, types: TEXT_TYPES };
    const bound = { query_timeout: timeoutMs };
    try {
      const { rows, command } = await this.client.query<Cells>({ ...config, ...(name && { name }), ...bound });
      return { rows, command };
    } catch (error) {
      if (!isConnectionLost(error)) throw error;
      this.end();
      throw new DatabaseAway(messageOfFailure(error), { cause: error });
    }
  }

  /** Its statements may take minutes. */
  async transaction<T>(task: () => Promise<T>, begin = 'begin'): Promise<T> {
    const { answerMs } = this;
    await this.query(begin);
    this.answerMs = Math.max(answerMs, TASK_TIMEOUT_MS);
    try {
      const answer = await task();
      const { command } = await this.send('commit');
      if (command !== 'COMMIT') throw new DatabaseAway('the transaction was rolled back');
      return answer;
    } catch (error) {
      if (failureKind(error) !== 'away') await this.query('rollback').catch(() => undefined);
      throw error;
    } finally {
      this.answerMs = answerMs;
    }
  }

  /** Does not wait: what the database still answers is of no interest. */
  end(): void {
    // `end` sends a farewell and waits for the other side, which may be gone.
    const { stream } = (this.client as unknown as { connection: { stream: { destroy(): void } } }).connection;
    stream.destroy();
  }

  async close(): Promise<void> {
    await this.client.end().catch(() => undefined);
  }
}

export interface ConnectionOptions {
  readonly address: PostgresAddress;
  /** Shown in pg_stat_activity. */
  readonly purpose: string;
  /** A query that says nothing else waits for its answer so long; left out: ANSWER_TIMEOUT_MS. */
  readonly answerMs?: number;
  /** Makes a new connection ready; when it rejects, there is none. */
  readonly onOpen?: (session: Session) => Promise<void>;
  readonly onNotification?: (channel: string, payload: string) => void;
  readonly onLost?: () => void;
}

export class Connection {
  private readonly options: ConnectionOptions;
  private session: Promise<Session> | undefined;
  private current: pg.Client | undefined;
  private closed = false;

  constructor(options: ConnectionOptions) {
    this.options = options;
  }

  /** The open connection, or a new one. Rejects with DatabaseAway, or with what onOpen rejects with. */
  open(): Promise<Session> {
    if (this.closed) return Promise.reject(new DatabaseAway('the store is closed'));
    this.session ??= this.connect();
    return this.session;
  }

  get isOpen(): boolean {
    return this.current !== undefined;
  }

  async close(): Promise<void> {
    this.closed = true;
    const session = await this.session?.catch(() => undefined);
    await session?.close();
  }

  private async connect(): Promise<Session> {
    const { address, purpose, answerMs = ANSWER_TIMEOUT_MS, onOpen, onNotification, onLost } = this.options;
    const client = new pg.Client({
      ...clientOptions(address, purpose),
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      pipeline: true,
    } as pg.ClientConfig);
    let isLost = false;
    const lost = (): void => {
      isLost = true;
      if (this.current !== client) return;
      this.current = undefined;
      this.session = undefined;
      onLost?.();
    };
    // Without a listener a connection that dies while idle would end the process.
    client.on('error', lost);
    client.on('end', lost);
    if (onNotification !== undefined)
      client.on('notification', ({ channel, payload = '' }) => onNotification(channel, payload));
    const session = new Session(client, answerMs);
    try {
      await client.connect();
      await onOpen?.(session);
      if (isLost) throw new DatabaseAway('the connection ended while it was made ready');
    } catch (error) {
      this.session = undefined;
      session.end();
      // Nothing of ours was written yet, so that no answer is about its content.
      if (error instanceof AppError || error instanceof DatabaseAway) throw error;
      throw new DatabaseAway(messageOfFailure(error), { cause: error });
    }
    this.current = client;
    return session;
  }
}
