/**
 * Decides at each tick what goes on air: the source's frame, the last one again, or the fallback. In copy mode it never starts: there
 * source.ts decides when the source is lost, and nothing takes its place.
 */
import { FramePool, type Frame } from '../../media/frames/frame-pool.ts';
import { FrameClock, steadyClock } from '../../media/frames/frame-clock.ts';
import { EarlierFrames } from '../../media/frames/earlier-frames.ts';
import { Lateness } from '../watch/lateness.ts';
import { RecoveryDetector } from '../watch/recovery-detector.ts';
import type { Clock } from '../../../domain/time/clock.ts';
import { fpsOf } from '../../media/ladder/frame-rate.ts';
import { SAMPLE_RATE, type LadderPlan } from '../../media/ladder/ladder-plan.ts';
import { slateFrame } from '../../media/frames/slate.ts';
import type { SourceBuffer } from '../../media/frames/source-buffer.ts';
import { SpareTime } from '../../media/frames/spare-time.ts';

/** The last frame is shown again for so long when the source has a gap; after that the source counts as lost, and viewers get the fallback. */
const HOLD_MS = 600;
/** A source gives up to 1 s of frames at once when it is joined. At double rate all of them have been on air this long after the first. */
const DOUBLE_RATE_MS = 3000;
/** After a standstill of this process the source's frames of that time arrive within this; missed ticks get the last frame after that. */
const BACKLOG_WAIT_MS = 500;
/** The ticks of a longer standstill (a suspended machine) are not replaced: the stream goes on that much later, and an event says so. */
const MAX_REPLACED_SECONDS = 10;

export interface FrameSchedulerHooks {
  /** Takes one frame and its audio, always complete. The frame is valid during the call; `retain` keeps it for longer. */
  onFrame(frame: Frame | undefined, audio: Buffer, isSlate: boolean): void;
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
  private lastArrival = { arrived: 0, at: 0 };
  /** It is undefined while the source is not lost. */
  private recovery: RecoveryDetector | undefined;
  /** Ticks that a standstill has cost and that are still to be replaced, and the end of that standstill. */
  private missed = { ticks: 0, sinceMs: 0 };
  /** The next tick replaces a missed one and takes no frame from the source. */
  private repeatsFrame = false;
  /** The source's buffer is to drop nothing, because the stream is behind time. */
  private hasBackpressure = false;
  /** The stream's time without frames, `leftMs` of which is still to be caught up at double rate before `endMs`. */
  private doubleRate: { sinceMs: number; leftMs: number; endMs: number } | undefined;
  private present: SourceBuffer | undefined;
  private readonly earlier = new EarlierFrames();
  private readonly spare: SpareTime;
  private readonly lateness = new Lateness();
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
    this.spare = new SpareTime(1000 / fpsOf(plan.rate));
    this.clock = new FrameClock(time, plan.rate, {
      onTick: () => this.tick(),
      onSkip: (ticks) => this.skipped(ticks),
      isAwaited: () => !this.isLost && !this.repeatsFrame && !this.earlier.areThere && this.source?.ready === false,
      mustWait: (lateMs) => {
        const isWaiting = hooks.mustWait?.(lateMs) === true;
        if (isWaiting) this.setBackpressure(true);
        return isWaiting;
      },
    });
  }

  /** The buffer of the present ingest. */
  get source(): SourceBuffer | undefined {
    return this.present;
  }

  set source(buffer: SourceBuffer | undefined) {
    if (buffer !== this.present) this.earlier.forget();
    this.present = buffer;
    this.spare.forget();
    this.setBackpressure(this.isBehind);
  }

  /** The source goes on with a further connection, whose buffer this is. */
  goOnWith(buffer: SourceBuffer): void {
    const before = this.present;
    this.source = buffer;
    if (this.onAir && !this.isLost && before !== undefined) this.earlier.keep(before);
    else before?.clear();
  }

  /** The stream's time has gone on without frames, and is caught up with. */
  get catchesUp(): boolean {
    return this.doubleRate !== undefined;
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
    this.lastArrival.at = this.lastRealAt;
    // From here on the stream has frames, if only those of the slate.
    if (this.doubleRate !== undefined) this.doubleRate.leftMs = this.lastRealAt - this.doubleRate.sinceMs;
    this.clock.start();
  }

  /**
   * The stream's time has gone on without frames since then. ffmpeg analyses half a second of a source before it gives that out all at once,
   * and a file gives more as soon as it is read: at double rate the scheduler catches up with that time.
   */
  beginDoubleRate(sinceMs = this.time.now()): void {
    this.doubleRate = { sinceMs, leftMs: 0, endMs: Infinity };
    // No other frame may come sooner than its turn.
    this.spare.missed(this.time.now());
  }

  stop(): void {
    this.clock.stop();
    this.earlier.forget();
    this.lastFrame?.release();
    this.lastFrame = undefined;
  }

  private tick(): void {
    const n = this.ticks++;
    const samplesPerTick = SAMPLE_RATE / fpsOf(this.plan.rate);
    // 30000/1001 does not divide 48000: the lengths alternate, their sum is exact.
    const samples = Math.floor((n + 1) * samplesPerTick) - Math.floor(n * samplesPerTick);
    const bytes = samples * this.plan.sampleBytes;
    const now = this.time.now();
    if (this.missed.ticks > 0) this.replaceMissedTick(now);
    else if (this.hasBackpressure && !this.isBehind) this.setBackpressure(false);
    if (this.repeatsFrame) {
      this.repeatsFrame = false;
      return this.send(undefined, Buffer.alloc(0), bytes, this.isLost && this.fallbackMode !== 'none');
    }
    this.noteArrival(now);
    this.noteLateness(now);
    const extra = this.isLost ? undefined : this.source?.takeExtra(bytes);
    if (extra !== undefined) return this.send(undefined, extra, bytes, false);
    const real = this.isStillLost() ? undefined : (this.earlier.take(bytes) ?? this.source?.take(bytes));
    if (real !== undefined) {
      this.lastRealAt = now;
      this.advanceAtDoubleRate(now);
      this.useSpareTime(real.waitedMs, now);
      if (this.isLost) {
        this.recovery = undefined;
        this.hooks.onRestored();
      }
      // Audio without video goes on air with the slate.
      return this.send(real.frame, real.audio, bytes, real.frame === undefined);
    }
    this.spare.missed(now);
    if (!this.isLost && this.isGapTooLong(now)) {
      this.recovery = new RecoveryDetector(this.source?.arrived ?? 0);
      this.endDoubleRate();
      this.earlier.forget();
      this.hooks.onLost();
    }
    const hasSlate = this.isLost && this.fallbackMode !== 'none';
    // Sound goes on beside the slate when pictures alone have stopped; the fallback file has its own.
    const substitute = this.isLost ? (this.fallback?.take(bytes) ?? this.source?.takeSound(bytes)) : undefined;
    if (substitute !== undefined) {
      const { frame, audio } = substitute;
      return this.send(frame, audio, bytes, frame === undefined && hasSlate);
    }
    this.send(undefined, Buffer.alloc(0), bytes, hasSlate);
  }

  private noteLateness(now: number): void {
    const { source, clock } = this;
    if (source === undefined) return;
    // An encoder that is behind, and a standstill, leave frames in the buffer; a file is there whenever it is read.
    const isOwn = source.isScarce && !source.isReadAhead && this.doubleRate === undefined && this.missed.ticks === 0;
    source.isLate = this.lateness.note(clock.lateMs, isOwn && !this.isLost, now);
  }

  private useSpareTime(waitedMs: number, now: number): void {
    // A file is there whenever it is read.
    if (this.isBehind || this.source?.isReadAhead === true) return this.spare.forget();
    const { soonerMs, leftOut } = this.spare.shown(waitedMs, now);
    for (let n = 0; n < leftOut; n += 1) this.source?.skip();
    if (soonerMs > 0) this.clock.advance(soonerMs);
  }

  private noteArrival(now: number): void {
    const arrived = this.source?.arrived ?? 0;
    if (arrived !== this.lastArrival.arrived && arrived > 0) this.lastArrival = { arrived, at: now };
  }

  /** It is called when there is no frame to show. */
  private isGapTooLong(now: number): boolean {
    const limit = HOLD_MS + (this.source?.patienceMs ?? 0);
    // Frames that have waited for late sound have used up some of the time.
    const since = this.source?.waitsForSound === true ? this.lastArrival.at : this.lastRealAt;
    return now - since > limit;
  }

  /** Brings the next tick half a tick forward. No more than the time that has gone by is caught up: the stream would be ahead of the clock. */
  private advanceAtDoubleRate(now: number): void {
    const { doubleRate } = this;
    if (doubleRate === undefined) return;
    if (doubleRate.endMs === Infinity) doubleRate.endMs = now + DOUBLE_RATE_MS;
    const half = 500 / fpsOf(this.plan.rate);
    if (doubleRate.leftMs < half || now > doubleRate.endMs) return this.endDoubleRate();
    if (this.source?.hasBacklog !== true || this.hooks.isFree?.() === false) return;
    doubleRate.leftMs -= half;
    this.clock.advance(half);
  }

  private endDoubleRate(): void {
    this.doubleRate = undefined;
    this.setBackpressure(this.isBehind);
  }

  private skipped(ticks: number): void {
    const maxTicks = Math.floor(MAX_REPLACED_SECONDS * fpsOf(this.plan.rate));
    if (this.missed.ticks + ticks > maxTicks) return this.hooks.onSkip(ticks);
    this.missed = { ticks: this.missed.ticks + ticks, sinceMs: this.time.now() };
    this.repeatsFrame = false;
    this.setBackpressure(true);
  }

  /**
   * Adds a tick for a missed one as soon as the encoder takes it: with a frame of the source's backlog, or with the last frame again when
   * the backlog is used up.
   */
  private replaceMissedTick(now: number): void {
    if (this.hooks.isFree?.() === false) return;
    const hasBacklog = !this.isLost && this.source?.hasSpare === true;
    if (!hasBacklog && !this.isLost && now - this.missed.sinceMs < BACKLOG_WAIT_MS) return;
    this.missed.ticks -= 1;
    this.clock.advance(1000 / fpsOf(this.plan.rate));
    this.repeatsFrame = !hasBacklog;
  }

  /** The stream is behind time, and nothing of the source is dropped until it is not. */
  private get isBehind(): boolean {
    const isLate = this.onAir && this.clock.lateMs > 1000 / fpsOf(this.plan.rate);
    return isLate || this.doubleRate !== undefined || this.missed.ticks > 0;
  }

  private setBackpressure(isOn: boolean): void {
    this.hasBackpressure = isOn;
    if (this.present !== undefined) this.present.backpressure = isOn;
  }

  /** The source is lost, and has not shown yet that it is back. */
  private isStillLost(): boolean {
    if (this.recovery === undefined || this.source === undefined) return false;
    // A file goes on where it was as soon as it is there, and no other frame of it comes before one is taken.
    if (this.source.isReadAhead) return !this.source.ready;
    if (!this.recovery.hasRecovered(this.source.arrived)) return true;
    // Once: behind a gap some frames are gathered before the first one is given out.
    if (this.recovery.isNew) this.source.trim();
    return false;
  }

  /** Without a `frame` the slate or the last frame is sent. */
  private send(frame: Frame | undefined, audio: Buffer, bytes: number, slate: boolean): void {
    const padded = audio.length === bytes ? audio : Buffer.concat([audio, Buffer.alloc(bytes - audio.length)]);
    if (!this.plan.hasVideo) return this.hooks.onFrame(undefined, padded, false);
    if (frame !== undefined) {
      this.lastFrame?.release();
      this.lastFrame = frame;
    }
    const output = slate ? this.getSlate() : (this.lastFrame ?? this.getSlate());
    this.hooks.onFrame(output, padded, output === this.slate);
  }

  private getSlate(): Frame {
    return (this.slate ??= FramePool.fixed(slateFrame(this.plan)));
  }
}
