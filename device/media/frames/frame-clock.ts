/** Beats at the output rate. A beat that comes late is made up for at once, so the count of beats follows time exactly. */
import type { Clock } from '../../../domain/clock.ts';
import type { FrameRate } from '../ladder/frame-rate.ts';

/** After a longer standstill of this process the missed beats are not all given at once: the encoder could not take them. */
const MAX_CATCH_UP_MS = 500;
/**
 * A frame that is late is waited for: what comes so much later is made up for by receivers' buffers, a picture shown twice is seen.
 * The first bound counts from when the beat was due; the second from the first look, for this process itself may have been busy, and
 * what it has not read yet lies in a pipe.
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

export class FrameClock {
  private readonly clock: Clock;
  private readonly frameMs: number;
  private readonly onTick: () => void;
  private readonly onSkip: (ticks: number) => void;
  private readonly isAwaited: () => boolean;
  /** How long beats wait for what is awaited now; once it has passed, none waits until something has come again. */
  private waitsUntil: number | undefined;
  private origin = 0;
  private lookedAt = 0;
  private readonly mustWait: (lateMs: number) => boolean;
  private ticks = 0;
  private cancel: (() => void) | undefined;

  /**
   * `onSkip` is told how many beats a standstill has cost; while `isAwaited` a beat is put off, within bounds, and as long as `mustWait`
   * answers yes to how late it is.
   */
  constructor(
    clock: Clock,
    rate: FrameRate,
    onTick: () => void,
    onSkip: (ticks: number) => void = () => undefined,
    isAwaited: () => boolean = () => false,
    mustWait: (lateMs: number) => boolean = () => false,
  ) {
    this.clock = clock;
    this.frameMs = (1000 * rate.den) / rate.num;
    this.onTick = onTick;
    this.onSkip = onSkip;
    this.isAwaited = isAwaited;
    this.mustWait = mustWait;
  }

  get running(): boolean {
    return this.cancel !== undefined;
  }

  /** The first beat comes at once. */
  start(): void {
    if (this.running) return;
    this.origin = this.clock.now();
    this.lookedAt = this.origin;
    this.ticks = 0;
    this.cancel = () => undefined;
    this.catchUp();
  }

  stop(): void {
    this.cancel?.();
    this.cancel = undefined;
  }

  /** The next beat, and with it all others, comes so much sooner. */
  advance(ms: number): void {
    this.origin -= ms;
  }

  private catchUp(): void {
    const now = this.clock.now();
    const late = now - this.dueAt;
    // Beats that were put off are late by intent.
    const stoodStill = now - this.lookedAt > MAX_CATCH_UP_MS;
    this.lookedAt = now;
    if (stoodStill && late > MAX_CATCH_UP_MS) {
      const missed = Math.floor(late / this.frameMs);
      this.origin += missed * this.frameMs;
      this.onSkip(missed);
    }
    // A beat is due when its time has come; timers may fire a hair early.
    while (this.running && this.clock.now() - this.dueAt >= -0.5) {
      if (this.isPutOff()) {
        this.cancel = this.clock.after(LOOK_AGAIN_MS, () => this.catchUp());
        return;
      }
      this.ticks += 1;
      this.onTick();
    }
    if (!this.running) return;
    this.cancel = this.clock.after(Math.max(0, this.dueAt - this.clock.now()), () => this.catchUp());
  }

  /** When the next beat is due. */
  private get dueAt(): number {
    return this.origin + this.ticks * this.frameMs;
  }

  /** How late the next beat is; below 0 it is not due yet. */
  get lateMs(): number {
    return this.clock.now() - this.dueAt;
  }

  private isPutOff(): boolean {
    if (this.mustWait(this.lateMs)) return true;
    if (!this.isAwaited()) {
      this.waitsUntil = undefined;
      return false;
    }
    const now = this.clock.now();
    this.waitsUntil ??= Math.max(this.dueAt + MAX_WAIT_MS.sinceDue, now + MAX_WAIT_MS.sinceLook);
    return now < this.waitsUntil;
  }
}
