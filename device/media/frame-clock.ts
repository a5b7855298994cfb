/** Beats at the output rate. A beat that comes late is made up for at once, so the count of beats follows time exactly. */
import type { Clock } from '../../domain/clock.ts';
import type { FrameRate } from './frame-rate.ts';

/** After a longer standstill (a suspended machine) the missed beats are not made up for: the encoder could not take them. */
const LONGEST_CATCH_UP_MS = 500;

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
  private readonly onBeat: () => void;
  private readonly onSkip: (beats: number) => void;
  private origin = 0;
  private beats = 0;
  private cancel: (() => void) | undefined;

  /** `onSkip` is told how many beats a standstill has cost. */
  constructor(clock: Clock, rate: FrameRate, onBeat: () => void, onSkip: (beats: number) => void = () => undefined) {
    this.clock = clock;
    this.frameMs = (1000 * rate.den) / rate.num;
    this.onBeat = onBeat;
    this.onSkip = onSkip;
  }

  get running(): boolean {
    return this.cancel !== undefined;
  }

  /** The first beat comes at once. */
  start(): void {
    if (this.running) return;
    this.origin = this.clock.now();
    this.beats = 0;
    this.cancel = () => undefined;
    this.catchUp();
  }

  stop(): void {
    this.cancel?.();
    this.cancel = undefined;
  }

  private catchUp(): void {
    const late = this.clock.now() - this.origin - this.beats * this.frameMs;
    if (late > LONGEST_CATCH_UP_MS) {
      const missed = Math.floor(late / this.frameMs);
      this.origin += missed * this.frameMs;
      this.onSkip(missed);
    }
    // A beat is due when its time has come; timers may fire a hair early.
    while (this.running && this.clock.now() - this.origin >= this.beats * this.frameMs - 0.5) {
      this.beats += 1;
      this.onBeat();
    }
    if (!this.running) return;
    const wait = this.origin + this.beats * this.frameMs - this.clock.now();
    this.cancel = this.clock.after(Math.max(0, wait), () => this.catchUp());
  }
}
