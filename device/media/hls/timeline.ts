/**
 * One time line for all parts of a programme: each begins where the pictures of the one before it end, whatever its own clock says. Times are
 * ticks of 90 kHz that count on past the wrap.
 */
import type { Unit } from './units.ts';
import type { Track } from '../units/track.ts';
import type { UnitTimes } from '../units/ts-writer.ts';

/** Decoding times may lie before the first picture. */
const START_TICKS = 900_000;
/** Sound that begins so much earlier than the sound before it ends is left out. */
const MAX_OVERLAP_TICKS = 1800;

export class Timeline {
  private offset: number | undefined;
  /** The end of what has been placed: of pictures, and of sound where no pictures are. */
  private pictureEnd: number | undefined;
  private soundEnd: number | undefined;
  private readonly lastDts = new Map<Track['kind'], number>();
  private readonly trackEnds = new Map<string, number>();

  /** Has the unit at `startPts` of its own clock follow all that has been placed. */
  begin(startPts: number): void {
    this.offset = this.end - startPts;
  }

  /** Time at which the next part begins. */
  get end(): number {
    return this.pictureEnd ?? this.soundEnd ?? START_TICKS;
  }

  /** Ticks from the clock of the present part to the time line. */
  get shift(): number {
    return this.offset ?? 0;
  }

  /** Returns the times of the unit; undefined for sound that would lie over the sound before it. `name` is that of its track. */
  place({ track, pts, dts, duration }: Unit, name: string): UnitTimes | undefined {
    const shown = pts === undefined ? undefined : pts + this.shift;
    const placed = { pts: shown, dts: dts + this.shift };
    if (track.kind === 'section') return placed;
    const end = (shown ?? placed.dts) + duration;
    const before = this.trackEnds.get(name) ?? -Infinity;
    if (track.kind === 'sound' && shown !== undefined && shown < before - MAX_OVERLAP_TICKS) return undefined;
    this.trackEnds.set(name, Math.max(before, end));
    if (track.kind === 'video') {
      this.pictureEnd = Math.max(this.pictureEnd ?? end, end);
      placed.dts = Math.min(shown ?? Infinity, Math.max(placed.dts, (this.lastDts.get('video') ?? -Infinity) + 1));
      this.lastDts.set('video', placed.dts);
    } else if (track.kind === 'sound') this.soundEnd = Math.max(this.soundEnd ?? end, end);
    return placed;
  }
}
