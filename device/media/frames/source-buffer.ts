/**
 * The few frames and samples between a source and the frame clock. Audio goes with its frame: a frame that is dropped takes its audio
 * along, a frame that is missing is missing in both, so they cannot drift apart.
 */
import { fpsOf } from '../ladder/frame-rate.ts';
import type { Frame, FramePool } from './frame-pool.ts';
import { SAMPLE_RATE } from '../ladder/ladder-plan.ts';
import type { LadderPlan } from '../ladder/ladder-plan.ts';
import type { Shape } from '../arguments/ingest-args.ts';
import { SourceAudio } from './source-audio.ts';

/**
 * Two frames, and so many seconds, are gathered before the first is given out, and again after a gap: they take up the jitter of a pipe that
 * is read in pieces.
 */
const CUSHION_SECONDS = 0.066;
/**
 * More are dropped, oldest first: a third of a second, as long as a busy machine may stop a process, and 31 MB at 1080p and 30 frames a
 * second. At lower rates the cushion needs as many.
 */
const MAX_SECONDS = 1 / 3;
const MIN_MAX_FRAMES = 10;
/** A source that has just begun has two ticks of reserve over the cushion. */
const RESERVE_FRAMES = 3;
/** So much audio may wait: without frames to go by, only this limits it. */
const MAX_AUDIO_SECONDS = { alone: 0.5, besideFrames: 3 };
/** A transport stream may have its sound in pieces of 0.35 s (ffmpeg's muxer), each as late as it is long. */
const PIECE_SECONDS = 0.36;
/** Sound that comes evenly comes more than once within this. */
const EVEN_MS = 120;
/** ffmpeg gives one piece in several writes, and a burst in many. */
const SAME_PIECE_MS = 15;
/** Sound that pauses for longer is not waited for. */
const MAX_LAG_SECONDS = 0.5;

export interface SourceFrame {
  /** It is undefined when the source gives no video. */
  frame: Frame | undefined;
  /** It may be shorter than was asked for: the rest is silence. */
  audio: Buffer;
}

/** A stream of Node has these two. */
export interface Tap {
  pause(): void;
  resume(): void;
}

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
  private hasBackpressure = false;
  private frames: Frame[] = [];
  private filling: Frame | undefined;
  private filled = 0;
  private readonly audio: SourceAudio;
  private flowing = false;
  /** Frames that have left, dropped ones included. */
  private framesOut = 0;
  dropped = 0;
  arrived = 0;
  private delaySamples = 0;
  /** Frames wait so many places longer, for sound that leaves before them. */
  private lead = 0;
  /** The receiver gives what comes so much later, and has hidden gaps of that length. */
  receivedLateMs = 0;
  /** So many frames have come before their sound at most: when fewer wait, viewers see one for as long as its sound takes. */
  private lag = 0;
  /** The instants of performance.now() at which the last two pieces of sound came. */
  private pieces: [before: number, last: number] = [-Infinity, -Infinity];

  /**
   * `tap` is the stream of the frames, which is paused while the buffer is full and has backpressure. Nothing is ready before `hasSettled`
   * has returned true. `sources` says which of the source's tracks is heard in each track of the programme; left out: the same number.
   */
  constructor(
    plan: LadderPlan,
    pool: FramePool,
    shape: Shape,
    onFrame: (bytes?: Uint8Array) => void,
    tap?: Tap,
    hasSettled?: () => boolean,
    sources: readonly number[] = plan.tracks.map((_, i) => i),
  ) {
    this.plan = plan;
    this.pool = pool;
    this.shape = plan.hasVideo ? shape : 'audio';
    this.maxFrames = Math.max(MIN_MAX_FRAMES, Math.round(fpsOf(plan.rate) * MAX_SECONDS));
    this.cushion = Math.max(2, Math.round(fpsOf(plan.rate) * CUSHION_SECONDS));
    this.onFrame = onFrame;
    this.tap = tap;
    this.hasSettled = hasSettled;
    this.wasHeldBack = hasSettled !== undefined;
    this.audio = new SourceAudio(plan, sources);
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
    return (this.lead * 1000) / fpsOf(this.plan.rate) - this.receivedLateMs;
  }

  /** Its sound is late, so that frames wait for longer than the jitter of a pipe asks for. */
  get waitsForSound(): boolean {
    return this.lag > this.cushion;
  }

  pushVideo(chunk: Buffer): void {
    for (let at = 0; at < chunk.length;) {
      this.filling ??= this.pool.acquire();
      const part = chunk.copy(this.filling.bytes, this.filled, at);
      at += part;
      this.filled += part;
      if (this.filled < this.pool.size) continue;
      const { bytes } = this.filling;
      this.frames.push(this.filling);
      this.filling = undefined;
      this.filled = 0;
      this.arrived += 1;
      this.onFrame(bytes);
      if (this.frames.length > this.maxFrames + this.held) this.overflow();
    }
  }

  /** `track` is the number of the source's track among those that are taken. */
  pushAudio(chunk: Buffer, track = 0): void {
    const isAlone = this.shape === 'audio';
    if (this.shape === 'both' && track === 0) this.measureLag();
    this.audio.push(chunk, track, isAlone ? MAX_AUDIO_SECONDS.alone : MAX_AUDIO_SECONDS.besideFrames);
    if (!isAlone || track > 0) return;
    this.arrived += 1;
    this.onFrame();
  }

  /** Number of the frame that leaves next; dropped ones count. */
  get nextFrame(): number {
    return this.framesOut;
  }

  get ready(): boolean {
    if (this.hasSettled !== undefined) {
      if (!this.hasSettled()) return false;
      this.hasSettled = undefined;
      this.foreseeLag();
      this.trim();
    }
    if (this.shape === 'audio') return this.audio.has((this.flowing ? 1 : this.cushion + 1) * this.frameSamples);
    if (this.frames.length < (this.flowing ? 1 : Math.max(this.cushion + 1, this.held))) return false;
    // Some sources give audio later than its frame, which waits for it as long as the queue has room.
    return this.shape === 'video' || this.hasAudio || this.frames.length > this.maxFrames + this.held - 2;
  }

  /** Returns what is due at this tick; undefined when nothing is there. The caller owns the frame. `bytes` is the audio of a frame. */
  take(bytes: number): SourceFrame | undefined {
    if (!this.ready) {
      this.flowing = false;
      return undefined;
    }
    this.flowing = true;
    const samples = bytes / this.plan.sampleBytes;
    if (this.shape === 'audio') return { frame: undefined, audio: this.audio.takeFirst(samples) };
    const frame = this.frames.shift()!;
    this.framesOut += 1;
    if (this.hasBackpressure) this.tap?.resume();
    if (this.shape === 'video') return { frame, audio: Buffer.alloc(0) };
    return { frame, audio: this.audio.take(samples, this.audioEnd(this.framesOut)) };
  }

  /** With backpressure the buffer drops nothing: what does not fit waits in the pipe, and before it in the source's ffmpeg. */
  set backpressure(isOn: boolean) {
    this.hasBackpressure = isOn && this.tap !== undefined;
    this.tap?.resume();
  }

  /**
   * A buffer without backpressure would drop some of these frames. Fewer are no backlog: audio may come in pieces of 0.2 s, and its frames
   * wait for it.
   */
  get hasBacklog(): boolean {
    return this.frames.length >= this.maxFrames + this.held - 1;
  }

  /** One can be taken, and enough of them stay for the rate of the source. */
  get hasSpare(): boolean {
    return this.shape === 'audio'
      ? this.audio.has(6 * this.frameSamples + 1)
      : this.frames.length > this.cushion + this.held + 2;
  }

  /** Leaves the newest few: a source that has waited to go on air begins with the present. */
  trim(): void {
    while (this.frames.length > this.cushion + RESERVE_FRAMES + this.held) this.dropOldest();
  }

  clear(): void {
    for (const frame of this.frames) frame.release();
    this.frames = [];
    this.audio.clear();
    this.flowing = false;
  }

  private get held(): number {
    return this.lead + this.lag;
  }

  /** It is called before some audio is taken in: that is when frames are furthest ahead of their sound. */
  private measureLag(): void {
    const now = performance.now();
    const [, last] = this.pieces;
    if (now - last <= SAME_PIECE_MS) return;
    this.pieces = [last, now];
    // In the burst at the beginning the order says nothing.
    if (last !== -Infinity) this.allowLag(this.secondsAhead);
  }

  /** In a burst sound is ahead of its frames, which are decoded meanwhile. How far it will be behind follows from its pieces. */
  private foreseeLag(): void {
    const [before, last] = this.pieces;
    const now = performance.now();
    if (last === -Infinity || now - before < EVEN_MS) return;
    const decodingSeconds = Math.max(0, (now - last) / 1000 - this.secondsAhead);
    this.allowLag(PIECE_SECONDS - decodingSeconds);
  }

  private allowLag(seconds: number): void {
    const frames = Math.ceil(Math.min(seconds, MAX_LAG_SECONDS) * fpsOf(this.plan.rate));
    this.lag = Math.max(this.lag, frames);
  }

  /** The time of the frames that have come, less that of their sound. */
  private get secondsAhead(): number {
    return this.arrived / fpsOf(this.plan.rate) - this.audio.received;
  }

  private overflow(): void {
    if (this.hasBackpressure) this.tap?.pause();
    else this.dropOldest();
  }

  /** The audio of the next frame has come, and what leaves before it. */
  private get hasAudio(): boolean {
    return this.lead === 0 ? this.audio.has(this.frameSamples) : this.audio.reaches(this.audioEnd(this.framesOut + 1));
  }

  /** Samples of audio that have left when so many frames have. */
  private audioEnd(frames: number): number {
    return Math.round((frames / fpsOf(this.plan.rate)) * SAMPLE_RATE) - this.delaySamples;
  }

  private get frameSamples(): number {
    return Math.floor(SAMPLE_RATE / fpsOf(this.plan.rate));
  }

  private dropOldest(): void {
    this.frames.shift()!.release();
    this.framesOut += 1;
    this.dropped += 1;
  }
}
