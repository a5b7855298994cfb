/**
 * The marks on the stream, breaks, ranges and tags, for everybody who writes manifests. They are kept on the disk, so that a break that is
 * open when the runner is killed is still open for the next one.
 */
import { toIso } from '../../../domain/time/clock.ts';
import type { OutputSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import type { ManifestBreak, ManifestRange } from '../../media/scte35/cue-message.ts';
import { TICKS_PER_SECOND } from '../../media/mpeg-ts/mpeg-ts.ts';
import { readCached, writeAtomic } from '../../atomic-file.ts';
import type { StreamClock } from './stream-clock.ts';

/** Times are wall clock, which goes on when the stream's time begins anew. */
export interface Break {
  id: number;
  /** The cues out of and into the network of one break share it. */
  eventId: number;
  startMs: number;
  plannedSeconds: number | undefined;
  /** Undefined: the break lasts until somebody ends it. */
  endMs: number | undefined;
  /** The cue of its end has been sent, or is not needed. */
  returned: boolean;
  cueTags: boolean;
  out: Buffer;
  in: Buffer | undefined;
}

/** A tag that has been sent; packagers of fragmented MP4 write it into the segment of its time. */
export interface SentTag {
  ticks: number;
  bytes: Buffer;
}

interface Stored {
  nextId: number;
  breaks: (Omit<Break, 'out' | 'in'> & { out: string; in?: string | undefined })[];
  ranges: ManifestRange[];
}

/** Tags are kept for longer than packagers hold a segment back. */
const TAG_SECONDS = 120;
/** Half a frame at 50 frames a second: wall clock times are whole milliseconds. */
const SLACK_TICKS = 0.01 * TICKS_PER_SECOND;

export class CueMarks {
  private readonly clock: StreamClock;
  private readonly file: string | undefined;
  private readonly keepMs: number;
  private nextId = 1;
  private allBreaks: Break[] = [];
  private allRanges: ManifestRange[] = [];
  private tags: SentTag[] = [];

  /** `keepSeconds`: how long manifests may still list a mark that is over. */
  constructor(clock: StreamClock, file?: string, keepSeconds = 600) {
    this.clock = clock;
    this.file = file;
    this.keepMs = keepSeconds * 1000;
    const stored = file === undefined ? undefined : (readCached(file) as Stored | undefined);
    if (stored === undefined) return;
    this.nextId = stored.nextId;
    this.allRanges = stored.ranges;
    this.allBreaks = stored.breaks.map((item) => {
      return {
        ...item,
        endMs: item.endMs,
        out: bytes(item.out),
        in: item.in === undefined ? undefined : bytes(item.in),
      };
    });
  }

  /** Breaks, in the order of their beginning. */
  get all(): readonly Break[] {
    return this.allBreaks;
  }

  get breaks(): ManifestBreak[] {
    return this.allBreaks.map(({ id, startMs, plannedSeconds, out, cueTags, endMs, in: back }) => {
      const end = endMs === undefined ? undefined : { at: toIso(Math.round(endMs)), in: back };
      return { id, startAt: toIso(Math.round(startMs)), plannedSeconds, out, cueTags, end };
    });
  }

  get ranges(): readonly ManifestRange[] {
    return this.allRanges;
  }

  begin(item: Omit<Break, 'id'>): Break {
    const added = { id: this.nextId++, ...item };
    this.allBreaks.push(added);
    this.save();
    return added;
  }

  end(item: Break, endMs: number, section: Buffer | undefined): void {
    Object.assign(item, { endMs, in: section, returned: true });
    this.save();
  }

  /** Replaces a range with the same id and keeps its beginning, as RFC 8216 §4.3.2.7 wants it. */
  addRange(range: ManifestRange): ManifestRange {
    const former = this.allRanges.find(({ id }) => id === range.id);
    const added = { ...range, startAt: former?.startAt ?? range.startAt };
    this.allRanges = [...this.allRanges.filter((other) => other !== former), added];
    this.save();
    return added;
  }

  /** Returns an id that is unique in the run. */
  newRangeId(): string {
    return `range-${this.nextId++}`;
  }

  addTag(tag: SentTag): void {
    this.tags = [...this.tags.filter(({ ticks }) => ticks > tag.ticks - TAG_SECONDS * TICKS_PER_SECOND), tag];
  }

  tagsBetween(fromTicks: number, toTicks: number): SentTag[] {
    return this.tags.filter(({ ticks }) => ticks >= fromTicks - SLACK_TICKS && ticks < toTicks - SLACK_TICKS);
  }

  /** Tells whether a break begins or ends after the first time and by the second, in seconds of the stream: a segment has to end there. */
  isCut(fromSeconds: number, toSeconds: number): boolean {
    const [fromTicks, toTicks] = [fromSeconds * TICKS_PER_SECOND, toSeconds * TICKS_PER_SECOND];
    return this.allBreaks.some((item) =>
      [item.startMs, item.endMs].some((ms) => {
        if (ms === undefined) return false;
        const ticks = this.clock.ticksAt(ms);
        return ticks > fromTicks + SLACK_TICKS && ticks <= toTicks + SLACK_TICKS;
      }),
    );
  }

  private save(): void {
    const oldest = this.clock.now - this.keepMs;
    this.allBreaks = this.allBreaks.filter(
      ({ endMs, returned }) => !returned || endMs === undefined || endMs >= oldest,
    );
    this.allRanges = this.allRanges.filter(
      ({ startAt, seconds = 0 }) => Date.parse(startAt) + seconds * 1000 >= oldest,
    );
    if (this.file === undefined) return;
    const breaks = this.allBreaks.map((item) => {
      return { ...item, out: item.out.toString('base64'), in: item.in?.toString('base64') };
    });
    const stored: Stored = { nextId: this.nextId, breaks, ranges: this.allRanges };
    try {
      writeAtomic(this.file, JSON.stringify(stored));
    } catch {
      // On a full disk the marks are in force all the same; only a successor of this process would not know of them.
    }
  }
}

/** Returns for how long one of the Destinations can still list a mark that is over; deleted files count twice their time in a list. */
export function maxWindowSeconds(outputs: readonly OutputSpec[]): number {
  const windows = outputs.map(({ settings }) =>
    Math.max(settings.time_shift_buffer_depth ?? 0, settings.playlist_length * settings.segment_duration),
  );
  return 2 * Math.max(60, ...windows);
}

function bytes(base64: string): Buffer {
  return Buffer.from(base64, 'base64');
}
