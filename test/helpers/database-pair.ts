/** A database of two machines: a primary, and a synchronous standby that takes its place. Servers reach the one that takes writes by a line. */
import { cleanUp, type Owner } from './clean-up.ts';
import { openLine, type Line } from './line.ts';
import { PostgresServer } from './postgres.ts';
import { until } from './until.ts';

/** A standby that waits for the log of its primary asks again so often; the default of 5 s is how long commits wait behind a restart. */
const SETTINGS = ['wal_retrieve_retry_interval = 200ms', 'hot_standby_feedback = on'];

export class DatabasePair {
  private readonly owner: Owner;
  private primary: PostgresServer;
  private standby: PostgresServer;
  private number = 1;

  private constructor(owner: Owner, primary: PostgresServer, standby: PostgresServer) {
    this.owner = owner;
    this.primary = primary;
    this.standby = standby;
  }

  static async start(owner: Owner): Promise<DatabasePair> {
    const primary = await PostgresServer.start(owner, SETTINGS);
    const pair = new DatabasePair(owner, primary, await PostgresServer.standbyOf(owner, primary, 'standby_1'));
    await pair.demandStandby();
    return pair;
  }

  /** A database of its own, and an address of it for each of `count` servers, with the line that it takes. */
  async database(count: number): Promise<{ url: string; line: Line }[]> {
    const url = new URL(await this.primary.database());
    return Promise.all(
      Array.from({ length: count }, async () => {
        const line = await openLine(() => this.primary.port);
        cleanUp(this.owner, () => line.close());
        return { url: `postgres://onair@127.0.0.1:${line.port}${url.pathname}`, line };
      }),
    );
  }

  query(text: string, database?: string): Promise<Record<string, unknown>[]> {
    return this.primary.query(text, database);
  }

  endConnections(): Promise<void> {
    return this.primary.endConnections();
  }

  /** Those by which servers hear of commits. */
  async endListeners(): Promise<void> {
    await this.primary.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'onair feed'",
    );
  }

  /** Nothing of the primary runs for so long, and nobody is told. */
  async standStill(ms: number): Promise<void> {
    this.primary.signal('SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, ms));
    this.primary.signal('SIGCONT');
  }

  /** The primary dies with all its processes, and is there again `pauseMs` later. */
  async killPrimary(pauseMs: number): Promise<void> {
    await this.primary.kill();
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    await this.primary.run();
  }

  /** As for an update of its version: who is connected loses the connection, and it is there again once it has ended in order. */
  async restartPrimary(): Promise<void> {
    await this.primary.restart();
  }

  /**
   * The primary dies for good and the standby takes its place, with a new standby behind it. Resolves with the monotonic time at which it took
   * writes.
   */
  async failOver(): Promise<number> {
    await this.primary.kill();
    const promoted = this.standby;
    // It would wait for a standby that nobody has made yet.
    await promoted.set("synchronous_standby_names = ''");
    await promoted.promote();
    this.primary = promoted;
    const at = performance.now();
    this.number += 1;
    this.standby = await PostgresServer.standbyOf(this.owner, promoted, `standby_${this.number}`);
    await this.demandStandby();
    return at;
  }

  /** Commits wait for the standby from then on. */
  private async demandStandby(): Promise<void> {
    const name = `standby_${this.number}`;
    await this.primary.set(`synchronous_standby_names = '${name}'`);
    await this.primary.reload();
    await until(`${name} is synchronous`, async () => {
      const rows = await this.primary.query('select application_name, sync_state from pg_stat_replication');
      return rows.some(({ application_name, sync_state }) => application_name === name && sync_state === 'sync');
    });
  }
}
