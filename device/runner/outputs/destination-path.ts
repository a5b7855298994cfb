/** One path of a Destination, primary or backup: one attempt after the other, until the budget is spent. Knows no other path. */
import { retryDelayMs, type RetryBudget } from '../../../domain/back-off.ts';
import { toIso, type Clock } from '../../../domain/clock.ts';
import type { PathStatus } from '../../../domain/livestream-status.ts';
import type { EventLog } from '../process/event-log.ts';

export interface Attempt {
  /** Ends in order within about 2 s, by force if need be. Never rejects; calls no hook any more. */
  end(): Promise<void>;
}

export interface AttemptHooks {
  /** The Destination has taken media: not before. */
  onUp(): void;
  /** It does not, or no longer. `final`: another attempt cannot help; `refused`: its other end has said no. */
  onDown(reason: string, final?: boolean, refused?: boolean): void;
}

export interface PathOptions {
  name: string;
  publishingId: number;
  which: 'primary' | 'backup';
  enabled: boolean;
  retry: RetryBudget;
  begin(hooks: AttemptHooks): Attempt;
  onChange(): void;
}

/** A server that takes a connection and drops it again has not been up: its attempts go on counting. */
const PROVEN_MS = 10_000;
/** Once may be a key that is being rotated. */
const FINAL_REFUSALS = 2;

export class DestinationPath {
  private readonly options: PathOptions;
  private readonly events: EventLog;
  private readonly clock: Clock;
  private attempt: Attempt | undefined;
  /** Tells the hooks of the present attempt from those of one that is over. */
  private generation = 0;
  private cancelRetry: (() => void) | undefined;
  private upAt = 0;
  /** In a row. */
  private refusals = 0;
  /** Why nothing is tried for the time being. */
  private held: string | undefined;
  private ending: Promise<void>[] = [];
  /** Who waits for the end of `connecting`. */
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
      attempts: 0,
      next_retry_at: null,
      last_error: null,
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

  /** On: delivers, at once and with a fresh budget if it did not. Off: idle. Resolves when it is up, down again, or idle. */
  async turn(on: boolean): Promise<void> {
    const { status } = this;
    status.enabled = on;
    if (!on) return this.stop();
    if (status.state === 'up' || status.state === 'connecting') return;
    status.attempts = 0;
    await this.begin();
  }

  /** Begins anew, as after a change of its settings. */
  async renew(): Promise<void> {
    if (!this.status.enabled) return;
    this.status.attempts = 0;
    await this.stop();
    // Turned off meanwhile.
    if (this.status.enabled) await this.begin();
  }

  /** Ends the attempt and tries nothing until `release`. The budget stays whole: it is not the Destination that fails. */
  hold(reason: string, data: Record<string, unknown>): void {
    this.held = reason;
    const { state } = this.status;
    if (!this.status.enabled || state === 'failed') return;
    this.generation += 1;
    this.cancelRetry?.();
    this.dropAttempt();
    this.say('destination_down', 'error', `is paused: ${reason}.`, data);
    // One that was not started yet waits for its start.
    if (state !== 'idle') this.wait(reason);
  }

  release(): void {
    const isWaiting = this.held !== undefined && this.status.state === 'retrying';
    this.held = undefined;
    if (!isWaiting) return;
    this.status.attempts = 0;
    void this.begin();
  }

  private wait(reason: string): void {
    this.status.last_error = reason;
    this.status.next_retry_at = null;
    this.enter('retrying');
  }

  private async begin(): Promise<void> {
    this.generation += 1;
    this.cancelRetry?.();
    await Promise.all(this.ending);
    if (!this.status.enabled || this.attempt !== undefined) return;
    this.connect();
    if (this.held === undefined) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  private connect(): void {
    if (this.held !== undefined) return this.wait(this.held);
    const generation = (this.generation += 1);
    this.enter('connecting');
    const current = (): boolean => generation === this.generation;
    this.attempt = this.options.begin({
      onUp: () => {
        if (current()) this.up();
      },
      // Not within `begin` itself: the attempt must be known before it can be dropped.
      onDown: (reason, final, refused) =>
        queueMicrotask(() => {
          if (!current()) return;
          this.refusals = refused === true ? this.refusals + 1 : 0;
          this.down(reason, final === true);
        }),
    });
  }

  /** It is over, or was refused twice in a row: a start waits for it no longer. */
  get isRefused(): boolean {
    return this.status.state === 'failed' || this.refusals >= FINAL_REFUSALS;
  }

  private up(): void {
    if (this.status.state === 'up') return;
    this.refusals = 0;
    this.upAt = this.clock.now();
    // The event first: what follows from the change (the run is on air) comes after it in the log.
    this.say('destination_up', 'info', 'takes the stream.', { attempts: this.status.attempts });
    this.enter('up');
  }

  private down(reason: string, final: boolean): void {
    this.generation += 1;
    const wasUp = this.status.state === 'up';
    if (wasUp && this.clock.now() - this.upAt > PROVEN_MS) this.status.attempts = 0;
    this.dropAttempt();
    this.status.last_error = reason;
    if (wasUp) this.say('destination_down', 'warning', `is lost: ${reason}`);
    this.status.attempts += 1;
    const delayMs = final ? undefined : retryDelayMs(this.options.retry, this.status.attempts, Math.random());
    if (delayMs === undefined) {
      this.enter('failed');
      const budget = final ? '' : ` after ${this.options.retry.max_attempts} attempts`;
      this.say('destination_failed', 'error', `has failed${budget}: ${reason}`);
      return;
    }
    this.status.next_retry_at = toIso(this.clock.now() + delayMs);
    this.enter('retrying');
    this.say('destination_retrying', 'warning', `is tried again in ${(delayMs / 1000).toFixed(1)} s: ${reason}`, {
      attempts: this.status.attempts,
      delayMs,
    });
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
    this.status.state = state;
    this.status.since = toIso(this.clock.now());
    if (state !== 'retrying') this.status.next_retry_at = null;
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
    this.events.add(kind, severity, `Destination "${name}"${path} ${what}`, { publishingId, path: which, ...data });
  }
}
