/**
 * Keeps the media that an encoder has taken and not given back: its successor gets it again, so that no frame is lost with the one that
 * ended. Frames are counted over all encoders of a run, on one grid of times; audio is kept a little longer, because codecs need some from
 * before a seam.
 */
import type { Frame } from '../../media/frames/frame-pool.ts';
import { fpsOf } from '../../media/ladder/frame-rate.ts';
import { SAMPLE_RATE, type LadderPlan } from '../../media/ladder/ladder-plan.ts';
import { SampleQueue } from '../../media/frames/sample-queue.ts';
import type { EmittedMedia } from '../stream/media-bus.ts';

/**
 * The end of the audio that has left may be up to 64 ms in AAC before the end of the video, and two of its frames before that are needed as
 * well.
 */
const KEPT_AUDIO_SECONDS = 0.25;

export interface PendingFrame {
  frame: Frame | undefined;
  audio: Buffer;
}

/** The start of an encoder. */
export interface Beginning {
  /** Time of its first frame, in seconds. */
  from: number;
  /** Start of its audio in seconds after `from`; it is usually negative. */
  audioOffset: number;
  /** Audio that comes before that of the frames. When there is none, `skippedBytes` of the frames' audio are left out. */
  audio: Buffer;
  skippedBytes: number;
  frames: PendingFrame[];
  /** Frames that are missing between the one that left last and the first one. */
  lostFrames: number;
}

export class Unfinished {
  private readonly fps: number;
  private readonly together: number;
  private readonly hasVideo: boolean;
  private readonly sentBytes: number;
  private base = 0;
  /** Number of the first of `frames`. */
  private first = 0;
  private frames: PendingFrame[] = [];
  private readonly audio: SampleQueue;
  /** Bytes of audio up to the end of the queue, and to the first of `frames`. */
  private audioEnd = 0;
  private audioFirst = 0;

  constructor({
    rate,
    commonFrames,
    hasVideo,
    sentBytes,
  }: Pick<LadderPlan, 'rate' | 'commonFrames' | 'hasVideo' | 'sentBytes'>) {
    this.fps = fpsOf(rate);
    this.together = commonFrames;
    this.hasVideo = hasVideo;
    this.sentBytes = sentBytes;
    this.audio = new SampleQueue(sentBytes);
  }

  /** Time of the frame that comes next, in seconds. */
  get next(): number {
    return this.timeOf(this.first + this.frames.length);
  }

  /** Forgets all; `seconds` is the time of the first frame of a run. */
  startAt(seconds: number): void {
    this.clear();
    this.base = seconds;
    this.first = 0;
  }

  add(frame: Frame | undefined, audio: Buffer, out: EmittedMedia): void {
    this.leftUntil(out);
    frame?.retain();
    this.frames.push({ frame, audio });
    this.audio.push(audio);
    this.audioEnd += audio.length;
    const maxBytes = Math.max(this.audioEnd - this.audioFirst, 0) + KEPT_AUDIO_SECONDS * this.bytesPerSecond;
    if (this.audio.length > maxBytes) this.audio.take(this.audio.length - maxBytes);
  }

  /** Returns the start of an encoder that goes on where `out` ends, at a frame that all renditions have. */
  resume(out: EmittedMedia): Beginning {
    this.leftUntil(out);
    const next = this.first;
    while (this.frames.length > 0 && this.first % this.together !== 0) this.drop();
    const from = this.timeOf(this.first);
    const lostFrames = this.first - next;
    const start = this.audioFirst;
    const position = out.audio === undefined ? start : this.audioPosition(out.audio.end - 2 * out.audio.step, from);
    const oldest = this.audioEnd - this.audio.length;
    const at = Math.min(Math.max(position, oldest), this.audioEnd);
    const queued = this.audio.take(this.audio.length);
    this.audio.push(queued);
    return {
      from,
      lostFrames,
      frames: [...this.frames],
      audioOffset: (at - start) / this.bytesPerSecond,
      audio: queued.subarray(at - oldest, Math.max(at, start) - oldest),
      skippedBytes: Math.max(0, at - start),
    };
  }

  clear(): void {
    for (const { frame } of this.frames) frame?.release();
    this.frames = [];
    this.audio.clear();
    this.audioFirst = this.audioEnd;
  }

  private get bytesPerSecond(): number {
    return SAMPLE_RATE * this.sentBytes;
  }

  private timeOf(number: number): number {
    return this.base + number / this.fps;
  }

  /** Position in the audio of an instant, in whole samples, given that the first frame is at `from`. */
  private audioPosition(seconds: number, from: number): number {
    return this.audioFirst + Math.round((seconds - from) * SAMPLE_RATE) * this.sentBytes;
  }

  private leftUntil({ videoEnd, audio }: EmittedMedia): void {
    const end = this.hasVideo ? videoEnd : audio?.end;
    if (end === undefined) return;
    const frames = (end - this.base) * this.fps;
    const until = this.hasVideo ? Math.round(frames) : Math.floor(frames);
    while (this.frames.length > 0 && this.first < until) this.drop();
  }

  private drop(): void {
    const { frame, audio } = this.frames.shift()!;
    frame?.release();
    this.first += 1;
    this.audioFirst += audio.length;
  }
}
