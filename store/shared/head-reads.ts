/**
 * Asks where the head of the log is, so that an answer from memory has everything that was acknowledged anywhere before it was asked for. All
 * who ask while a query is under way share the next one.
 */
import type { Connection } from './database/connection.ts';
import { failureKind } from './database/failure.ts';
import { since } from './log.ts';
import { within } from './database/patience.ts';
import type { Replica } from './replica.ts';

/** A database that takes longer counts as away, and memory answers. */
const HEAD_TIMEOUT_MS = 2_000;
/** The log is followed each second: a database of which nothing was heard for longer has not answered. */
const SILENT_MS = 2_000;

export class HeadReads {
  private readonly connection: Connection;
  private readonly replica: Replica;
  private running: Promise<void> | undefined;
  private next: Promise<void> | undefined;
  private away = false;
  /** Monotonic time of the last moment at which memory was at the head. */
  private freshAtMs = performance.now();

  constructor(connection: Connection, replica: Replica) {
    this.connection = connection;
    this.replica = replica;
  }

  /** Milliseconds for which nobody knows whether memory is at the head; undefined while the database answers. */
  get staleMs(): number | undefined {
    return this.away ? performance.now() - this.freshAtMs : undefined;
  }

  /** Whether the database owes an answer, before the wait for it is over. */
  get isSilent(): boolean {
    return performance.now() - this.freshAtMs > SILENT_MS;
  }

  /** Called when the head was met in another way, at the monotonic time `atMs`. */
  fresh(atMs: number): void {
    this.freshAtMs = Math.max(this.freshAtMs, atMs);
    this.away = false;
  }

  /** Called when the database does not answer: memory does, without asking. */
  lost(): void {
    this.away = true;
  }

  /** Resolves when memory is at the head, or when the database does not answer. */
  ask(): Promise<void> {
    if (this.away) return Promise.resolve();
    this.next ??= this.afterRunning();
    return this.next;
  }

  private async afterRunning(): Promise<void> {
    // Those who ask in this turn of the event loop are answered together.
    await (this.running ?? Promise.resolve()).catch(() => undefined);
    const own = this.next;
    this.next = undefined;
    // A database that has just not answered is not asked again by those that have waited for it.
    if (this.away) return;
    this.running = own;
    await this.reach().finally(() => {
      if (this.running === own) this.running = undefined;
    });
  }

  private async reach(): Promise<void> {
    const end = performance.now() + HEAD_TIMEOUT_MS;
    try {
      await this.look(end);
    } catch {
      // Connections that were ended one by one are opened again at once; a database that is away is not there a moment later either.
      await this.look(end).catch((error: unknown) => {
        if (failureKind(error) === 'content') throw error;
        this.away = true;
      });
    }
  }

  /** `end` is the monotonic time at which it is given up. */
  private async look(end: number): Promise<void> {
    const { replica } = this;
    const askedAtMs = performance.now();
    const leftMs = (): number => Math.max(1, end - performance.now());
    const before = replica.position;
    const session = await within(this.connection.open(), leftMs());
    const options = { name: 'head', timeoutMs: leftMs() };
    const [[seq, tip] = []] = await session.query('select seq, tip from onair.head', [], options);
    // A commit of our own may have come back meanwhile, before this answer.
    if (
      Number(seq) > replica.position.seq ||
      Number(seq) < before.seq ||
      (Number(seq) === before.seq && tip !== before.tip)
    )
      replica.take(await since(session, replica.position, leftMs()));
    this.fresh(askedAtMs);
  }
}
