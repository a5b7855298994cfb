/**
 * Lays the times of a source, 33 bits wide and begun anywhere, behind what a stream has: they count on over their wrap, and where the clock
 * of the source begins anew the stream goes on without a gap.
 */
import { TICKS_PER_SECOND } from './mpeg-ts.ts';

/** As far as ffmpeg lets times go back and ahead before it takes them for another clock. */
const MAX_BACK = 0.1 * TICKS_PER_SECOND;
const MAX_AHEAD = 10 * TICKS_PER_SECOND;
const TIMES_WRAP = 2 ** 33;

export interface UnitTimes {
  pts: number;
  dts: number;
}

/** One clock of the source. All its tracks go over to the next one, each at its own place. */
interface Clock {
  offset: number;
}

interface Track {
  clock: Clock;
  /** Times of the last unit, of the source and of the stream. */
  raw: number;
  out: number;
  step: number;
}

export class SourceTimes {
  private readonly startTicks: number;
  private readonly tracks = new Map<number, Track>();
  private clock: Clock;

  /** `first`: the time of the source that becomes `startTicks` of the stream. */
  constructor(first: number, startTicks: number) {
    this.startTicks = startTicks;
    this.clock = { offset: startTicks - first };
  }

  /** Returns the times of a unit in the stream; undefined for one that belongs before its beginning. */
  place(pid: number, { pts, dts }: UnitTimes): UnitTimes | undefined {
    const track = this.tracks.get(pid);
    const raw = near(track?.raw ?? this.newestRaw, dts);
    if (track === undefined) {
      const out = raw + this.clock.offset;
      const isOther = Math.abs(out - this.newest) > MAX_AHEAD;
      if (isOther) this.clock = { offset: this.newest - raw };
      else if (out < this.startTicks) return undefined;
      const first = raw + this.clock.offset;
      this.tracks.set(pid, { clock: this.clock, raw, out: first, step: 0 });
      return { dts: first, pts: first + ahead(pts, dts) };
    }
    const moved = raw - track.raw;
    if (moved < -MAX_BACK || moved > MAX_AHEAD) this.follow(track, raw);
    else if (moved > 0) track.step = Math.min(moved, TICKS_PER_SECOND);
    const out = Math.max(raw + track.clock.offset, track.out + 1);
    Object.assign(track, { raw, out });
    return { dts: out, pts: out + ahead(pts, dts) };
  }

  /** Returns where a time of the source, such as that of a cue, is in the stream. */
  ticksAt(time: number): number {
    return near(this.newestRaw, time) + this.clock.offset;
  }

  /** The newest time of the stream. */
  get newest(): number {
    return Math.max(this.startTicks, ...[...this.tracks.values()].map(({ out }) => out));
  }

  private get newestRaw(): number {
    return this.newest - this.clock.offset;
  }

  /** The clock has begun anew: by the one that another track has gone over to already, or by a new one. */
  private follow(track: Track, raw: number): void {
    const moved = raw + this.clock.offset - track.out;
    if (this.clock === track.clock || moved < -MAX_BACK || moved > MAX_AHEAD)
      this.clock = { offset: track.out + track.step - raw };
    track.clock = this.clock;
  }
}

/** Counts a time on past the wrap, by one that is about the same. */
function near(known: number, time: number): number {
  return time + Math.round((known - time) / TIMES_WRAP) * TIMES_WRAP;
}

/** A picture is shown so much after it is decoded. */
function ahead(pts: number, dts: number): number {
  const ticks = (pts - dts + TIMES_WRAP) % TIMES_WRAP;
  return ticks > MAX_AHEAD ? 0 : ticks;
}
