/** Lets go what is too old: history by whole months, idempotency records and the log by some thousand rows. One member at a time does it. */
import { HISTORY_NAMES, historyFacts, type HistoryName } from '../../domain/ports/collections.ts';
import { toIso } from '../../domain/time/clock.ts';
import type { KeptMs } from '../history/history.ts';
import { instantOf, isPartitioned, tableOf } from './database/columns.ts';
import { messageOfFailure } from './database/failure.ts';
import { GONE_SECONDS } from './membership.ts';

/** Runs one statement, by a connection that others do not wait for. */
type Run = (text: string, values: readonly unknown[]) => Promise<(string | null)[][]>;

/** Some milliseconds of work, so that commits are not held up. */
const TOGETHER = 5_000;
/** The log reaches back at least so far: a member that was paused for less goes on, one that was paused longer reads everything anew. */
const LOG_KEPT = '1 hour';
const MEMBERS_KEPT = '1 day';

/** Longest time for which a row stays that is too old. */
const EVERY_MS = 10 * 60_000;

interface TidyingDeps {
  readonly run: Run;
  readonly keptMs: KeptMs | undefined;
  readonly now: () => number;
  /** Resolves with undefined while another member has the lease. */
  readonly claim: (ttlMs: number) => Promise<unknown>;
  readonly warn: (message: string) => void;
}

export class Tidying {
  private readonly deps: TidyingDeps;
  private readonly timer: NodeJS.Timeout;
  private closed = false;

  constructor(deps: TidyingDeps) {
    this.deps = deps;
    this.timer = setInterval(() => void this.attempt(), EVERY_MS);
    this.timer.unref();
  }

  close(): void {
    this.closed = true;
    clearInterval(this.timer);
  }

  /** A full disk, or a lock that did not come, leaves the rest to the next attempt. */
  private async attempt(): Promise<void> {
    const { claim, run, keptMs, now, warn } = this.deps;
    try {
      if ((await claim(EVERY_MS / 2)) !== undefined) await tidy(run, keptMs, now());
    } catch (error) {
      if (!this.closed) warn(`The database was not tidied up: ${messageOfFailure(error)}.`);
    }
  }
}

export async function tidy(run: Run, keptMs: KeptMs | undefined, nowMs: number): Promise<void> {
  await run(`delete from onair.members where renewed_at < clock_timestamp() - interval '${MEMBERS_KEPT}'`, []);
  // The last commit stays, because a member at the head is known by it.
  await inParts(
    run,
    `delete from onair.commits where seq in (select seq from onair.commits
      where at < clock_timestamp() - interval '${LOG_KEPT}' and seq < (select seq from onair.head)
        and seq < (select coalesce(min(m.seq), h.seq) from onair.head h left join onair.members m
          on m.renewed_at > clock_timestamp() - interval '${GONE_SECONDS} seconds' group by h.seq)
      order by seq limit ${TOGETHER})`,
    [],
  );
  for (const name of HISTORY_NAMES) {
    const kept = keptMs?.[name] ?? historyFacts(name).keptMs;
    if (kept === Infinity) continue;
    const since = toIso(Math.max(0, nowMs - kept));
    if (isPartitioned(name)) await dropMonths(run, name, since);
    const table = isPartitioned(name) ? `${tableOf(name)}_other` : tableOf(name);
    await inParts(
      run,
      `delete from ${table} where ctid = any (array(select ctid from ${table} where ${instantOf(name)} <= $1 limit ${TOGETHER}))`,
      [since],
    );
  }
}

/** A month goes once its last row is too old. */
async function dropMonths(run: Run, name: HistoryName, since: string): Promise<void> {
  const months = await run(
    `select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = '${tableOf(name)}'::regclass`,
    [],
  );
  for (const [partition] of months) {
    const [, year, month] = /_(\d{4})_(\d{2})$/u.exec(partition!) ?? [];
    if (year === undefined) continue;
    const end = new Date(Date.UTC(Number(year), Number(month), 1)).toISOString();
    if (end <= since) await run(`drop table onair.${partition}`, []);
  }
}

async function inParts(run: Run, text: string, values: readonly unknown[]): Promise<void> {
  for (;;) {
    const [[count] = []] = await run(`with gone as (${text} returning 1) select count(*) from gone`, values);
    if (Number(count) < TOGETHER) break;
  }
}
