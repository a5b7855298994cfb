/**
 * Runs plans over the tables and appends what they wrote to the log, many in one batch. The writes are taken back until the batch is
 * acknowledged, so that reads never see what may yet be refused. A plan whose batch met a newer head is run again, and then the head is held
 * until it is through: a member that others write beside would wait for ever otherwise. For a moment the batches behind it hold the head from
 * the beginning.
 */
import { randomUUID } from 'node:crypto';
import { AppError } from '../../domain/base/errors.ts';
import { KeyTaken } from '../../domain/ports/store.ts';
import { Planner } from '../tables/planner.ts';
import type { Commit } from '../tables/tables.ts';
import { Transaction } from '../tables/transaction.ts';
import type { Connection, Session } from './database/connection.ts';
import { DatabaseAway, failureKind, messageOfFailure } from './database/failure.ts';
import type { HeadReads } from './head-reads.ts';
import { append, batchOf, since, type Batch, type Verdict } from './log.ts';
import type { Months } from './database/months.ts';
import { pauses } from './database/patience.ts';
import type { Replica } from './replica.ts';
import { Waiting } from './waiting.ts';

const MAX_TOGETHER = 256;
/** Others write beside this member for as long, and a batch that does not hold the head would be sent in vain. */
const CONTENDED_MS = 1_000;

export interface FlushDeps {
  readonly connection: Connection;
  readonly replica: Replica;
  readonly head: HeadReads;
  readonly months: Months;
  /** Stands for the clock of the database in tests. */
  readonly nowMs: () => number | undefined;
  readonly patienceMs: number;
  /** Called with the reason when the database refuses or does not answer, and with null when it does again. */
  readonly onTrouble: (reason: string | null) => void;
}

/** The result of one run of the waiting plans; nothing of it is in the tables. */
interface Planned {
  readonly commits: readonly Commit[];
  readonly nextIds: Readonly<Record<string, number>>;
  readonly outcomes: readonly Outcome[];
}

interface Outcome {
  readonly waiting: Waiting;
  readonly keys: readonly string[];
  settle(): void;
}

type Pending = { readonly batch: Batch; readonly planned: Planned };

export class FlushLoop {
  private readonly deps: FlushDeps;
  private readonly planner = new Planner();
  private queue: Waiting[] = [];
  private running: Promise<void> = Promise.resolve();
  private isRunning = false;
  private ended: Error | undefined;
  /** Attempts that met a newer head. */
  conflicts = 0;
  /** Monotonic time until which the first attempt of a batch holds the head. */
  private contendedUntilMs = -Infinity;

  constructor(deps: FlushDeps) {
    this.deps = deps;
  }

  async run<T>(plan: (tx: Transaction) => T): Promise<T> {
    this.planner.assertOutside();
    const waiting = new Waiting(plan, this.deps.patienceMs);
    this.queue.push(waiting);
    if (!this.isRunning) this.running = this.flush();
    return waiting.answer as Promise<T>;
  }

  /** Runs a plan over what is acknowledged now, and takes back what it wrote. */
  look<T>(plan: (tx: Transaction) => T): T {
    const tx = new Transaction(this.deps.replica.tables);
    try {
      return this.planner.run(() => plan(tx));
    } finally {
      tx.abandon();
    }
  }

  /** Resolves once nothing waits. */
  async idle(): Promise<void> {
    while (this.isRunning) await this.running;
  }

  /** Refuses all that wait or come. */
  end(error: Error): void {
    this.ended ??= error;
  }

  private async flush(): Promise<void> {
    this.isRunning = true;
    while (this.queue.length > 0) {
      // One turn of the event loop lets callers that were just answered join the next batch.
      await new Promise((resolve) => setImmediate(resolve));
      await this.carryOut(this.queue.splice(0, MAX_TOGETHER));
    }
    // In the same turn as the look at the queue, so that nobody is left in it.
    this.isRunning = false;
  }

  /** Ends when every one of them has its answer, or waits no longer. */
  private async carryOut(all: readonly Waiting[]): Promise<void> {
    let isHeld = performance.now() < this.contendedUntilMs;
    let unsure: Pending | undefined;
    for (const pauseMs of pauses()) {
      const { ended } = this;
      if (ended !== undefined) all.forEach((waiting) => waiting.reject(ended));
      const left = all.filter((waiting) => !waiting.isSettled);
      if (left.length === 0) return;
      // A batch whose outcome is unknown is sent again as it was: had it gone through, its plans must not run twice.
      const before = unsure;
      try {
        const session = await this.deps.connection.open();
        const keep = (pending: Pending): void => void (unsure = pending);
        if (before !== undefined) await this.appendAgain(session, before);
        else if (isHeld) await this.tryHeld(session, left, keep);
        else await this.tryOnce(session, left, keep);
        unsure = undefined;
        isHeld = true;
        this.deps.onTrouble(null);
      } catch (error) {
        const kind = failureKind(error);
        // An error that the database answers is the outcome of this attempt, and says nothing of those before.
        if (kind !== 'away') unsure = before;
        if (kind === 'content' && before === undefined) await this.refuseContent(left, error);
        else {
          this.deps.onTrouble(messageOfFailure(error));
          await Promise.race([pause(pauseMs), ...left.map((waiting) => waiting.gone)]);
        }
      }
    }
  }

  private async tryOnce(session: Session, left: readonly Waiting[], unsure: (pending: Pending) => void): Promise<void> {
    const { replica, head, months } = this.deps;
    const before = replica.position.seq;
    const planned = this.plan(left);
    if (planned.commits.length === 0) {
      await head.ask();
      // Memory without a database may be old, and so may be the reason for which a plan was refused.
      if (head.staleMs !== undefined) throw new DatabaseAway('the database does not answer');
      const isSame = replica.position.seq === before;
      const now = isSame ? planned : this.plan(left);
      if (now.commits.length === 0) now.outcomes.forEach((outcome) => outcome.settle());
      return;
    }
    await months.ensure(session, planned.commits);
    if (replica.position.seq !== before) return;
    const batch = this.batchOf(planned);
    unsure({ batch, planned });
    this.accept(await append(session, batch), { batch, planned });
  }

  private async appendAgain(session: Session, pending: Pending): Promise<void> {
    this.accept(await append(session, pending.batch), pending);
  }

  /** Plans and appends while nobody else can. */
  private async tryHeld(session: Session, left: readonly Waiting[], unsure: (pending: Pending) => void): Promise<void> {
    const { months } = this.deps;
    const planned = await this.planHeld(session, left).catch(async (error: unknown) => {
      if (failureKind(error) !== 'away') await session.query('rollback').catch(() => undefined);
      throw error;
    });
    if (months.hasUnknown(planned.commits)) {
      // They outlive the transaction, so that they are made outside of it.
      await session.query('rollback');
      return months.ensure(session, planned.commits);
    }
    if (planned.commits.length === 0) {
      await session.query('commit');
      planned.outcomes.forEach((outcome) => outcome.settle());
      return;
    }
    const pending = { batch: this.batchOf(planned), planned };
    unsure(pending);
    const [verdict, { command }] = await Promise.all([append(session, pending.batch), session.send('commit')]);
    if (command !== 'COMMIT') throw new DatabaseAway('the transaction was rolled back');
    this.accept(verdict, pending);
  }

  private async planHeld(session: Session, left: readonly Waiting[]): Promise<Planned> {
    const { replica, head } = this.deps;
    const heldAt = performance.now();
    const [, , verdict] = await Promise.all([
      session.query('begin'),
      session.query('select from onair.head for update', [], { name: 'hold' }),
      since(session, replica.position),
    ]);
    if (verdict.kind === 'behind') this.noteConflict();
    replica.take(verdict);
    head.fresh(heldAt);
    return this.plan(left);
  }

  private noteConflict(): void {
    this.conflicts += 1;
    this.contendedUntilMs = performance.now() + CONTENDED_MS;
  }

  private batchOf({ commits, nextIds }: Planned): Batch {
    return batchOf(randomUUID(), this.deps.replica.position, commits, nextIds, this.deps.nowMs());
  }

  /** Settles what the verdict decides; what it leaves is tried again. */
  private accept(verdict: Verdict, { batch, planned }: Pending): void {
    const { replica, head } = this.deps;
    const isLogged = verdict.kind === 'behind' && verdict.batches.some((logged) => logged.batch === batch.id);
    if (verdict.kind === 'done') replica.applyOwn(batch);
    else replica.take(verdict);
    if (verdict.kind === 'behind' && !isLogged) this.noteConflict();
    if (verdict.kind === 'done' || isLogged) planned.outcomes.forEach((outcome) => outcome.settle());
    if (verdict.kind !== 'key') {
      head.fresh(performance.now());
      return;
    }
    for (const { waiting, keys } of planned.outcomes) {
      const taken = keys.find((key) => verdict.keys.includes(key));
      if (taken !== undefined) waiting.reject(new KeyTaken(taken));
    }
  }

  private plan(left: readonly Waiting[]): Planned {
    const { tables } = this.deps.replica;
    const before = tables.nextIds();
    const outcomes: Outcome[] = [];
    const claimed = new Set<string>();
    for (const waiting of left) {
      const tx = new Transaction(tables);
      try {
        const answer = this.planner.run(() => waiting.plan(tx));
        // The second of two calls under one key waits for the first, whose outcome the database then knows.
        if (tx.claimedKeys.some((key) => claimed.has(key))) {
          tx.abandon();
          continue;
        }
        tx.claimedKeys.forEach((key) => claimed.add(key));
        tx.commit();
        outcomes.push({ waiting, keys: tx.claimedKeys, settle: () => waiting.resolve(answer) });
      } catch (error) {
        tx.abandon();
        outcomes.push({ waiting, keys: [], settle: () => waiting.reject(error) });
      }
    }
    const commits = tables.takeStaged();
    const after = tables.nextIds();
    tables.takeBack(commits);
    const raised = Object.entries(after).filter(([name, next]) => next !== before[name]);
    return { commits, nextIds: Object.fromEntries(raised), outcomes };
  }

  /** One by one, so that the others do not fail with the one whose rows the database does not take. */
  private async refuseContent(left: readonly Waiting[], error: unknown): Promise<void> {
    if (left.length === 1) {
      if (error instanceof AppError) return left[0]!.reject(error);
      const detail = `The database does not take what was to be written: ${messageOfFailure(error)}`;
      left[0]!.reject(new AppError('internal', detail, { cause: error }));
      return;
    }
    for (const waiting of left) await this.carryOut([waiting]);
  }
}

async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}
