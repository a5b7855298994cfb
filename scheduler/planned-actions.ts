/** Planned actions: each is carried out at its instant, once, and keeps what came of it. */
import { AppError } from '../domain/errors.ts';
import { ACTION_OPERATIONS, lapseOf, type PlannedAction } from '../domain/planned-action.ts';
import { failAction, settleAction } from '../domain/resources/planned-action.ts';
import { toIso } from '../domain/clock.ts';
import type { Duty, SchedulerParts } from './scheduler.ts';
import { Timeline } from './timeline.ts';

/** A runner that was killed is on air again within five; nobody wants a change that comes later than that. */
const TRIED_FOR_MS = 10_000;
const PAUSE_MS = 500;
/** From here on an action has missed its instant: what else was missed goes first. */
const LATE_MS = 1000;

type Parts = Pick<SchedulerParts, 'store' | 'clock' | 'log' | 'perform'>;

export class PlannedActions implements Duty {
  private readonly parts: Parts;
  private readonly line: Timeline;
  /** Live streams of the actions that are waited for. */
  private readonly livestreams = new Map<number, number>();
  private readonly lanes = new Map<string, Promise<void>>();
  private endWatch: () => void = () => undefined;
  private ended = false;

  constructor(parts: Parts) {
    this.parts = parts;
    this.line = new Timeline(parts.clock, (id, atMs) => this.queue(id, atMs));
  }

  async begin(): Promise<void> {
    const { store } = this.parts;
    this.endWatch = store.onChange((changes) => {
      for (const { collection, id } of changes) if (collection === 'plannedActions') void this.follow(id);
    });
    const { rows } = await store.find('plannedActions', { where: { status: 'pending' } });
    // One that came meanwhile may be under way already.
    for (const action of rows) if (!this.livestreams.has(action.id)) this.expect(action);
  }

  end(): void {
    this.ended = true;
    this.endWatch();
    this.line.close();
  }

  private async follow(id: number): Promise<void> {
    const action = (await this.parts.store.get('plannedActions', id))?.row;
    if (action?.status === 'pending') return this.expect(action);
    this.line.delete(id);
    this.livestreams.delete(id);
  }

  private expect({ id, livestreamId, execute_at }: Readonly<PlannedAction>): void {
    this.livestreams.set(id, livestreamId);
    this.line.set(id, Date.parse(execute_at));
  }

  /**
   * Those of one instant on one Live stream are carried out one after the other, and so are those that an outage has made late; a later
   * instant waits for none of them, nor does another Live stream.
   */
  private queue(id: number, atMs: number): void {
    const seenAtMs = this.parts.clock.now();
    const isLate = seenAtMs - atMs > LATE_MS;
    const lane = `${this.livestreams.get(id)} ${isLate ? 'late' : atMs}`;
    const task = (this.lanes.get(lane) ?? Promise.resolve()).then(() => this.carryOut(id, atMs, seenAtMs));
    const tail = task.catch((error: unknown) => {
      this.parts.log.error({ err: error, actionId: id }, 'The outcome of a planned action could not be stored.');
    });
    this.lanes.set(lane, tail);
    void tail.then(() => this.lanes.get(lane) === tail && this.lanes.delete(lane));
  }

  /** `seenAtMs`: when it was seen to be due. That it waits for others since does not make it late. */
  private async carryOut(id: number, atMs: number, seenAtMs: number): Promise<void> {
    const { store, clock, log } = this.parts;
    // In the order of commits: whoever has changed it before its time is seen here, and nobody changes it from its time on.
    const { action, run } = await store.tx((tx) => {
      const found = tx.get('plannedActions', id);
      return { action: found, run: found && tx.get('runs', found.livestreamId) };
    });
    if (this.ended || action?.status !== 'pending' || Date.parse(action.execute_at) !== atMs) return;
    const lapse = lapseOf(action, run, seenAtMs);
    try {
      if (lapse !== undefined) throw new AppError('timeout', lapse);
      await this.perform(action);
    } catch (error) {
      // What is under way while the service ends is tried again by the next one.
      if (this.ended) return;
      const reason = error instanceof AppError ? error : new AppError('internal', 'The server failed to carry it out.');
      log.warn({ err: error, actionId: id, livestreamId: action.livestreamId }, 'A planned action has failed.');
      await store.tx((tx) => failAction(tx, toIso(clock.now()), action, reason));
    }
  }

  private async perform(action: Readonly<PlannedAction>): Promise<void> {
    const { clock, perform } = this.parts;
    const { id, livestreamId, type, payload, execute_at, created_by: username } = action;
    const giveUpAtMs = clock.now() + TRIED_FOR_MS;
    for (;;) {
      try {
        // The same key after a crash: what the encoder has done for it before, it does not do again.
        const how = { username, idempotencyKey: `planned action ${id} of ${execute_at}` };
        await perform(
          ACTION_OPERATIONS[type],
          { livestreamId, ...payload },
          { ...how, alongside: (tx, now) => settleAction(tx, now, action) },
        );
        return;
      } catch (error) {
        if (this.ended || !isPassing(error) || clock.now() >= giveUpAtMs) throw error;
        await new Promise<void>((resolve) => clock.after(PAUSE_MS, resolve));
      }
    }
  }
}

/** An encoder that is being started again, an answer that got lost, or the same call of a predecessor that still runs. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof AppError)) return false;
  return ['unavailable', 'timeout'].includes(error.code) || (error.code === 'conflict' && isTemporary(error));
}

function isTemporary({ extras }: AppError): boolean {
  return extras.retryAfterSeconds !== undefined;
}
