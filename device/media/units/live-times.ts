/**
 * Decoding times of live media on one time line. They come as milliseconds modulo 2^32 that may begin anew at any moment, and leave as ticks
 * of 90 kHz that go on. Tracks follow one clock, of which each hears when its next unit comes.
 */

const TICKS_PER_MS = 90;
/** Encoders cut off or round to the next millisecond. */
const ROUNDED_TICKS = 1.1 * TICKS_PER_MS;
/** ffmpeg's bounds for live media: within them times are taken as they are, and a pause stays a pause. */
const MAX_BACK_MS = 100;
const MAX_STEP_MS = 10_000;
/** A picture of 25 a second. */
const USUAL_STEP_MS = 40;

/** The last unit of a track: its time in the source, and where it lies on the time line. */
interface Track {
  time: number;
  placedMs: number;
  ticks: number;
  stepMs: number;
}

export class LiveTimes {
  private readonly beginMs: number;
  private readonly tracks = new Map<number, Track>();

  constructor(beginTicks: number) {
    this.beginMs = beginTicks / TICKS_PER_MS;
  }

  /**
   * Returns the ticks of a unit of the track, which are later than those of its unit before. `lengthTicks` is that of every unit, where the
   * codec says it: times of whole milliseconds are taken for what they stand for.
   */
  place(track: number, time: number, lengthTicks?: number): number {
    const own = this.tracks.get(track);
    const placedMs = this.placeOf(own, time);
    const given = placedMs * TICKS_PER_MS;
    const exact = own === undefined || lengthTicks === undefined ? undefined : own.ticks + lengthTicks;
    const isExact = exact !== undefined && Math.abs(exact - given) <= ROUNDED_TICKS;
    const ticks = isExact ? exact : Math.max(given, (own?.ticks ?? -Infinity) + 1);
    const stepMs = own === undefined || placedMs <= own.placedMs ? USUAL_STEP_MS : placedMs - own.placedMs;
    this.tracks.set(track, { time, placedMs, stepMs, ticks });
    return Math.round(ticks);
  }

  private placeOf(own: Track | undefined, time: number): number {
    if (own === undefined) return this.firstPlace([...this.tracks.values()], time);
    const usual = along(own, time);
    if (goesOn(own, usual)) return usual;
    // Where another track has followed the clock already, both stay together.
    const places = [...this.tracks.values()].map((track) => along(track, time));
    return places.find((placedMs) => goesOn(own, placedMs)) ?? own.placedMs + own.stepMs;
  }

  private firstPlace(others: readonly Track[], time: number): number {
    const newest = Math.max(...others.map(({ placedMs }) => placedMs));
    const isNear = (placedMs: number): boolean => Math.abs(placedMs - newest) <= MAX_STEP_MS;
    const place = others.map((track) => along(track, time)).find(isNear);
    return place ?? (others.length === 0 ? this.beginMs : newest + USUAL_STEP_MS);
  }
}

function goesOn({ placedMs: before }: Track, placedMs: number): boolean {
  return placedMs >= before - MAX_BACK_MS && placedMs <= before + MAX_STEP_MS;
}

/** The place of `time` by a clock that has gone on since the unit, and perhaps past its wrap. */
function along({ time: from, placedMs }: Track, time: number): number {
  return placedMs + ((time - from) | 0);
}
