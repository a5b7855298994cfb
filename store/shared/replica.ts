/** The tables of a member: the acknowledged beginning of the one log, up to a position. */
import { ChangeFeed } from '../tables/change-feed.ts';
import { changesOf, type Replayed, type Tables } from '../tables/tables.ts';
import type { RecentEvents } from './recent-events.ts';
import { bodiesOf, type Batch, type LoggedBatch, type Position, type Verdict } from './log.ts';

/** Why a member cannot go on with what it has in memory: its process ends, and begins anew with what the database has. */
export type EndReason = 'rewound' | 'too_old';

export const END_REASONS: Record<EndReason, string> = {
  rewound:
    'store_rewound: the database has lost commits that were acknowledged, as after a failover to a standby that was behind, or a restored ' +
    'backup. This process has more in memory than is stored, and ends; the next start begins with what the database has',
  too_old:
    'this process was away for so long that the log of the database does not reach back to it any more, or the database was brought to a newer ' +
    'schema version; it ends, and the next start reads everything anew',
};

export class Replica {
  readonly tables: Tables;
  readonly feed: ChangeFeed;
  /** Rows of history by collection; not exact where they are many. */
  readonly historyCounts: Record<string, number>;
  private tip: string;
  private readonly onEnd: (reason: EndReason) => void;
  private readonly recent: RecentEvents | undefined;

  constructor(
    tables: Tables,
    tip: string,
    counts: Readonly<Record<string, number>>,
    onEnd: (reason: EndReason) => void,
    recent?: RecentEvents,
  ) {
    this.recent = recent;
    this.tables = tables;
    this.tip = tip;
    this.feed = new ChangeFeed(tables.seq);
    this.historyCounts = { ...counts };
    this.onEnd = onEnd;
  }

  get position(): Position {
    return { seq: this.tables.seq, tip: this.tip };
  }

  /** Applies what a look at the log has shown. */
  take(verdict: Verdict): void {
    if (verdict.kind === 'behind') this.advance(verdict.batches);
    else if (verdict.kind === 'unknown_tip') this.onEnd('rewound');
    else if (verdict.kind === 'too_old') this.onEnd('too_old');
  }

  /** Applies an own batch that was appended; the feed may have brought it already. */
  applyOwn({ id, position, commits }: Batch): void {
    if (this.tables.seq !== position.seq) return;
    for (const { seq, body } of commits) this.apply(seq, body);
    this.tip = id;
  }

  private advance(batches: readonly LoggedBatch[]): void {
    for (const logged of batches) {
      if (logged.seq <= this.tables.seq) continue;
      if (logged.first !== this.tables.seq + 1)
        throw new Error(`The log goes on with ${logged.first} where ${this.tables.seq + 1} is due.`);
      const bodies = bodiesOf(logged);
      if (bodies.length !== logged.seq - logged.first + 1)
        throw new Error(`The log has ${bodies.length} commits from ${logged.first} to ${logged.seq}.`);
      // A member of another version, or a damaged one, may have written what cannot be read here: nothing of it is taken in then.
      for (const body of bodies) this.tables.assertReplayable(body);
      for (const [at, body] of bodies.entries()) this.apply(logged.first + at, body);
      this.tip = logged.batch;
    }
  }

  private apply(seq: number, body: Replayed): void {
    this.tables.replay(seq, body);
    // Whoever hears of the commit reads them.
    for (const [name, , , row] of body.ops) if (row) this.recent?.keep(name, row);
    const changes = changesOf({ seq, body });
    for (const { collection } of changes) {
      const count = this.historyCounts[collection];
      if (count !== undefined) this.historyCounts[collection] = count + 1;
    }
    this.feed.publish(seq, changes);
  }
}
