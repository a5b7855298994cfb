/** Decides at each tick what goes on air: the source's frame, the last one again, or the fallback. */
import { FramePool, type Frame } from '../../media/frames/frame-pool.ts';
import { FrameClock, steadyClock } from '../../media/frames/frame-clock.ts';
import type { Clock } from '../../../domain/clock.ts';
import { fpsOf } from '../../media/ladder/frame-rate.ts';
import { SAMPLE_BYTES, SAMPLE_RATE, type LadderPlan } from '../../media/ladder/ladder-plan.ts';
import { slateFrame } from '../../media/frames/slate.ts';
import type { SourceBuffer } from '../../media/frames/source-buffer.ts';

/** A frame is repeated so long at a short gap of the source; after that viewers are shown that the source is lost. */
const HOLD_MS = 600;

/** So many ticks with something new prove that a source is back, 130 ms at 30 a second; so many without end a burst. */
const PROOF = { fresh: 4, quiet: 10 };

/**
 * A source that dies late, as over SRT, gives what it still holds when its connection is given up: three frames or more, all at once, long
 * after the slate. A source that is back keeps coming.
 */
class RecoveryDetector {
  private arrived: number;
  private fresh = 0;
  private quiet = 0;

  /** `arrived` counts the frames of the present connection so far. */
  constructor(arrived: number) {
    this.arrived = arrived;
  }

  /** It is called at each tick. */
  isProven(arrived: number): boolean {
    const isNew = arrived !== this.arrived;
    this.arrived = arrived;
    this.quiet = isNew ? 0 : this.quiet + 1;
    if (isNew) this.fresh += 1;
    else if (this.quiet > PROOF.quiet) this.fresh = 0;
    return this.fresh >= PROOF.fresh;
  }
}

/** A source gives up to 1 s at 30 a second at once when it is joined; all of that is on air so long after its first frame. */
const CATCH_UP_MS = 3000;

/** After a standstill a source has so long to give what it has kept meanwhile; what is missing then is filled up with the last frame. */
const MAX_KEPT_MS = 500;
/** A longer standstill (a suspended machine) is not filled up: the stream goes on that much later, and an event says so. */
const MAX_FILLED_SECONDS = 10;

export interface FrameSchedulerHooks {
  /** Takes one frame and its audio, always complete. The frame is held only during the call. */
  onFrame(frame: Frame | undefined, audio: Buffer): void;
  onLost(): void;
  onRestored(): void;
  /** Takes the number of ticks that a standstill of this process has cost, and that are not caught up. */
  onSkip(ticks: number): void;
  /** Returns whether a frame that is so late must wait for the encoder; without it none waits. */
  mustWait?(lateMs: number): boolean;
  /** Returns whether the encoder takes more than is due; without it the encoder always does. */
  isFree?(): boolean;
}

export class FrameScheduler {
  private readonly plan: LadderPlan;
  private readonly hooks: FrameSchedulerHooks;
  private readonly time: Clock;
  private readonly clock: FrameClock;
  /** It is in force from the next tick on. */
  fallbackMode: 'slate' | 'file' | 'none';
  private slate: Frame | undefined;
  private lastFrame: Frame | undefined;
  private ticks = 0;
  private lastRealAt = 0;
  /** It is undefined while the source is not lost. */
  private recovery: RecoveryDetector | undefined;
  /** Ticks that a standstill has cost, and since when. A filler takes nothing from the source at the next tick. */
  private missed = { ticks: 0, since: 0, filler: false };
  private isHolding = false;
  private behind: { sinceMs: number; leftMs: number; endMs: number } | undefined;
  private present: SourceBuffer | undefined;
  fallback: SourceBuffer | undefined;

  constructor(
    plan: LadderPlan,
    fallbackMode: 'slate' | 'file' | 'none',
    hooks: FrameSchedulerHooks,
    time: Clock = steadyClock,
  ) {
    this.plan = plan;
    this.hooks = hooks;
    this.time = time;
    this.fallbackMode = fallbackMode;
    const isAwaited = (): boolean => !this.isLost && !this.missed.filler && this.source?.ready === false;
    const mustWait = (lateMs: number): boolean => {
      const isWaiting = hooks.mustWait?.(lateMs) === true;
      if (isWaiting) this.setHold(true);
      return isWaiting;
    };
    this.clock = new FrameClock(
      time,
      plan.rate,
      () => this.tick(),
      (ticks) => this.skipped(ticks),
      isAwaited,
      mustWait,
    );
  }

  /** The buffer of the present ingest; each connection replaces it. */
  get source(): SourceBuffer | undefined {
    return this.present;
  }

  set source(buffer: SourceBuffer | undefined) {
    this.present = buffer;
    this.setHold(this.isBehind);
  }

  get onAir(): boolean {
    return this.clock.running;
  }

  private get isLost(): boolean {
    return this.recovery !== undefined;
  }

  /** Begins with the frames that the source has. */
  start(): void {
    if (this.onAir) return;
    this.lastRealAt = this.time.now();
    this.clock.start();
  }

  /**
   * The stream's time goes on without frames from now on. ffmpeg analyses half a second of a source before it gives that out all at once:
   * at double rate the scheduler catches up some of that time, where otherwise most of the frames would be dropped.
   */
  catchUpFromNow(): void {
    this.behind = { sinceMs: this.time.now(), leftMs: Infinity, endMs: Infinity };
  }

  stop(): void {
    this.clock.stop();
    this.lastFrame?.release();
    this.lastFrame = undefined;
  }

  private tick(): void {
    const n = this.ticks++;
    const samplesPerTick = SAMPLE_RATE / fpsOf(this.plan.rate);
    // 30000/1001 does not divide 48000: the lengths alternate, their sum is exact.
    const bytes = (Math.floor((n + 1) * samplesPerTick) - Math.floor(n * samplesPerTick)) * SAMPLE_BYTES;
    const now = this.time.now();
    if (this.missed.ticks > 0) this.catchUpFrame(now);
    else if (this.isHolding && !this.isBehind) this.setHold(false);
    if (this.missed.filler) {
      this.missed.filler = false;
      return this.send(undefined, Buffer.alloc(0), bytes, this.isLost && this.fallbackMode !== 'none');
    }
    const real = this.isStillLost() ? undefined : this.source?.take(bytes);
    if (real !== undefined) {
      this.lastRealAt = now;
      this.catchUp(now);
      if (this.isLost) {
        this.recovery = undefined;
        this.hooks.onRestored();
      }
      // Audio without video goes on air with the slate.
      return this.send(real.frame, real.audio, bytes, real.frame === undefined);
    }
    if (!this.isLost && now - this.lastRealAt > HOLD_MS) {
      this.recovery = new RecoveryDetector(this.source?.arrived ?? 0);
      this.endCatchUp();
      this.hooks.onLost();
    }
    const substitute = this.isLost ? this.fallback?.take(bytes) : undefined;
    if (substitute !== undefined)
      return this.send(substitute.frame, substitute.audio, bytes, substitute.frame === undefined);
    this.send(undefined, Buffer.alloc(0), bytes, this.isLost && this.fallbackMode !== 'none');
  }

  /** It catches up no more than the time that has gone by: the stream would be ahead of the clock. */
  private catchUp(now: number): void {
    const { behind } = this;
    if (behind === undefined) return;
    if (behind.endMs === Infinity) Object.assign(behind, { leftMs: now - behind.sinceMs, endMs: now + CATCH_UP_MS });
    const half = 500 / fpsOf(this.plan.rate);
    if (behind.leftMs < half || now > behind.endMs) return this.endCatchUp();
    if (this.source?.hasBacklog !== true) return;
    behind.leftMs -= half;
    this.clock.advance(half);
  }

  private endCatchUp(): void {
    this.behind = undefined;
    this.setHold(this.isBehind);
  }

  private skipped(ticks: number): void {
    const maxTicks = Math.floor(MAX_FILLED_SECONDS * fpsOf(this.plan.rate));
    const isKept = this.missed.ticks + ticks <= maxTicks;
    if (!isKept) return this.hooks.onSkip(ticks);
    this.missed = { ticks: this.missed.ticks + ticks, since: this.time.now(), filler: false };
    this.setHold(true);
  }

  /** Adds one tick as soon as the encoder takes it: with a frame that the source has kept, or without when that was all. */
  private catchUpFrame(now: number): void {
    if (this.hooks.isFree?.() === false) return;
    const hasKept = !this.isLost && this.source?.hasSpare === true;
    if (!hasKept && !this.isLost && now - this.missed.since < MAX_KEPT_MS) return;
    this.missed.ticks -= 1;
    this.clock.advance(1000 / fpsOf(this.plan.rate));
    this.missed.filler = !hasKept;
  }

  /** The stream is behind time, and nothing of the source is dropped until it is not. */
  private get isBehind(): boolean {
    const isLate = this.onAir && this.clock.lateMs > 1000 / fpsOf(this.plan.rate);
    return isLate || this.behind !== undefined || this.missed.ticks > 0;
  }

  private setHold(hold: boolean): void {
    this.isHolding = hold;
    if (this.present !== undefined) this.present.holdWhenFull = hold;
  }

  /** The source is lost, and has not shown yet that it is back. */
  private isStillLost(): boolean {
    if (this.recovery === undefined || this.source === undefined) return false;
    if (!this.recovery.isProven(this.source.arrived)) return true;
    this.source.trim();
    return false;
  }

  /** Without a `frame` the slate or the last frame is sent. */
  private send(frame: Frame | undefined, audio: Buffer, bytes: number, slate: boolean): void {
    const padded = audio.length === bytes ? audio : Buffer.concat([audio, Buffer.alloc(bytes - audio.length)]);
    if (!this.plan.hasVideo) return this.hooks.onFrame(undefined, padded);
    if (frame !== undefined) {
      this.lastFrame?.release();
      this.lastFrame = frame;
    }
    this.hooks.onFrame(slate ? this.getSlate() : (this.lastFrame ?? this.getSlate()), padded);
  }

  private getSlate(): Frame {
    return (this.slate ??= FramePool.fixed(slateFrame(this.plan.width, this.plan.height)));
  }
}
