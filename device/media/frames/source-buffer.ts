/**
 * The few frames and samples between a source and the frame clock. Sound goes with its frame: a frame that is dropped takes its
 * sound along, a frame that is missing is missing in both, so they cannot drift apart.
 */
import { fpsOf } from '../ladder/frame-rate.ts';
import type { Frame, FramePool } from './frame-pool.ts';
import { SAMPLE_BYTES, SAMPLE_RATE } from '../ladder/ladder-plan.ts';
import type { LadderPlan } from '../ladder/ladder-plan.ts';
import type { Shape } from '../arguments/ingest-args.ts';
import { SampleQueue } from './sample-queue.ts';

/** Frames gathered before the first is given out, and again after a gap: takes up the jitter of a pipe that is read in pieces. */
const CUSHION_FRAMES = 2;
/** More are dropped, oldest first: 10 frames at 30 a second are 330 ms of delay, and 31 MB at 1080p. */
const MAX_FRAMES = 10;
/** Two beats of reserve over the cushion for a source that has just begun. */
const TRIMMED_FRAMES = CUSHION_FRAMES + 3;
/** How far sound may be from its frame before it is corrected: half of what viewers notice (ITU-R BT.1359: 45 ms early). */
const TOLERANCE_SECONDS = 0.02;

export interface SourceFrame {
  /** undefined: no picture from the source. */
  frame: Frame | undefined;
  /** May be shorter than asked: the rest is silence. */
  audio: Buffer;
}

/** As a stream of Node has them. */
export interface Tap {
  pause(): void;
  resume(): void;
}

export class SourceBuffer {
  private readonly plan: LadderPlan;
  private readonly pool: FramePool;
  private readonly shape: Shape;
  private readonly onFrame: () => void;
  private readonly tap: Tap | undefined;
  private hasSettled: (() => boolean) | undefined;
  /** Nothing of it was ready before it came at its own pace. */
  readonly wasHeldBack: boolean;
  private holdsWhenFull = false;
  private frames: Frame[] = [];
  private filling: Frame | undefined;
  private filled = 0;
  private readonly audio = new SampleQueue();
  private flowing = false;
  /** Frames and bytes of sound that have left, dropped ones included. */
  private framesOut = 0;
  private audioOut = 0;
  dropped = 0;
  arrived = 0;

  /** `tap`: where the pictures come from, for a time of patience. Nothing is ready before `isAtPace` has answered yes. */
  constructor(
    plan: LadderPlan,
    pool: FramePool,
    shape: Shape,
    onFrame: () => void,
    tap?: Tap,
    hasSettled?: () => boolean,
  ) {
    this.plan = plan;
    this.pool = pool;
    this.shape = plan.hasVideo ? shape : 'audio';
    this.onFrame = onFrame;
    this.tap = tap;
    this.hasSettled = hasSettled;
    this.wasHeldBack = hasSettled !== undefined;
  }

  pushVideo(chunk: Buffer): void {
    for (let at = 0; at < chunk.length;) {
      this.filling ??= this.pool.acquire();
      const part = chunk.copy(this.filling.bytes, this.filled, at);
      at += part;
      this.filled += part;
      if (this.filled < this.pool.size) continue;
      this.frames.push(this.filling);
      this.filling = undefined;
      this.filled = 0;
      this.arrived += 1;
      if (this.frames.length > MAX_FRAMES) this.overflow();
      this.onFrame();
    }
  }

  pushAudio(chunk: Buffer): void {
    this.audio.push(chunk);
    if (this.shape === 'audio') {
      this.arrived += 1;
      this.onFrame();
    }
    // Without a picture to go by, only the length limits it.
    const maxBytes = SAMPLE_RATE * SAMPLE_BYTES * (this.shape === 'audio' ? 0.5 : 3);
    if (this.audio.length > maxBytes) this.audioOut += this.audio.take(this.audio.length - maxBytes).length;
  }

  /** Frames that have left, dropped ones included: the number of the next one. */
  get nextFrame(): number {
    return this.framesOut;
  }

  get ready(): boolean {
    if (this.hasSettled !== undefined) {
      if (!this.hasSettled()) return false;
      this.hasSettled = undefined;
      this.trim();
    }
    if (this.shape === 'audio')
      return this.audio.length >= (this.flowing ? 1 : CUSHION_FRAMES + 1) * this.frameAudioBytes;
    if (this.frames.length <= (this.flowing ? 0 : CUSHION_FRAMES)) return false;
    // Some sources give sound later than its picture; the queue's depth is the patience for it.
    return this.shape === 'video' || this.audio.length >= this.frameAudioBytes || this.frames.length > MAX_FRAMES - 2;
  }

  /** What is due with this beat; undefined when nothing is there. The caller owns the frame. `bytes` is the sound of a frame. */
  take(bytes: number): SourceFrame | undefined {
    if (!this.ready) {
      this.flowing = false;
      return undefined;
    }
    this.flowing = true;
    if (this.shape === 'audio') return { frame: undefined, audio: this.audio.take(bytes) };
    const frame = this.frames.shift()!;
    this.framesOut += 1;
    if (this.holdsWhenFull) this.tap?.resume();
    return { frame, audio: this.shape === 'video' ? Buffer.alloc(0) : this.audioOfFrame(bytes) };
  }

  /** With patience nothing is dropped: what does not fit waits in the pipe, and before it in the source's ffmpeg. */
  set holdWhenFull(holdsWhenFull: boolean) {
    this.holdsWhenFull = holdsWhenFull && this.tap !== undefined;
    this.tap?.resume();
  }

  /** Without patience some would be dropped. Fewer are no backlog: sound may come in pieces of 0.2 s, and its pictures wait for it. */
  get hasBacklog(): boolean {
    return this.frames.length >= MAX_FRAMES - 1;
  }

  /** One can be taken, and enough of them stay for its pace. */
  get hasSpare(): boolean {
    return this.shape === 'audio'
      ? this.audio.length > 6 * this.frameAudioBytes
      : this.frames.length > CUSHION_FRAMES + 2;
  }

  /** Leaves the newest few: whoever waited to go on air begins with the present. */
  trim(): void {
    while (this.frames.length > TRIMMED_FRAMES) this.dropOldest();
  }

  clear(): void {
    for (const frame of this.frames) frame.release();
    this.frames = [];
    this.audio.clear();
    this.flowing = false;
  }

  private overflow(): void {
    if (this.holdsWhenFull) this.tap?.pause();
    else this.dropOldest();
  }

  private get frameAudioBytes(): number {
    return Math.floor(SAMPLE_RATE / fpsOf(this.plan.rate)) * SAMPLE_BYTES;
  }

  private dropOldest(): void {
    this.frames.shift()!.release();
    this.framesOut += 1;
    this.dropped += 1;
  }

  /** Sound up to the end of the frames that have left, where `bytes` are due. */
  private audioOfFrame(bytes: number): Buffer {
    const end = Math.round((this.framesOut / fpsOf(this.plan.rate)) * SAMPLE_RATE) * SAMPLE_BYTES;
    const tolerance = Math.round(TOLERANCE_SECONDS * SAMPLE_RATE) * SAMPLE_BYTES;
    const behind = end - this.audioOut - bytes;
    if (behind > tolerance) this.audioOut += this.audio.take(behind).length;
    if (behind < -tolerance) return Buffer.alloc(0);
    const audio = this.audio.take(bytes);
    this.audioOut += audio.length;
    return audio;
  }
}
