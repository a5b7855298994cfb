/** The processes that share the store, a row each, renewed by the clock of the database. */
import { AppError } from '../../domain/base/errors.ts';
import { GONE_MS, type StoreMember } from '../../domain/shapes/installation/member.ts';
import { RENEWALS, tell } from './database/channels.ts';
import type { Connection, Session } from './database/connection.ts';
import type { DatabaseClock } from './database/database-clock.ts';
import { failureKind } from './database/failure.ts';
import type { HeadReads } from './head-reads.ts';
import { pauses, RENEWAL_MS, type Waits } from './database/patience.ts';
import type { Replica } from './replica.ts';

const TIMEOUT_MS = 4_000;
export const GONE_SECONDS = GONE_MS / 1000;

/** A process that stays: a server. Commands that open the store for a moment have neither. */
export interface ServerFacts {
  /** Outlives the process: a server that starts again takes the place of the one before it. */
  readonly id: string;
  /** Name of its machine, for people. */
  readonly name: string;
}

export interface MemberFacts {
  readonly id: string;
  readonly name: string | undefined;
  readonly program: string | undefined;
  /** The schema version that it reads and writes. */
  readonly speaks: number;
}

/** Enters the member, so that others see it from the beginning. */
export async function enterMember(session: Session, facts: MemberFacts, seq: number): Promise<void> {
  await session.query(
    `insert into onair.members (id, name, program, speaks, seq, started_at, renewed_at)
      values ($1, $2, $3, $4, $5, clock_timestamp(), clock_timestamp())
      on conflict (id) do update set name = excluded.name, program = excluded.program, speaks = excluded.speaks,
        seq = excluded.seq, started_at = excluded.started_at, renewed_at = excluded.renewed_at`,
    [facts.id, facts.name ?? null, facts.program ?? null, facts.speaks, seq],
  );
}

/** Descriptions of the members that were heard of lately, without the one named. */
export async function otherMembers(session: Session, id: string, test = 'true'): Promise<string[]> {
  const rows = await session.query(
    `select coalesce('onair ' || program, 'a member') || coalesce(' on ' || name, ''), speaks, to_char(started_at, 'YYYY-MM-DD HH24:MI:SS')
      from onair.members where id <> $1 and renewed_at > clock_timestamp() - interval '${GONE_SECONDS} seconds' and ${test}`,
    [id],
  );
  return rows.map(([name, speaks, since]) => `${name} (schema version ${speaks}, running since ${since} UTC)`);
}

/** Throws AppError conflict while another member runs. */
export async function assertAlone(session: Session, id: string, task: string): Promise<void> {
  const others = await otherMembers(session, id);
  if (others.length === 0) return;
  throw new AppError('conflict', `${task} needs the store alone, and others use it: ${others.join('; ')}.`, {
    remedy: `Stop them; one that was killed is no longer counted after ${GONE_SECONDS} seconds.`,
  });
}

const INSTANT = '\'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'';

/** The servers that were heard of within the last day; commands that use the store for a moment are not among them. */
async function listMembers(session: Session): Promise<StoreMember[]> {
  const rows = await session.query(
    `select m.id, m.name, m.program, to_char(m.started_at at time zone 'UTC', ${INSTANT}),
        to_char(m.renewed_at at time zone 'UTC', ${INSTANT}), extract(epoch from clock_timestamp() - m.renewed_at) * 1000,
        greatest(h.seq - m.seq, 0), (select coalesce(json_agg(l.name order by l.name), '[]') from onair.leases l
          where l.holder = m.id::text and l.expires_at > clock_timestamp())
      from onair.members m, onair.head h where m.name is not null order by m.id`,
    [],
    { name: 'members', timeoutMs: TIMEOUT_MS },
  );
  return rows.map(([id, name, version, started_at, seen_at, silentMs, lag, leases]) => ({
    id: id!,
    name: name!,
    version: version ?? null,
    started_at: started_at!,
    seen_at: seen_at!,
    silentMs: Math.max(0, Number(silentMs)),
    lag: Number(lag),
    leases: JSON.parse(leases!) as string[],
  }));
}

/** A server counts on being heard of for so long after its last renewal: what it then answers is no older than GONE_MS. */
const COUNTED_SECONDS = GONE_SECONDS + 2 * (RENEWAL_MS / 1000);

/** Whether a server that was heard of lately has not said yet that it has applied the log up to `seq`. */
async function isBehind(session: Session, id: string, seq: number): Promise<boolean> {
  const [[count] = []] = await session.query(
    `select count(*) from onair.members where name is not null and id <> $1 and seq < $2
      and renewed_at > clock_timestamp() - interval '${COUNTED_SECONDS} seconds'`,
    [id, seq],
    { name: 'behind', timeoutMs: TIMEOUT_MS },
  );
  return Number(count) > 0;
}

export interface MembershipOptions {
  facts: MemberFacts;
  connection: Connection;
  replica: Replica;
  head: HeadReads;
  clock: DatabaseClock;
  /** Gets the error, or undefined. */
  onRenewed(error: unknown): void;
  waits: Waits;
}

export class Membership {
  private readonly facts: MemberFacts;
  private readonly connection: Connection;
  private readonly replica: Replica;
  private readonly head: HeadReads;
  private readonly clock: DatabaseClock;
  private readonly onRenewed: (error: unknown) => void;
  private readonly waits: Waits;
  private readonly timer: NodeJS.Timeout;
  private renewing: Promise<void> | undefined;
  private known: readonly StoreMember[] = [];

  constructor({ facts, connection, replica, head, clock, onRenewed, waits }: MembershipOptions) {
    this.facts = facts;
    this.connection = connection;
    this.replica = replica;
    this.head = head;
    this.clock = clock;
    this.onRenewed = onRenewed;
    this.waits = waits;
    this.timer = setInterval(() => (this.renewing ??= this.renew()), waits.renewalMs);
    this.timer.unref();
    if (facts.name !== undefined) this.renewing = this.renew();
  }

  /** As they were at the last renewal that the database has taken. */
  get members(): readonly StoreMember[] {
    return this.known;
  }

  async list(): Promise<StoreMember[]> {
    const members = await listMembers(await this.connection.open());
    this.known = members;
    return members;
  }

  /** Another member wants to know how far this one is. */
  async renewNow(): Promise<void> {
    await this.head.ask().catch(() => undefined);
    // The one under way may have begun before the head was reached.
    await this.renewing;
    await (this.renewing ??= this.renew());
  }

  /**
   * Resolves when each other server has applied the log up to `seq`. One that was not heard of for 60 s refuses everybody by then, so the wait
   * is over after that time, also where the database does not answer.
   */
  async othersApplied(seq: number): Promise<void> {
    const end = performance.now() + this.waits.goneMs;
    for (const ms of pauses()) {
      try {
        const session = await this.connection.open();
        if (!(await isBehind(session, this.facts.id, seq))) return;
        await tell(session, RENEWALS, '', TIMEOUT_MS);
      } catch (error) {
        if (failureKind(error) === 'content') throw error;
      }
      if (performance.now() + ms > end) return;
      await new Promise((resolve) => setTimeout(resolve, ms));
    }
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.renewing;
    const session = await this.connection.open().catch(() => undefined);
    await session
      ?.query('delete from onair.members where id = $1', [this.facts.id], { timeoutMs: TIMEOUT_MS })
      .catch(() => undefined);
  }

  private async renew(): Promise<void> {
    const { id, name, program, speaks } = this.facts;
    try {
      const session = await this.connection.open();
      // A member that was thought gone is entered again.
      await session.query(
        `insert into onair.members (id, name, program, speaks, seq, started_at, renewed_at)
          values ($1, $2, $3, $4, $5, clock_timestamp(), clock_timestamp())
          on conflict (id) do update set seq = excluded.seq, renewed_at = excluded.renewed_at`,
        [id, name ?? null, program ?? null, speaks, this.replica.position.seq],
        { name: 'renew', timeoutMs: TIMEOUT_MS },
      );
      await this.clock.measure(session);
      if (name !== undefined) this.known = await listMembers(session);
      this.onRenewed(undefined);
    } catch (error) {
      this.onRenewed(error);
    } finally {
      this.renewing = undefined;
    }
  }
}
