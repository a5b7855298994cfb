/** One path of a Destination, primary or backup: one attempt after the other, until the budget is spent. A path knows no other path. */
import { retryDelayMs, type RetryBudget } from '../../../domain/time/back-off.ts';
import { toIso, type Clock } from '../../../domain/time/clock.ts';
import type { PathStatus } from '../../../domain/shapes/broadcasts/livestream-status.ts';
import { isTake } from '../../../domain/shapes/media/recording.ts';
import type { EventLog } from '../process/event-log.ts';
import type { Attempt, AttemptHooks } from './attempt.ts';

export interface PathOptions {
  name: string;
  publishingId: number;
  which: 'primary' | 'backup';
  enabled: boolean;
  retry: RetryBudget;
  /** The gate of the run keeps it back: it stays idle, though it is switched on. */
  isHeld?(): boolean;
  /** The run has no lease for it: it is fenced, though it is switched on. */
  isFenced?(): boolean;
  begin(hooks: AttemptHooks): Attempt;
  onChange(): void;
}

/** A server that takes a connection and drops it within this time has not been up: its attempts go on counting. */
const PROVEN_MS = 10_000;
/** A single refusal may be a key that is being rotated. */
const FINAL_REFUSALS = 2;

export class DestinationPath {
  private readonly options: PathOptions;
  private readonly events: EventLog;
  private readonly clock: Clock;
  private attempt: Attempt | undefined;
  /** Hooks of an attempt that is over are known by their older number. */
  private generation = 0;
  private cancelRetry: (() => void) | undefined;
  private upAt = 0;
  private refusalsInARow = 0;
  private isRenewing = false;
  /** It was up for a moment alone the last time: it is told that it is up when it has proven itself. */
  private flaps = false;
  /** The reasons of this breakdown that are events already: each is one once, however often it is tried. */
  private readonly reported = new Set<string>();
  /** The reason why nothing is tried for the time being. */
  private pauseReason: string | undefined;
  private ending: Promise<void>[] = [];
  /** Callers that wait for the end of `connecting`. */
  private waiting: (() => void)[] = [];
  readonly status: PathStatus;

  constructor(options: PathOptions, events: EventLog, clock: Clock) {
    this.options = options;
    this.events = events;
    this.clock = clock;
    const since = toIso(clock.now());
    this.status = {
      enabled: options.enabled,
      state: 'idle',
      since,
      down_since: null,
      attempts: 0,
      next_retry_at: null,
      last_error: null,
      refused: false,
    };
  }

  start(): void {
    if (this.status.enabled && this.attempt === undefined) this.connect();
  }

  /** Ends the attempt; resolves when nothing of it is left. */
  async stop(): Promise<void> {
    this.generation += 1;
    this.cancelRetry?.();
    this.dropAttempt();
    await Promise.all(this.ending);
    if (this.attempt === undefined && (this.status.state !== 'failed' || !this.status.enabled)) this.enter('idle');
  }

  /** Switched on, the path delivers, with a fresh budget if it did not; off, it is idle. Resolves when it is up, down again, or idle. */
  async turn(on: boolean): Promise<void> {
    const { status } = this;
    status.enabled = on;
    if (!on) return this.stop();
    if (status.state === 'up' || status.state === 'connecting') return;
    status.attempts = 0;
    await this.begin();
  }

  /** Ends the attempt and begins anew, as after a change of the settings. */
  async renew(): Promise<void> {
    if (!this.status.enabled) return;
    this.status.attempts = 0;
    this.isRenewing = true;
    await this.stop();
    this.isRenewing = false;
    // It may have been switched off meanwhile.
    if (this.status.enabled) await this.begin();
  }

  /** Ends the attempt and tries nothing until `resume`. The budget stays whole, since it is not the Destination that fails. */
  pause(reason: string, data: Record<string, unknown>): void {
    this.pauseReason = reason;
    const { state } = this.status;
    if (!this.status.enabled || state === 'failed') return;
    this.generation += 1;
    this.cancelRetry?.();
    this.dropAttempt();
    this.say('destination_down', 'error', `is paused: ${reason}.`, data);
    // A path that was not started yet waits for its start.
    if (state !== 'idle') this.wait(reason);
  }

  resume(): void {
    const isWaiting = this.pauseReason !== undefined && this.status.state === 'retrying';
    this.pauseReason = undefined;
    if (!isWaiting) return;
    this.status.attempts = 0;
    void this.begin();
  }

  /** Sends nothing any more from this moment on, until `release`. */
  fence(reason: string): void {
    const { enabled, state } = this.status;
    if (!enabled || state === 'idle' || state === 'failed' || state === 'fenced') return;
    this.generation += 1;
    this.cancelRetry?.();
    this.attempt?.cut?.();
    this.dropAttempt();
    Object.assign(this.status, { last_error: reason, attempts: 0 });
    this.enter('fenced');
    this.say('destination_down', 'error', `gets nothing more: ${reason}.`, { fenced: true });
  }

  release(): void {
    if (this.status.state === 'fenced') void this.begin();
  }

  private wait(reason: string): void {
    this.status.last_error = reason;
    this.status.refused = false;
    this.status.next_retry_at = null;
    this.enter('retrying');
  }

  private async begin(): Promise<void> {
    this.generation += 1;
    this.cancelRetry?.();
    await Promise.all(this.ending);
    if (!this.status.enabled || this.attempt !== undefined) return;
    this.connect();
    if (this.isTrying()) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  private isTrying(): boolean {
    return this.attempt !== undefined;
  }

  private connect(): void {
    if (this.options.isHeld?.() === true) return this.enter('idle');
    if (this.options.isFenced?.() === true) return this.enter('fenced');
    if (this.pauseReason !== undefined) return this.wait(this.pauseReason);
    const generation = (this.generation += 1);
    this.enter('connecting');
    const isCurrent = (): boolean => generation === this.generation;
    this.attempt = this.options.begin({
      onUp: () => {
        if (isCurrent()) this.up();
      },
      // `begin` itself may call this, and the attempt must be known before it can be dropped.
      onDown: (reason, final, refused) =>
        queueMicrotask(() => {
          if (!isCurrent()) return;
          this.status.refused = refused === true;
          this.refusalsInARow = refused === true ? this.refusalsInARow + 1 : 0;
          this.down(reason, final === true);
        }),
    });
  }

  /** The path has failed, or was refused twice in a row: a start waits for it no longer. */
  get isRefused(): boolean {
    return this.status.state === 'failed' || this.refusalsInARow >= FINAL_REFUSALS;
  }

  private up(): void {
    if (this.status.state === 'up') return;
    this.refusalsInARow = 0;
    this.status.refused = false;
    this.upAt = this.clock.now();
    // The event comes first: the events that follow from the change (the run is on air) come after it in the log.
    if (this.flaps) this.proveIn(this.generation);
    else this.sayUp();
    this.enter('up');
  }

  private proveIn(generation: number): void {
    this.clock.after(PROVEN_MS, () => {
      if (generation !== this.generation || this.status.state !== 'up') return;
      this.sayUp();
      this.flaps = false;
    });
  }

  private sayUp(): void {
    const { attempts } = this.status;
    const after = attempts === 0 ? '' : ` after ${attempts} failed attempt${attempts === 1 ? '' : 's'}`;
    const data = this.flaps ? { attempts, since: toIso(this.upAt) } : { attempts };
    this.say('destination_up', 'info', `takes the stream${after}.`, data);
  }

  private down(reason: string, final: boolean): void {
    this.generation += 1;
    const wasUp = this.status.state === 'up';
    const isProven = this.clock.now() - this.upAt > PROVEN_MS;
    if (wasUp && isProven) this.status.attempts = 0;
    if (this.status.attempts === 0) this.reported.clear();
    this.dropAttempt();
    this.status.last_error = reason;
    this.status.attempts += 1;
    const delayMs = final ? undefined : retryDelayMs(this.options.retry, this.status.attempts, Math.random());
    // What comes after this reason by itself is in the status: the attempts, and when the next one is.
    const news = reason.replace(/\d+/gu, '#');
    const isNew = !this.reported.has(news);
    if (wasUp && (isNew || isProven)) this.say('destination_down', 'warning', `is lost${again(delayMs)}: ${reason}`);
    if (wasUp) this.flaps = !isProven;
    if (delayMs === undefined) {
      this.enter('failed');
      const budget = final ? '' : ` after ${this.options.retry.max_attempts} attempts`;
      this.say('destination_failed', 'error', `has failed${budget}: ${reason}`);
      return;
    }
    this.status.next_retry_at = toIso(this.clock.now() + delayMs);
    this.enter('retrying');
    if (!wasUp && isNew)
      this.say('destination_retrying', 'warning', `is not reached${again(delayMs)}: ${reason}`, {
        attempts: this.status.attempts,
        delayMs,
      });
    this.reported.add(news);
    this.cancelRetry = this.clock.after(delayMs, () => this.connect());
  }

  private dropAttempt(): void {
    const attempt = this.attempt;
    if (attempt === undefined) return;
    this.attempt = undefined;
    const end = attempt.end();
    this.ending.push(end);
    void end.finally(() => (this.ending = this.ending.filter((other) => other !== end)));
  }

  private enter(state: PathStatus['state']): void {
    const { status } = this;
    status.state = state;
    status.since = toIso(this.clock.now());
    // One that tries again, or has new settings, enters another state each time, and its outage goes on.
    if (state === 'up' || (state === 'idle' && !(this.isRenewing && status.enabled))) status.down_since = null;
    else if (state !== 'idle') status.down_since ??= status.since;
    if (state !== 'retrying') status.next_retry_at = null;
    if (state !== 'connecting') for (const resolve of this.waiting.splice(0)) resolve();
    this.options.onChange();
  }

  private say(
    kind: Parameters<EventLog['add']>[0],
    severity: Parameters<EventLog['add']>[1],
    what: string,
    data = {},
  ): void {
    const { name, publishingId, which } = this.options;
    const path = which === 'backup' ? ', backup path,' : '';
    const subject = isTake({ publishingId }) ? name : `Destination "${name}"`;
    this.events.add(kind, severity, `${subject}${path} ${what}`, { publishingId, path: which, ...data });
  }
}

function again(delayMs: number | undefined): string {
  return delayMs === undefined ? '' : ' and is tried again';
}
