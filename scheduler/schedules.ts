/** Starts and stops Live streams by the clock. The due instants are kept in memory; what is due is decided and done in one commit. */
import { toIso } from '../domain/time/clock.ts';
import type { LivestreamEvent } from '../domain/shapes/installation/event.ts';
import { retirableSchedules, retireFirings } from '../domain/rules/schedules/schedule-firings.ts';
import { waitingRestore } from '../domain/rules/installation/store-eras.ts';
import type { Change } from '../domain/ports/store.ts';
import type { SchedulerDeps, SchedulerTask } from './task.ts';
import { LOOK_AHEAD_MS, settle } from './schedules-settle.ts';
import { DueQueue } from './due-queue.ts';

/** Pause after an error of our own or of the disk; the occurrence is still due. */
const REPEAT_MS = 1000;
/** Number of rows that are read or moved together at the start; the store serves others in between. */
const BATCH = 200;

type Deps = Pick<SchedulerDeps, 'store' | 'clock' | 'log' | 'control'>;

export class Schedules implements SchedulerTask {
  private readonly deps: Deps;
  private readonly dueQueue: DueQueue;
  private readonly due: number[] = [];
  private readonly settling = new Set<number>();
  private readonly again = new Set<number>();
  private readonly lookedAt = new Map<number, number>();
  /** Schedules by skip, because a deleted skip is known by its id alone. */
  private readonly skips = new Map<number, number>();
  /** Those that wait until a person has looked at a restored store. */
  private readonly held = new Set<number>();
  private endChanges: () => void = () => undefined;
  private ended = false;

  constructor(deps: Deps) {
    this.deps = deps;
    this.dueQueue = new DueQueue(deps.clock, (id) => this.queue(id));
  }

  async begin(): Promise<void> {
    const { store } = this.deps;
    this.endChanges = store.onChange((changes) => this.follow(changes));
    for (const skip of (await store.find('scheduleSkips', {})).rows) this.skips.set(skip.id, skip.scheduleId);
    await this.recallWarnings();
    const ids = (await store.find('schedules', {})).rows.map(({ id }) => id);
    await this.settleAll(ids);
    void this.retirePast();
  }

  private async settleAll(ids: readonly number[]): Promise<void> {
    for (let at = 0; at < ids.length; at += BATCH)
      await Promise.all(ids.slice(at, at + BATCH).map((id) => this.settle(id)));
  }

  /** Goes on with those that waited, once a person has looked at the restored store. */
  private async settleHeld(): Promise<void> {
    const isWaiting = await this.deps.store.tx((tx) => waitingRestore(tx) !== undefined);
    if (isWaiting) return;
    const ids = [...this.held];
    this.held.clear();
    await this.settleAll(ids);
  }

  /** Moves firings that ended while nothing fired, and those that an older version kept in memory. */
  private async retirePast(): Promise<void> {
    const { store, clock, log } = this.deps;
    try {
      const ids = await store.tx((tx) => retirableSchedules(tx, toIso(clock.now())));
      for (const id of ids) {
        let moved = BATCH;
        while (moved === BATCH && !this.ended)
          moved = await store.tx((tx) => retireFirings(tx, id, toIso(clock.now()), BATCH));
      }
    } catch (error) {
      if (!this.ended) log.warn({ err: error }, 'Past occurrences stay in memory until the next start.');
    }
  }

  /** A warning from before a restart of the service is not repeated. */
  private async recallWarnings(): Promise<void> {
    const { store, clock } = this.deps;
    const where = { kind: 'schedule_warning', at: { gte: toIso(clock.now() - LOOK_AHEAD_MS) } };
    for (const event of (await store.find('events', { where })).rows) this.noteWarning(event);
  }

  /** Another server, which looks before this one, has warned already. */
  private async recallWarning(eventId: number): Promise<void> {
    const event = await this.deps.store.get('events', eventId).catch(() => undefined);
    if (event?.row.kind === 'schedule_warning') this.noteWarning(event.row);
  }

  private noteWarning({ data }: Readonly<LivestreamEvent>): void {
    const { scheduleId, occurrence_start } = data as { scheduleId: number; occurrence_start: string };
    this.lookedAt.set(scheduleId, Date.parse(occurrence_start));
  }

  end(): void {
    this.ended = true;
    this.endChanges();
    this.dueQueue.close();
  }

  private follow(changes: readonly Change[]): void {
    for (const { collection, id } of changes) {
      if (collection === 'schedules') void this.settle(id);
      // A store that is closed has nothing more to attend to.
      else if (collection === 'eras') void this.settleHeld().catch(() => undefined);
      else if (collection === 'scheduleSkips' || collection === 'firings') void this.followPart(collection, id);
      else if (collection === 'events' && this.deps.store.rank() > 0) void this.recallWarning(id);
    }
  }

  private async followPart(collection: 'scheduleSkips' | 'firings', id: number): Promise<void> {
    // A row that is gone has its Schedule in memory; a store that is closed changes nothing more.
    const row = await this.deps.store.get(collection, id).catch(() => undefined);
    const scheduleId = row?.row.scheduleId ?? (collection === 'scheduleSkips' ? this.skips.get(id) : undefined);
    if (scheduleId === undefined) return;
    if (collection === 'scheduleSkips') this.skips.set(id, scheduleId);
    await this.settle(scheduleId);
  }

  /** Each of a hundred Schedules that start on the hour has its own turn of the event loop, so calls are answered in between. */
  private queue(id: number): void {
    if (this.due.push(id) > 1) return;
    const next = (): void => {
      void this.settle(this.due[0]!);
      this.due.shift();
      if (this.due.length > 0) setImmediate(next);
    };
    setImmediate(next);
  }

  /** Runs one turn at a time for each Schedule; a change that comes meanwhile brings another. */
  private async settle(id: number): Promise<void> {
    if (this.settling.has(id)) {
      this.again.add(id);
      return;
    }
    this.settling.add(id);
    do {
      this.again.delete(id);
      await this.turn(id);
    } while (this.again.has(id));
    this.settling.delete(id);
  }

  private async turn(id: number): Promise<void> {
    if (this.ended) return;
    const { store, clock, control, log } = this.deps;
    try {
      const settled = await store.tx((tx) => settle(tx, clock.now(), control, id, this.lookedAt.get(id)));
      if (settled === 'held') {
        this.held.add(id);
        return this.dueQueue.delete(id);
      }
      const { dueMs, lookedAtMs } = settled;
      if (lookedAtMs === undefined) this.lookedAt.delete(id);
      else this.lookedAt.set(id, lookedAtMs);
      if (dueMs === undefined) this.dueQueue.delete(id);
      else this.dueQueue.set(id, dueMs);
    } catch (error) {
      if (this.ended) return;
      log.error({ err: error, scheduleId: id }, 'A Schedule could not be attended to; it is tried again.');
      this.dueQueue.set(id, clock.now() + REPEAT_MS);
    }
  }
}
