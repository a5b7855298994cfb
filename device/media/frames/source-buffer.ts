/** The few frames and samples between a source and the frame clock. Audio goes with its frame: what is missing is missing in both. */
import { fpsOf } from '../ladder/frame-rate.ts';
import { ALONE_MS, boundsOf, MAX_AUDIO_SECONDS, RESERVE_FRAMES } from './buffer-parts.ts';
import type { BufferParts, SourceFrame, Tap, WaitingFrame } from './buffer-parts.ts';
import type { Frame, FramePool } from './frame-pool.ts';
import { SAMPLE_RATE } from '../ladder/ladder-plan.ts';
import type { LadderPlan } from '../ladder/ladder-plan.ts';
import type { Shape } from '../arguments/ingest-args.ts';
import { SoundLag } from './sound-lag.ts';
import { SourceAudio } from './source-audio.ts';

export class SourceBuffer {
  private readonly plan: LadderPlan;
  private readonly pool: FramePool;
  private readonly shape: Shape;
  private readonly maxFrames: number;
  private readonly cushion: number;
  private readonly onFrame: (bytes?: Uint8Array) => void;
  private readonly tap: Tap | undefined;
  private hasSettled: (() => boolean) | undefined;
  /** Nothing of it was ready before its source came at its own rate. */
  readonly wasHeldBack: boolean;
  readonly isReadAhead: boolean;
  private hasBackpressure = false;
  private readonly frames: WaitingFrame[] = [];
  private readonly now: () => number;
  private filling: Frame | undefined;
  private filled = 0;
  private readonly audio: SourceAudio;
  private flowing = false;
  private hadGap = false;
  /** No more comes: frames wait no longer for others, or for their sound. */
  hasEnded = false;
  /** Frames that have left, dropped ones included. */
  private framesOut = 0;
  dropped = 0;
  private pictures = 0;
  private piecesWithoutPicture = 0;
  /** When the first sound behind the last picture came. */
  private soundSince: number | undefined;
  /** The source is read anew, so that its pictures may be absent for so much longer. */
  graceMs = 0;
  private delaySamples = 0;
  /** Frames wait so many places longer, for sound that leaves before them. */
  private lead = 0;
  /** Frames are shown late, and none has come sooner for long: the source's clock is slow. */
  isLate = false;
  /** The receiver gives what comes so much later, and has hidden gaps of that length. */
  receivedLateMs = 0;
  private readonly lag: SoundLag;

  constructor(
    plan: LadderPlan,
    pool: FramePool,
    shape: Shape,
    onFrame: (bytes?: Uint8Array) => void,
    { tap, hasSettled, sources, now, isReadAhead = false }: BufferParts = {},
  ) {
    this.plan = plan;
    this.now = now ?? (() => performance.now());
    this.pool = pool;
    this.shape = plan.hasVideo ? shape : 'audio';
    this.isReadAhead = isReadAhead && tap !== undefined;
    this.hasBackpressure = this.isReadAhead;
    ({ maxFrames: this.maxFrames, cushion: this.cushion } = boundsOf(fpsOf(plan.rate), this.isReadAhead));
    this.onFrame = onFrame;
    this.tap = tap;
    this.hasSettled = hasSettled;
    this.wasHeldBack = hasSettled !== undefined;
    this.lag = new SoundLag(fpsOf(plan.rate));
    this.audio = new SourceAudio(plan, sources ?? plan.tracks.map((_, i) => i));
  }

  /** Positive: sound leaves later than its picture; negative: earlier, for which the pictures wait here. */
  set soundDelayMs(ms: number) {
    this.delaySamples = Math.round((ms / 1000) * SAMPLE_RATE);
    const lead = Math.ceil((Math.max(0, -ms) / 1000) * fpsOf(this.plan.rate));
    // The pictures that wait are all shown when sound leaves later again; the next connection begins without them.
    if (this.shape === 'both') this.lead = Math.max(this.lead, lead);
  }

  /** So much longer than others pictures may be absent: they wait for sound that leaves before them. What was received late on purpose has less time. */
  get patienceMs(): number {
    return this.leadMs - this.receivedLateMs + this.graceMs;
  }

  /** Pictures that have come on this connection, or pieces of sound as long as it has given no picture. */
  get arrived(): number {
    return this.pictures + this.piecesWithoutPicture;
  }

  private get leadMs(): number {
    return (this.lead * 1000) / fpsOf(this.plan.rate);
  }

  /** Its sound is late, so that frames wait for longer than the jitter of a pipe asks for. */
  get waitsForSound(): boolean {
    return this.lag.frames > this.cushion;
  }

  pushVideo(chunk: Buffer): void {
    for (let at = 0; at < chunk.length;) {
      this.filling ??= this.pool.acquire();
      const part = chunk.copy(this.filling.bytes, this.filled, at);
      at += part;
      this.filled += part;
      if (this.filled < this.pool.size) continue;
      const { bytes } = this.filling;
      this.frames.push({ frame: this.filling, wholeAt: undefined });
      this.filling = undefined;
      this.filled = 0;
      this.pictures += 1;
      this.soundSince = undefined;
      this.noteWhole();
      this.onFrame(bytes);
      if (this.frames.length > this.maxFrames + this.held) this.overflow();
    }
  }

  /** `track` is the number of the source's track among those that are taken. */
  pushAudio(chunk: Buffer, track = 0): void {
    this.soundSince ??= this.now();
    const isAlone = this.isSoundAlone;
    // How far sound is behind in a file is no delay.
    if (!isAlone && track === 0 && !this.isReadAhead) this.lag.measure(this.now(), this.secondsAhead);
    this.audio.push(chunk, track, isAlone ? MAX_AUDIO_SECONDS.alone : MAX_AUDIO_SECONDS.besideFrames);
    this.noteWhole();
    if (!isAlone || track > 0) return;
    if (this.pictures === 0) this.piecesWithoutPicture += 1;
    this.onFrame();
  }

  /** Sound comes, and no picture beside it. */
  private get isSoundAlone(): boolean {
    if (this.shape !== 'both') return this.shape === 'audio';
    const aloneMs = this.now() - (this.soundSince ?? Infinity);
    return this.frames.length === 0 && aloneMs > (this.pictures === 0 ? ALONE_MS.first : ALONE_MS.later);
  }

  /** The next samples of this track belong to this second of the source. Sound alone begins when it comes. */
  goOnAt(seconds: number, track: number): void {
    if (this.shape !== 'audio') this.audio.goOnAt(seconds, track, MAX_AUDIO_SECONDS.besideFrames);
  }

  private noteWhole(): void {
    const next = this.frames.findIndex(({ wholeAt }) => wholeAt === undefined);
    if (next < 0) return;
    for (let at = next; at < this.frames.length && (this.shape === 'video' || this.hasAudio(at)); at += 1)
      this.frames[at]!.wholeAt = this.now();
  }

  /** Number of the frame that leaves next; dropped ones count. */
  get nextFrame(): number {
    return this.framesOut;
  }

  get ready(): boolean {
    if (this.hasEnded && this.frames.length > 0 && this.hasSettled === undefined) return true;
    const isAlone = this.isSoundAlone;
    // A source whose pictures have stopped is lost; one that has given none yet is carried by its sound.
    if (isAlone && this.pictures > 0) return false;
    if (this.hasSettled !== undefined && !(isAlone && this.shape === 'both')) {
      if (!this.hasSettled()) return false;
      this.hasSettled = undefined;
      this.lag.foresee(this.now(), this.secondsAhead);
      this.trim();
    }
    const gathered = this.hadGap && !this.flowing ? this.cushion + 1 : 1;
    if (isAlone) return this.audio.has(gathered * this.frameSamples);
    if (this.frames.length < (this.flowing ? 1 : Math.max(gathered, this.held))) return false;
    // Some sources give audio later than its frame, which waits for it as long as the queue has room.
    return this.isNextWhole || this.frames.length > this.maxWaiting;
  }

  /** Returns what is due at this tick; undefined when nothing is there. The caller owns the frame. `bytes` is the audio of a frame. */
  take(bytes: number): SourceFrame | undefined {
    if (!this.ready) {
      this.hadGap ||= this.flowing;
      this.flowing = false;
      return undefined;
    }
    this.flowing = true;
    this.graceMs = 0;
    if (this.isSoundAlone) return this.takeSound(bytes);
    const { frame, wholeAt } = this.frames.shift()!;
    const waitedMs = wholeAt === undefined ? 0 : this.now() - wholeAt - this.leadMs;
    this.framesOut += 1;
    if (this.hasBackpressure) this.tap?.resume();
    if (this.shape === 'video') return { frame, audio: Buffer.alloc(0), waitedMs };
    const reserve = this.isLate ? this.frameSamples : 0;
    const audio = this.audio.take(bytes / this.plan.sampleBytes, this.audioEnd(this.framesOut), reserve);
    return { frame, audio, waitedMs };
  }

  /** The last frame can be shown once more, with sound that was kept for that: what comes later is shown in time again. */
  takeExtra(bytes: number): Buffer | undefined {
    if (!this.isLate || this.framesOut === 0 || this.shape === 'audio') return undefined;
    if (this.shape === 'video') return Buffer.alloc(0);
    return this.audio.takeReserve(bytes / this.plan.sampleBytes, this.audioEnd(this.framesOut));
  }

  /** Returns what is due of sound that comes alone; undefined when none does. */
  takeSound(bytes: number): SourceFrame | undefined {
    if (!this.isSoundAlone) return undefined;
    const audio = this.audio.takeFirst(bytes / this.plan.sampleBytes, this.isLate);
    return { frame: undefined, audio, waitedMs: this.audio.queuedSeconds * 1000 };
  }

  /** Leaves out what is due next, so that all that follows is shown so much sooner. */
  skip(): void {
    if (this.isSoundAlone) this.audio.leaveOut(this.frameSamples);
    else if (this.frames.length > 1) this.dropOldest();
  }

  /** With backpressure, which a file always has, nothing is dropped: what does not fit waits in the pipe, and in the source's ffmpeg. */
  set backpressure(isOn: boolean) {
    if (this.isReadAhead) return;
    this.hasBackpressure = isOn && this.tap !== undefined;
    this.tap?.resume();
  }

  /** A buffer without backpressure would drop some of these frames. Fewer may wait for late sound, but for those of a file. */
  get hasBacklog(): boolean {
    return this.frames.length >= (this.isReadAhead ? 1 : this.maxFrames + this.held - 1);
  }

  /** There is nothing but what is due. */
  get isScarce(): boolean {
    return this.shape === 'audio' ? !this.audio.has(2 * this.frameSamples) : this.frames.length <= 1 + this.held;
  }

  /** One can be taken, and enough of them stay for the rate of the source. */
  get hasSpare(): boolean {
    if (this.isReadAhead) return this.frames.length > 1;
    return this.shape === 'audio'
      ? this.audio.has(6 * this.frameSamples + 1)
      : this.frames.length > this.cushion + this.held + 2;
  }

  /** Leaves the newest few: a source that has waited to go on air begins with the present. */
  trim(): void {
    while (!this.isReadAhead && this.frames.length > RESERVE_FRAMES + this.held) this.dropOldest();
  }

  clear(): void {
    for (const { frame } of this.frames.splice(0)) frame.release();
    this.audio.clear();
    this.flowing = false;
  }

  private get held(): number {
    return this.lead + this.lag.frames;
  }

  /** The time of the frames that have come, less that of their sound. */
  private get secondsAhead(): number {
    return this.pictures / fpsOf(this.plan.rate) - this.audio.received;
  }

  private overflow(): void {
    if (!this.hasBackpressure) return this.dropOldest();
    // In a file a frame's sound may lie far behind it: it is read until that has come.
    if (this.isReadAhead && !this.isNextWhole && this.frames.length <= this.maxWaiting) return;
    this.tap?.pause();
  }

  private get isNextWhole(): boolean {
    return this.shape === 'video' || this.hasAudio();
  }

  /** More frames do not wait for their sound. */
  private get maxWaiting(): number {
    return this.held + (this.isReadAhead ? Math.round(fpsOf(this.plan.rate)) : this.maxFrames - 2);
  }

  /** The audio of the frame at this place has come, and what leaves before it. */
  private hasAudio(at = 0): boolean {
    return this.lead === 0
      ? this.audio.has((at + 1) * this.frameSamples)
      : this.audio.reaches(this.audioEnd(this.framesOut + at + 1));
  }

  /** Samples of audio that have left when so many frames have. */
  private audioEnd(frames: number): number {
    return Math.round((frames / fpsOf(this.plan.rate)) * SAMPLE_RATE) - this.delaySamples;
  }

  private get frameSamples(): number {
    return Math.floor(SAMPLE_RATE / fpsOf(this.plan.rate));
  }

  private dropOldest(): void {
    this.frames.shift()!.frame.release();
    this.framesOut += 1;
    this.dropped += 1;
  }
}
