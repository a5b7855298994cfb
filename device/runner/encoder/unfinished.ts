/**
 * What an encoder was given and has not given back: its successor gets it again, so that no picture is lost with the one that ended. Frames
 * are counted over all encoders of a run, on one grid of times; sound is kept a little longer, for codecs need some from before a seam.
 */
import type { Frame } from '../../media/frames/frame-pool.ts';
import { fpsOf } from '../../media/ladder/frame-rate.ts';
import { SAMPLE_BYTES, SAMPLE_RATE, type LadderPlan } from '../../media/ladder/ladder-plan.ts';
import { SampleQueue } from '../../media/frames/sample-queue.ts';
import type { EmittedMedia } from '../stream/media-bus.ts';

const BYTES_PER_SECOND = SAMPLE_RATE * SAMPLE_BYTES;
/** From the end of the sound that has left to the end of the pictures, up to 64 ms in AAC; and two frames of it before. */
const KEPT_SOUND_SECONDS = 0.25;

export interface GivenFrame {
  frame: Frame | undefined;
  sound: Buffer;
}

/** How an encoder begins. */
export interface Beginning {
  /** Time of its first picture, in seconds. */
  from: number;
  /** Where its sound begins, from there: before it, as a rule. */
  soundOffset: number;
  /** Sound that comes before that of the frames; or how many bytes of theirs are left out. */
  sound: Buffer;
  skippedBytes: number;
  frames: GivenFrame[];
  /** Pictures that are missing between the one that left last and the first one. */
  lost: number;
}

export class Unfinished {
  private readonly fps: number;
  private readonly together: number;
  private readonly hasVideo: boolean;
  private base = 0;
  /** Number of the first of `frames`. */
  private first = 0;
  private frames: GivenFrame[] = [];
  private readonly sound = new SampleQueue();
  /** Bytes of sound up to the end of the queue, and to the first of `frames`. */
  private soundEnd = 0;
  private soundFirst = 0;

  constructor({ rate, commonFrames, hasVideo }: Pick<LadderPlan, 'rate' | 'commonFrames' | 'hasVideo'>) {
    this.fps = fpsOf(rate);
    this.together = commonFrames;
    this.hasVideo = hasVideo;
  }

  /** Time of the frame that comes next, in seconds. */
  get next(): number {
    return this.timeOf(this.first + this.frames.length);
  }

  /** With the time of the first frame of a run; forgets all. */
  startAt(seconds: number): void {
    this.clear();
    this.base = seconds;
    this.first = 0;
  }

  give(frame: Frame | undefined, sound: Buffer, out: EmittedMedia): void {
    this.leftUntil(out);
    frame?.retain();
    this.frames.push({ frame, sound });
    this.sound.push(sound);
    this.soundEnd += sound.length;
    const kept = Math.max(this.soundEnd - this.soundFirst, 0) + KEPT_SOUND_SECONDS * BYTES_PER_SECOND;
    if (this.sound.length > kept) this.sound.take(this.sound.length - kept);
  }

  /** The beginning of an encoder that goes on where `out` ends, at a picture that all renditions have. */
  resume(out: EmittedMedia): Beginning {
    this.leftUntil(out);
    const left = this.first;
    while (this.frames.length > 0 && this.first % this.together !== 0) this.drop();
    const from = this.timeOf(this.first);
    const lost = this.first - left;
    const start = this.soundFirst;
    const wanted = out.audio === undefined ? start : this.soundAt(out.audio.end - 2 * out.audio.step, from);
    const kept = this.soundEnd - this.sound.length;
    const at = Math.min(Math.max(wanted, kept), this.soundEnd);
    const own = this.sound.take(this.sound.length);
    this.sound.push(own);
    return {
      ...{ from, lost, frames: [...this.frames] },
      soundOffset: (at - start) / BYTES_PER_SECOND,
      sound: own.subarray(at - kept, Math.max(at, start) - kept),
      skippedBytes: Math.max(0, at - start),
    };
  }

  clear(): void {
    for (const { frame } of this.frames) frame?.release();
    this.frames = [];
    this.sound.clear();
    this.soundFirst = this.soundEnd;
  }

  private timeOf(number: number): number {
    return this.base + number / this.fps;
  }

  /** Position of an instant in the sound, in whole samples, as the frame at `from` has it. */
  private soundAt(seconds: number, from: number): number {
    return this.soundFirst + Math.round((seconds - from) * SAMPLE_RATE) * SAMPLE_BYTES;
  }

  private leftUntil({ videoEnd, audio }: EmittedMedia): void {
    const end = this.hasVideo ? videoEnd : audio?.end;
    if (end === undefined) return;
    const frames = (end - this.base) * this.fps;
    const until = this.hasVideo ? Math.round(frames) : Math.floor(frames);
    while (this.frames.length > 0 && this.first < until) this.drop();
  }

  private drop(): void {
    const { frame, sound } = this.frames.shift()!;
    frame?.release();
    this.first += 1;
    this.soundFirst += sound.length;
  }
}
