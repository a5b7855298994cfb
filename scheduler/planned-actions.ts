/**
 * Carries out each planned action once and keeps its outcome. It begins at the action's instant, with one exception: for cues of breaks and
 * ad values of a Live stream on air the encoder is called 2.5 s before it, so that it has them in time (beginsAtMs in
 * domain/shapes/schedules/planned-action.ts).
 */
import { toIso } from '../domain/time/clock.ts';
import { AppError } from '../domain/base/errors.ts';
import { KeyedQueue } from '../domain/base/keyed-queue.ts';
import type { LivestreamStatus } from '../domain/shapes/broadcasts/livestream.ts';
import {
  ACTIONS,
  beginsAtMs,
  isTimed,
  lapseOf,
  type PlannedAction,
  type TimedAction,
} from '../domain/shapes/schedules/planned-action.ts';
import { failAction, settleAction } from '../domain/rules/schedules/planned-action.ts';
import { isHeld } from '../domain/rules/installation/store-eras.ts';
import type { Run } from '../domain/shapes/broadcasts/run.ts';
import type { View } from '../domain/ports/store.ts';
import { awaitedOf, startFailure } from './planned-actions-start.ts';
import type { SchedulerDeps, SchedulerTask } from './task.ts';
import { DueQueue } from './due-queue.ts';

/** A call that fails for a passing reason is repeated for this long. A killed runner is on air again within five seconds. */
const RETRIED_FOR_MS = 10_000;
const PAUSE_MS = 500;
/** An action that falls due later than this is queued behind the other late ones of its Live stream, in the order of their instants. */
const LATE_MS = 1000;
const STATUSES: readonly LivestreamStatus[] = [0, 1, 2, 3];

type Deps = Pick<SchedulerDeps, 'store' | 'clock' | 'log' | 'control' | 'perform'>;

/** An action whose instant has come, or is near. */
interface DueAction {
  id: number;
  atMs: number;
  /** The time at which it was found due. To wait for other actions from then on does not make it late. */
  seenAtMs: number;
  queueKey: string;
  /** Lets the next action of its queue begin. */
  release(): void;
}

export class PlannedActions implements SchedulerTask {
  private readonly deps: Deps;
  private readonly dueQueue: DueQueue;
  /** The actions whose instants are still to come, by id. */
  private readonly pending = new Map<number, Pick<TimedAction, 'livestreamId' | 'type' | 'execute_at'>>();
  private readonly queue = new KeyedQueue<string>();
  /** The queue in which an action waits for the start of its Live stream, by Live stream; later actions join it. */
  private readonly startQueues = new Map<number, string>();
  /** Actions that fell due while the restored store waited for a person. */
  private readonly held = new Set<number>();
  private endWatch: () => void = () => undefined;
  private readonly ending = new AbortController();

  constructor(deps: Deps) {
    this.deps = deps;
    this.dueQueue = new DueQueue(deps.clock, (id) => this.take(id));
  }

  async begin(): Promise<void> {
    const { store } = this.deps;
    this.endWatch = store.onChange((changes) => {
      for (const { collection, id } of changes) {
        if (collection === 'plannedActions') void this.follow(id);
        // A store that is closed has nothing more to carry out.
        else if (collection === 'eras') void this.expectHeld().catch(() => undefined);
      }
    });
    const { rows } = await store.find('plannedActions', { where: { status: 'pending' } });
    // An action that came meanwhile may be under way already.
    for (const action of rows) if (isTimed(action) && !this.pending.has(action.id)) this.expect(action);
  }

  /** A person has looked at a restored store, for which those that began ahead of their instants waited. */
  private async expectHeld(): Promise<void> {
    const ids = [...this.held];
    this.held.clear();
    for (const id of ids) await this.follow(id);
  }

  end(): void {
    this.ending.abort();
    this.endWatch();
    this.dueQueue.close();
  }

  private async follow(id: number): Promise<void> {
    const action = (await this.deps.store.get('plannedActions', id))?.row;
    if (action?.status === 'pending' && isTimed(action)) return this.expect(action);
    this.dueQueue.delete(id);
    this.pending.delete(id);
  }

  private expect(action: TimedAction): void {
    const { id, livestreamId, type, execute_at } = action;
    this.pending.set(id, { livestreamId, type, execute_at });
    this.dueQueue.set(id, beginsAtMs(action));
  }

  private take(id: number): void {
    const seenAtMs = this.deps.clock.now();
    const action = this.pending.get(id)!;
    const atMs = Date.parse(action.execute_at);
    const queueKey = this.queueKeyOf(action, atMs, seenAtMs);
    this.queue
      .run([queueKey], (release) => this.carryOut({ id, atMs, seenAtMs, queueKey, release }))
      .catch((error: unknown) => {
        this.deps.log.error({ err: error, actionId: id }, 'The outcome of a planned action could not be stored.');
      });
    void this.queue.drained(queueKey).then(() => this.endStartQueue(action.livestreamId, queueKey));
  }

  /**
   * The actions of one instant on one Live stream are carried out one after the other. So are those that an outage has made late, with those
   * that fall due meanwhile, and those that wait for a start. Otherwise a later instant waits for no earlier one, and no Live stream for
   * another. A start or stop that comes in time waits for none.
   */
  private queueKeyOf(
    { livestreamId, type }: Pick<PlannedAction, 'livestreamId' | 'type'>,
    atMs: number,
    seenAtMs: number,
  ): string {
    const late = `${livestreamId} late`;
    const waits = type !== 'start' && type !== 'stop';
    const behindStart = waits ? this.startQueues.get(livestreamId) : undefined;
    const isBehindLate = seenAtMs - atMs > LATE_MS || (waits && this.queue.isBusy(late));
    return behindStart ?? (isBehindLate ? late : `${livestreamId} ${atMs}`);
  }

  private endStartQueue(livestreamId: number, queueKey: string): void {
    if (this.queue.isBusy(queueKey) || this.startQueues.get(livestreamId) !== queueKey) return;
    this.startQueues.delete(livestreamId);
  }

  private async carryOut(due: DueAction): Promise<void> {
    const { id, atMs, seenAtMs } = due;
    const { store, clock, log } = this.deps;
    // A transaction runs behind all commits before it, so a change of the action that was made before its instant is seen here. From
    // here on, operations refuse to change it (assertPending).
    const { action, run, isWaiting } = await store.tx((tx) => {
      const stored = tx.get('plannedActions', id);
      const isWaiting = stored !== undefined && isHeld(tx, stored);
      return { action: stored, run: stored && tx.get('runs', stored.livestreamId), isWaiting };
    });
    if (isWaiting) return void this.held.add(id);
    if (this.ended || action?.status !== 'pending' || !isTimed(action)) return;
    if (Date.parse(action.execute_at) !== atMs) return;
    if (clock.now() < atMs && !canScheduleAhead(run)) return this.dueQueue.set(id, atMs);
    const lapse = lapseOf(action, run, seenAtMs);
    try {
      if (lapse !== undefined) throw new AppError('timeout', lapse);
      await this.perform(action, due);
    } catch (error) {
      // An action that is under way while the service ends is tried again by the next one.
      if (this.ended) return;
      const reason = error instanceof AppError ? error : new AppError('internal', 'The server failed to carry it out.');
      log.warn({ err: error, actionId: id, livestreamId: action.livestreamId }, 'A planned action has failed.');
      await store.tx((tx) => failAction(tx, toIso(clock.now()), action, explained(tx, action, reason)));
    }
  }

  private async perform(action: TimedAction, due: DueAction): Promise<void> {
    const { clock, perform } = this.deps;
    const { id, livestreamId, type, payload, execute_at, created_by: username } = action;
    const { atMs, release } = due;
    let giveUpAtMs: number | undefined;
    for (;;) {
      // The wait comes before the call, because a refusal would be the stored outcome under its key for each retry too.
      await this.untilStarted(action, due);
      if (this.ended) return;
      giveUpAtMs ??= Math.max(clock.now(), atMs) + RETRIED_FOR_MS;
      try {
        // The same key is used after a crash, so the encoder does not repeat what it has done already.
        const how = { username, idempotencyKey: `planned action ${id} of ${execute_at}` };
        const ahead = clock.now() < atMs ? { ahead: { atMs, onScheduled: release } } : {};
        await perform(
          ACTIONS[type].operation,
          { livestreamId, ...payload },
          { ...how, ...ahead, alongside: (tx, now) => settleAction(tx, now, action) },
        );
        return;
      } catch (error) {
        const now = clock.now();
        if (this.ended || now >= giveUpAtMs || (now >= atMs && !isPassing(error))) throw error;
        const pauseMs = now < atMs ? Math.min(PAUSE_MS, atMs - now) : PAUSE_MS;
        await new Promise<void>((resolve) => clock.after(pauseMs, resolve));
      }
    }
  }

  /** Resolves when no start is under way or due, or when a start has had its time. */
  private async untilStarted(action: TimedAction, { seenAtMs, queueKey }: DueAction): Promise<void> {
    const { store, clock, control } = this.deps;
    const { livestreamId } = action;
    while (!this.ended) {
      const awaited = await store.tx((tx) => awaitedOf(tx, action, clock.now()));
      const leftMs = seenAtMs + (awaited?.boundMs ?? 0) - clock.now();
      if (awaited === undefined || leftMs <= 0) return;
      if (!this.startQueues.has(livestreamId)) this.startQueues.set(livestreamId, queueKey);
      const others = STATUSES.filter((status) => status !== awaited.status);
      // A start that is only due may fail without a change of the status.
      const waitMs = awaited.status === 1 ? leftMs : Math.min(leftMs, PAUSE_MS);
      await control.waitFor(livestreamId, others, waitMs, this.ending.signal);
    }
  }

  private get ended(): boolean {
    return this.ending.signal.aborted;
  }
}

/** The cloud platform takes no change for an instant to come. */
function canScheduleAhead(run: Readonly<Run> | undefined): boolean {
  return run?.status === 2 && run.desired === 'on' && run.cloudAccountId == null;
}

/** Adds the failure of the start, because "not on air" alone says too little. */
function explained(view: View, { livestreamId }: Readonly<PlannedAction>, reason: AppError): AppError {
  const failure = reason.code === 'wrong_state' ? startFailure(view, livestreamId) : undefined;
  return failure === undefined ? reason : new AppError(reason.code, `${reason.message} Why it is not: ${failure}`);
}

/**
 * Whether a repeated call may succeed: the encoder is being restarted (unavailable), its answer was lost (timeout), the Live stream has just
 * been started (wrong_state), or the server before this one made the same call and its outcome is not stored yet (conflict).
 */
function isPassing(error: unknown): boolean {
  if (!(error instanceof AppError)) return false;
  if (['unavailable', 'timeout'].includes(error.code)) return true;
  return ['conflict', 'wrong_state'].includes(error.code) && error.extras.retryAfterSeconds !== undefined;
}
