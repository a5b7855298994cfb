/** Plays one Recording, which may have several files, as one time line: by seconds, by frames, and by J K L. */
import { signal } from '@preact/signals';
import { partAt, type MediaPart } from './media-parts.ts';
import { nextSpeed } from './shuttle.ts';

const BACKWARDS_MS = 200;
/** Until two frames were seen one after the other. It is right for 24 to 30 fps. */
const USUAL_FRAME = 1 / 30;
const FRAME_BOUNDS = { min: 1 / 200, max: 0.2 };

export class PlayerState {
  /** Seconds from the beginning of the Recording: of the frame that is shown, or of the place that was sought. */
  readonly at = signal(0);
  readonly length = signal(0);
  /** 0 stands; below it runs backwards. */
  readonly speed = signal(0);
  readonly part = signal<MediaPart | undefined>(undefined);
  readonly error = signal<{ code: number; message: string } | undefined>(undefined);
  private readonly parts = signal<readonly MediaPart[]>([]);
  private video: HTMLVideoElement | undefined;
  private frame = USUAL_FRAME;
  private last: { mediaTime: number; count: number } | undefined;
  /** A seek by frames shows where the frame begins; another one shows the place that was asked for. */
  private isByFrames = false;
  /** The place to go to once the file of another part is open. */
  private pending: number | undefined;
  private backwards: ReturnType<typeof setInterval> | undefined;

  setParts(parts: readonly MediaPart[]): void {
    this.parts.value = parts;
    const end = parts.at(-1);
    this.length.value = end === undefined ? 0 : end.begins + end.seconds;
    this.part.value ??= parts[0];
  }

  /** Returns what lets the element go. */
  attach(video: HTMLVideoElement): () => void {
    this.video = video;
    const stop = new AbortController();
    const { signal: ended } = stop;
    const hear = (event: string, act: () => void): void => video.addEventListener(event, act, { signal: ended });
    hear('loadedmetadata', () => this.opened());
    hear('timeupdate', () => this.showPlace());
    hear('seeked', () => this.showPlace());
    hear('play', () => (this.speed.value = Math.max(1, this.speed.peek())));
    hear('pause', () => (this.speed.value = Math.min(0, this.speed.peek())));
    hear('ended', () => this.nextPart());
    hear('error', () => {
      const { code = 4, message = '' } = video.error ?? {};
      if (video.hasAttribute('src')) this.error.value = { code, message };
    });
    const frames = (_now: number, { mediaTime, presentedFrames }: VideoFrameCallbackMetadata): void => {
      this.see(mediaTime, presentedFrames);
      if (!ended.aborted) video.requestVideoFrameCallback(frames);
    };
    // Firefox has it from 132 on; without it frames are as long as usual.
    if ('requestVideoFrameCallback' in video) video.requestVideoFrameCallback(frames);
    return () => {
      stop.abort();
      clearInterval(this.backwards);
      this.video = undefined;
    };
  }

  seek(seconds: number): void {
    this.isByFrames = false;
    this.go(seconds);
  }

  skip(seconds: number): void {
    this.seek(this.at.value + seconds);
  }

  /** Lands in the middle of a frame, so that no rounding shows its neighbour. */
  step(frames: 1 | -1): void {
    this.stop();
    this.isByFrames = true;
    const begin = this.last === undefined ? this.at.value : (this.part.value?.begins ?? 0) + this.last.mediaTime;
    this.go(begin + (frames + 0.5) * this.frame);
  }

  toggle(): void {
    if (this.speed.value === 0) this.run(1);
    else this.stop();
  }

  stop(): void {
    this.run(0);
  }

  shuttle(key: 'J' | 'K' | 'L'): void {
    this.run(nextSpeed(this.speed.value, key));
  }

  private run(speed: number): void {
    clearInterval(this.backwards);
    this.speed.value = speed;
    const { video } = this;
    if (video === undefined) return;
    if (speed <= 0) video.pause();
    if (speed < 0) this.backwards = setInterval(() => this.goBack(-speed), BACKWARDS_MS);
    if (speed <= 0) return;
    if (this.at.value >= this.length.value) this.seek(0);
    video.playbackRate = speed;
    video.play().catch(() => (this.speed.value = 0));
  }

  /** No browser plays backwards: it is sought step by step. */
  private goBack(speed: number): void {
    this.skip((-speed * BACKWARDS_MS) / 1000);
    if (this.at.value <= 0) this.stop();
  }

  private go(seconds: number): void {
    const target = Math.max(0, Math.min(seconds, this.length.value));
    const part = partAt(this.parts.value, target);
    if (part === undefined || this.video === undefined) return;
    this.last = undefined;
    if (!this.isByFrames) this.at.value = target;
    if (part.number === this.part.value?.number && this.video.readyState > 0)
      this.video.currentTime = target - part.begins;
    else this.pending = target;
    this.part.value = part;
  }

  private opened(): void {
    const { video, pending } = this;
    const part = this.part.value;
    if (video === undefined || part === undefined) return;
    this.error.value = undefined;
    // What the file says of itself counts; the row was rounded.
    if (Number.isFinite(video.duration) && this.parts.value.length === 1)
      this.setParts([{ ...part, seconds: video.duration }]);
    this.pending = undefined;
    if (pending !== undefined) video.currentTime = pending - part.begins;
    if (this.speed.value > 0) this.run(this.speed.value);
  }

  private nextPart(): void {
    const next = this.parts.value.find(({ number }) => number === (this.part.value?.number ?? 0) + 1);
    if (next === undefined) return;
    this.speed.value = 1;
    this.seek(next.begins);
  }

  private showPlace(): void {
    const { video, last } = this;
    if (video === undefined || this.pending !== undefined || video.seeking) return;
    const isFrameKnown = last !== undefined && (this.isByFrames || this.speed.value > 0);
    const seconds = isFrameKnown ? last.mediaTime : video.currentTime;
    this.at.value = (this.part.value?.begins ?? 0) + seconds;
  }

  private see(mediaTime: number, count: number): void {
    const { last, video } = this;
    const delta = mediaTime - (last?.mediaTime ?? mediaTime);
    const isNext = last !== undefined && count === last.count + 1 && video?.paused === false && video.playbackRate <= 1;
    if (isNext && delta > FRAME_BOUNDS.min && delta < FRAME_BOUNDS.max) this.frame = delta;
    this.last = { mediaTime, count };
    if (this.speed.value > 0) this.isByFrames = true;
    this.showPlace();
  }
}
