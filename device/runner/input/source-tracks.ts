/** Tells which audio tracks of a source are taken, and in which track of the programme each is heard. */
import type { SourceSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import type { Shape, TrackNumber } from '../../media/arguments/ingest-args.ts';
import type { LadderPlan } from '../../media/ladder/ladder-plan.ts';
import type { Taken } from '../watch/stream-watch.ts';

export class SourceTracks {
  private readonly plan: LadderPlan;
  private readonly onMissing: ((tracks: number[]) => void) | undefined;
  private readonly missing = new Set<number>();

  /**
   * `onMissing` takes the numbers of tracks that the source turns out to lack. Without it the source is a file that stands in for another:
   * all viewers hear its first track, whatever their language.
   */
  constructor(plan: LadderPlan, onMissing?: (tracks: number[]) => void) {
    this.plan = plan;
    this.onMissing = onMissing;
  }

  /** The tracks in the order of their descriptors. */
  get taken(): TrackNumber[] {
    if (this.onMissing === undefined) return [undefined];
    return this.plan.tracks.map(({ number }) => number).filter((number) => !this.isMissing(number));
  }

  /** For each track of the programme, the number of the taken one that is heard in it; -1 for none. */
  get sources(): number[] {
    const { taken } = this;
    return this.plan.tracks.map(({ number }) => (this.onMissing === undefined ? 0 : taken.indexOf(number)));
  }

  get isIncomplete(): boolean {
    return this.missing.size > 0;
  }

  /** A source of which no track is taken is one without audio. */
  shapeOf(shape: Shape): Shape {
    return shape === 'both' && this.taken.length === 0 ? 'video' : shape;
  }

  /** Tells from ffmpeg's stderr at its end whether the next connection takes fewer tracks: the source has so many only. */
  adapts(stderr: string): boolean {
    const count = /Stream map '0:(?:p:\d+:)?a:(\d+)' matches no streams/u.exec(stderr)?.[1];
    if (count === undefined || this.onMissing === undefined) return false;
    const lacking = this.taken.flatMap((number) => (number !== undefined && number >= Number(count) ? [number] : []));
    // A programme of sound alone has nothing to go on with.
    const isEmpty = !this.plan.hasVideo && lacking.length === this.taken.length;
    if (lacking.length === 0 || isEmpty) return false;
    for (const number of lacking) this.missing.add(number);
    this.onMissing(lacking);
    return true;
  }

  /** The source lacks tracks of these numbers; each is told once. */
  miss(numbers: readonly number[]): void {
    const lacking = numbers.filter((number) => !this.missing.has(number));
    for (const number of lacking) this.missing.add(number);
    if (lacking.length > 0) this.onMissing?.(lacking);
  }

  forget(): void {
    this.missing.clear();
  }

  private isMissing(number: TrackNumber): boolean {
    return number !== undefined && this.missing.has(number);
  }
}

/** The streams that are wanted of the source, and those that a connection of this shape takes. */
export function takenBy(
  { hasVideo, audios }: LadderPlan,
  { settings: { program = 0, audiotrack } }: SourceSpec,
  tracks: SourceTracks,
  shape: Shape,
): Taken {
  const own = tracks.shapeOf(shape);
  const { isIncomplete } = tracks;
  const isAnySound = program === 0 && audiotrack === undefined && !isIncomplete;
  return {
    picture: { isWanted: hasVideo, isTaken: own !== 'audio', mayBeAny: program === 0 },
    sound: { isWanted: audios.length > 0, isTaken: own !== 'video' && !isIncomplete, mayBeAny: isAnySound },
  };
}
