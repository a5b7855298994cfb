/** Watches the form of the pictures as they come in: their size and fields, and their rate by their timestamps. */
import type { Child } from '../process/child.ts';
import { usualRate } from '../../media/ladder/usual-rate.ts';

export interface PictureFormat {
  /** Pixels, before a player turns the picture. */
  width: number;
  height: number;
  /** Pictures a second. */
  fps: number;
  interlaced: boolean;
  /** Degrees clockwise by which a player turns it. */
  rotation: number;
}

/** Fewer pictures a second than the source has. */
export interface Shortage {
  /** On the steady clock. */
  since: number;
  fps: number;
  wanted: number;
}

/** The rate is that of so many seconds, and nothing comes when so many have gone by without a picture. */
const WINDOW_SECONDS = 2;
const MIN_WINDOW_SECONDS = 0.9;
const SILENT_MS = 1500;
/** A timestamp that jumps by more begins a new count. */
const MAX_STEP_SECONDS = 2;
/** Beyond these it is another clock: ffmpeg itself takes ten seconds for that in sources whose clocks it follows. */
const MAX_BACK_SECONDS = 0.5;
const MAX_AHEAD_SECONDS = 11;
/** A form is one when so many seconds of pictures have had it: a seam between two has pictures of both. */
const STABLE_SECONDS = 1;
/**
 * 29.97 and 30 differ by 2 ms in a window, and so much is one picture off at the seam of a file that is played again: neither is a change of
 * the other.
 */
const SAME_SHARE = 0.002;
/** With less than this share of its pictures a source is short of them, until nearly all of them come. */
const LOW_SHARE = 0.95;
const ENOUGH_SHARE = 0.98;
const LINE =
  /\[Parsed_showinfo_\d+ @ .*? n: *\d+ pts: *\S+ +pts_time: *(?<time>-?[\d.]+) (?:.*pos: *(?<pos>\d+) )?.* s:(?<width>\d+)x(?<height>\d+) i:(?<fields>\w)/u;
/** Bytes by which coded pictures lie behind others that are shown later, at most. By more, the input begins anew. */
const MAX_REORDERED = 8 << 20;

/** It serves one source over all its connections. */
export class SourceFormat {
  private readonly onChange: (from: PictureFormat, to: PictureFormat) => void;
  /** The times of the pictures have jumped: ffmpeg gives none of them on, or many too many. */
  onJump: (() => void) | undefined;
  private times: number[] = [];
  private shape = '';
  private lastAt = 0;
  private rotation = 0;
  /** The time of all pictures that came in, by their own clock; what is missing between two of them counts. */
  seconds = 0;
  /** Bytes of the input up to the last picture, over all connections; undefined where ffmpeg does not tell (RTSP, and from 7.0 on). */
  bytes: number | undefined;
  private position = 0;
  private known: PictureFormat | undefined;
  /** The rate of `known`; exact where that is no rate of the field. */
  private usual = 0;
  /** It is set while fewer pictures come than the source has. */
  shortage: Shortage | undefined;
  private candidate: { format: PictureFormat; since: number } | undefined;
  /** Until it is, the rate is a guess: of less than a window a missing picture makes another one. */
  private isSettled = false;
  private begunAt = 0;

  constructor(onChange: (from: PictureFormat, to: PictureFormat) => void) {
    this.onChange = onChange;
  }

  /** Another connection begins. */
  restart(): void {
    this.shortage = undefined;
    this.position = 0;
    this.countAnew();
  }

  private countAnew(): void {
    this.times = [];
    this.candidate = undefined;
  }

  turned(rotation = 0): void {
    this.rotation = rotation;
  }

  /** Pictures a second that the source has, as far as it is known. */
  get wanted(): number | undefined {
    return this.known?.fps;
  }

  /** Reads the lines of an ffmpeg beside their reader; one of its filters writes a line a picture. */
  read(child: Child): void {
    child.alsoRead((line) => this.line(line));
  }

  private line(line: string): void {
    const match = LINE.exec(line);
    if (match === null) return;
    const { time, pos, width, height, fields } = match.groups as Record<string, string | undefined>;
    if (pos !== undefined) this.count(Number(pos));
    const shape = `${width}x${height} ${fields}`;
    // The rate is that of these pictures alone.
    if (shape !== this.shape) this.countAnew();
    this.shape = shape;
    const seconds = Number(time);
    const last = this.times.at(-1);
    if (last !== undefined && (seconds < last - MAX_BACK_SECONDS || seconds > last + MAX_AHEAD_SECONDS))
      this.onJump?.();
    if (last !== undefined && seconds > last) this.seconds += seconds - last;
    if (last !== undefined && (seconds <= last || seconds - last > MAX_STEP_SECONDS)) this.countAnew();
    if (this.times.length === 0) this.begunAt = seconds;
    this.times.push(seconds);
    while (seconds - this.times[0]! > WINDOW_SECONDS) this.times.shift();
    this.lastAt = performance.now();
    this.look(seconds, [Number(width), Number(height)], fields !== 'P');
  }

  private count(position: number): void {
    if (position < this.position - MAX_REORDERED) this.position = position;
    this.bytes = (this.bytes ?? 0) + Math.max(0, position - this.position);
    this.position = Math.max(this.position, position);
  }

  /** Pictures a second that come in now; 0 when none does. */
  get fps(): number {
    if (performance.now() - this.lastAt > SILENT_MS) return 0;
    const { rate } = this;
    return rate === undefined ? 0 : (usualRate(rate) ?? Math.round(rate * 100) / 100);
  }

  private get rate(): number | undefined {
    const { times } = this;
    const seconds = (times.at(-1) ?? 0) - (times[0] ?? 0);
    return seconds < MIN_WINDOW_SECONDS ? undefined : (times.length - 1) / seconds;
  }

  private look(seconds: number, [shownWidth, shownHeight]: [number, number], interlaced: boolean): void {
    const { rate, rotation } = this;
    if (rate === undefined) return;
    // A rate that varies is no change from picture to picture.
    const known = this.isSettled ? this.known?.fps : undefined;
    const isKnown = known !== undefined && Math.abs(rate - known) <= known * SAME_SHARE;
    const fps = isKnown ? known : (usualRate(rate) ?? known ?? Math.round(rate));
    const isTurned = rotation % 180 !== 0;
    const [width, height] = isTurned ? [shownHeight, shownWidth] : [shownWidth, shownHeight];
    const format = { width, height, fps, interlaced, rotation };
    this.known ??= format;
    if (this.isSettled) this.lookForGaps(rate);
    else if (seconds - this.begunAt < WINDOW_SECONDS) return;
    if (this.candidate === undefined || !isSame(this.candidate.format, format))
      this.candidate = { format, since: seconds };
    if (seconds - this.candidate.since < STABLE_SECONDS) return;
    const before = this.known;
    this.known = format;
    if (!this.isSettled) this.usual = usualRate(rate) ?? rate;
    else if (before.fps !== format.fps) this.usual = format.fps;
    if (this.isSettled ? !isSame(before, format) : !isSameSize(before, format)) this.onChange(before, format);
    this.isSettled = true;
  }

  private lookForGaps(rate: number): void {
    const share = rate / this.usual;
    if (share >= ENOUGH_SHARE) this.shortage = undefined;
    else if (share < LOW_SHARE || this.shortage !== undefined) {
      const since = this.shortage?.since ?? performance.now();
      this.shortage = { since, fps: Math.round(rate), wanted: Math.round(this.usual * 100) / 100 };
    }
  }
}

function isSame(a: PictureFormat, b: PictureFormat): boolean {
  return (Object.keys(a) as (keyof PictureFormat)[]).every((key) => a[key] === b[key]);
}

function isSameSize(a: PictureFormat, b: PictureFormat): boolean {
  return a.width === b.width && a.height === b.height;
}
