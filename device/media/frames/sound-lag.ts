/** How many frames of a source come before their sound: when fewer wait, viewers see one for as long as its sound takes. */

/** A transport stream may have its sound in pieces of 0.35 s (ffmpeg's muxer), each as late as it is long. */
const PIECE_SECONDS = 0.36;
/** Sound that comes evenly comes more than once within this. */
const EVEN_MS = 120;
/** ffmpeg gives one piece in several writes, and a burst in many. */
const SAME_PIECE_MS = 15;
/** Sound that pauses for longer is not waited for. */
const MAX_LAG_SECONDS = 0.5;

export class SoundLag {
  private readonly fps: number;
  /** The instants at which the last two pieces of sound came. */
  private pieces: [before: number, last: number] = [-Infinity, -Infinity];
  /** The most so far. */
  frames = 0;

  constructor(fps: number) {
    this.fps = fps;
  }

  /**
   * It is called before some sound is taken in: that is when frames are furthest ahead of it. `secondsAhead` is the time of the frames that
   * have come, less that of their sound.
   */
  measure(nowMs: number, secondsAhead: number): void {
    const [, last] = this.pieces;
    if (nowMs - last <= SAME_PIECE_MS) return;
    this.pieces = [last, nowMs];
    // In the burst at the beginning the order says nothing.
    if (last !== -Infinity) this.allow(secondsAhead);
  }

  /** In a burst sound is ahead of its frames, which are decoded meanwhile. How far it will be behind follows from its pieces. */
  foresee(nowMs: number, secondsAhead: number): void {
    const [before, last] = this.pieces;
    if (last === -Infinity || nowMs - before < EVEN_MS) return;
    const decodingSeconds = Math.max(0, (nowMs - last) / 1000 - secondsAhead);
    this.allow(PIECE_SECONDS - decodingSeconds);
  }

  private allow(seconds: number): void {
    this.frames = Math.max(this.frames, Math.ceil(Math.min(seconds, MAX_LAG_SECONDS) * this.fps));
  }
}
