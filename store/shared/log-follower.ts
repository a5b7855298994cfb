/**
 * Follows the log: the database tells of each commit, and is asked each second in case that it was not heard. While it is away it is asked more
 * often, so that memory is at the head again soon after it is back.
 */
import type { Connection } from './database/connection.ts';
import type { HeadReads } from './head-reads.ts';
import { since } from './log.ts';
import type { Replica } from './replica.ts';

const POLL_MS = 1_000;
const AWAY_POLL_MS = 200;
/** A database that takes longer counts as away. */
const TIMEOUT_MS = 5_000;

export class LogFollower {
  private readonly connection: Connection;
  private readonly replica: Replica;
  private readonly head: HeadReads;
  private readonly onTrouble: (error: unknown) => void;
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> | undefined;
  /** Set when the database told of a commit while a look was under way. */
  private isDue = false;
  private closed = false;

  constructor(connection: Connection, replica: Replica, head: HeadReads, onTrouble: (error: unknown) => void) {
    this.connection = connection;
    this.replica = replica;
    this.head = head;
    this.onTrouble = onTrouble;
    this.later(POLL_MS);
  }

  /** `payload` is the position of the last commit. */
  heard(payload: string): void {
    if (Number(payload) <= this.replica.position.seq) return;
    if (this.looking === undefined) this.look();
    else this.isDue = true;
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    await this.looking;
  }

  private look(): void {
    clearTimeout(this.timer);
    this.isDue = false;
    this.looking = this.lookOnce().then((isAnswered) => {
      this.looking = undefined;
      if (this.closed) return;
      if (isAnswered && this.isDue) this.look();
      else this.later(isAnswered ? POLL_MS : AWAY_POLL_MS);
    });
  }

  private later(ms: number): void {
    this.timer = setTimeout(() => this.look(), ms);
    // It is the server that keeps the process alive, not its look-out.
    this.timer.unref();
  }

  private async lookOnce(): Promise<boolean> {
    try {
      // A connection that was ended by itself is opened again at once.
      await this.follow().catch(() => this.follow());
      this.onTrouble(undefined);
      return true;
    } catch (error) {
      this.head.lost();
      this.onTrouble(error);
      return false;
    }
  }

  private async follow(): Promise<void> {
    const askedAtMs = performance.now();
    const session = await this.connection.open();
    this.replica.take(await since(session, this.replica.position, TIMEOUT_MS));
    this.head.fresh(askedAtMs);
  }
}
