/** Ticks at the output rate. A tick that comes late is caught up at once, so the count of ticks follows time exactly. */
import type { Clock } from '../../../domain/time/clock.ts';
import type { FrameRate } from '../ladder/frame-rate.ts';

/** After a longer standstill of this process the missed ticks are not all given at once: the encoder could not take them. */
const MAX_CATCH_UP_MS = 500;
/**
 * A tick waits for a frame that is late: receivers' buffers make up for so much, while a frame shown twice is seen. The first bound counts
 * from when the tick was due; the second from the first look, because this process itself may have been busy, and what it has not read yet
 * lies in a pipe.
 */
const MAX_WAIT_MS = { sinceDue: 150, sinceLook: 25 };
const LOOK_AGAIN_MS = 4;

/** Milliseconds that only go forward, whatever is done to the clock on the wall. */
export const steadyClock: Clock = {
  now: () => performance.now(),
  after(delayMs, task) {
    const timer = setTimeout(task, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

export interface FrameClockHooks {
  onTick(): void;
  /** Gets the number of ticks that a standstill has cost. */
  onSkip?(ticks: number): void;
  /** While it is true a tick is put off within bounds. */
  isAwaited?(): boolean;
  /** A tick is put off as long as this is true for how late it is. */
  mustWait?(lateMs: number): boolean;
}

export class FrameClock {
  private readonly clock: Clock;
  private readonly frameMs: number;
  private readonly hooks: FrameClockHooks;
  /** Ticks wait until then for the frame that is late now; after that none waits until a frame has come again. */
  private waitsUntil: number | undefined;
  private origin = 0;
  private lookedAt = 0;
  private ticks = 0;
  private cancel: (() => void) | undefined;

  constructor(clock: Clock, rate: FrameRate, hooks: FrameClockHooks) {
    this.clock = clock;
    this.frameMs = (1000 * rate.den) / rate.num;
    this.hooks = hooks;
  }

  get running(): boolean {
    return this.cancel !== undefined;
  }

  /** The first tick comes at once. */
  start(): void {
    if (this.running) return;
    this.origin = this.clock.now();
    this.lookedAt = this.origin;
    this.ticks = 0;
    this.cancel = () => undefined;
    this.giveDueTicks();
  }

  stop(): void {
    this.cancel?.();
    this.cancel = undefined;
  }

  /** The next tick, and with it all others, comes so much sooner. */
  advance(ms: number): void {
    this.origin -= ms;
  }

  private giveDueTicks(): void {
    const now = this.clock.now();
    const late = now - this.dueAt;
    // Ticks that were put off are late by intent.
    const stoodStill = now - this.lookedAt > MAX_CATCH_UP_MS;
    this.lookedAt = now;
    if (stoodStill && late > MAX_CATCH_UP_MS) {
      const missed = Math.floor(late / this.frameMs);
      this.origin += missed * this.frameMs;
      this.hooks.onSkip?.(missed);
    }
    // A tick is due when its time has come; timers may fire a hair early.
    while (this.running && this.clock.now() - this.dueAt >= -0.5) {
      if (this.isPutOff()) {
        this.cancel = this.clock.after(LOOK_AGAIN_MS, () => this.giveDueTicks());
        return;
      }
      this.ticks += 1;
      this.hooks.onTick();
    }
    if (!this.running) return;
    this.cancel = this.clock.after(Math.max(0, this.dueAt - this.clock.now()), () => this.giveDueTicks());
  }

  private get dueAt(): number {
    return this.origin + this.ticks * this.frameMs;
  }

  /** Lateness of the next tick in milliseconds; below 0 it is not due yet. */
  get lateMs(): number {
    return this.clock.now() - this.dueAt;
  }

  private isPutOff(): boolean {
    if (this.hooks.mustWait?.(this.lateMs) === true) return true;
    if (this.hooks.isAwaited?.() !== true) {
      this.waitsUntil = undefined;
      return false;
    }
    const now = this.clock.now();
    this.waitsUntil ??= Math.max(this.dueAt + MAX_WAIT_MS.sinceDue, now + MAX_WAIT_MS.sinceLook);
    return now < this.waitsUntil;
  }
}
