/**
 * What is marked on the programme: breaks, ranges and tags, for all that write manifests. Kept on the disk, so that a break that is open
 * when the runner is killed is still open for the next one.
 */
import { readFileSync } from 'node:fs';
import { toIso } from '../../../domain/clock.ts';
import type { OutputSpec } from '../../../domain/run.ts';
import type { ManifestBreak, ManifestRange } from '../../media/scte35/cue-message.ts';
import { writeAtomic } from '../../atomic-file.ts';
import type { StreamClock } from './stream-clock.ts';

/** On the clock, which goes on when the stream's time begins anew. */
export interface Break {
  id: number;
  /** Of its cues: in and out of one break share it. */
  eventId: number;
  startMs: number;
  plannedSeconds: number | undefined;
  /** Undefined: until somebody ends it. */
  endMs: number | undefined;
  /** The cue of its end has been given, or is not needed. */
  returned: boolean;
  cueTags: boolean;
  out: Buffer;
  in: Buffer | undefined;
}

/** A tag that has been sent: packagers of fragmented MP4 write it into the segment of its time. */
export interface SentTag {
  ticks: number;
  bytes: Buffer;
}

interface Stored {
  nextId: number;
  breaks: (Omit<Break, 'out' | 'in'> & { out: string; in?: string | undefined })[];
  ranges: ManifestRange[];
}

/** Longer than packagers hold a segment back. */
const TAG_SECONDS = 120;
const TICKS = 90_000;
/** Half a frame at 50 a second: times of the clock are whole milliseconds. */
const SLACK_TICKS = 900;

export class CueInserter {
  private readonly line: StreamClock;
  private readonly file: string | undefined;
  private readonly keepMs: number;
  private nextId = 1;
  private open: Break[] = [];
  private plain: ManifestRange[] = [];
  private tags: SentTag[] = [];

  /** `keepSeconds`: how long what is over can still be listed anywhere. */
  constructor(line: StreamClock, file?: string, keepSeconds = 600) {
    this.line = line;
    this.file = file;
    this.keepMs = keepSeconds * 1000;
    const stored = file === undefined ? undefined : read(file);
    if (stored === undefined) return;
    this.nextId = stored.nextId;
    this.plain = stored.ranges;
    this.open = stored.breaks.map((item) => {
      return {
        ...item,
        endMs: item.endMs,
        out: bytes(item.out),
        in: item.in === undefined ? undefined : bytes(item.in),
      };
    });
  }

  /** In the order of their beginning. */
  get all(): readonly Break[] {
    return this.open;
  }

  get breaks(): ManifestBreak[] {
    return this.open.map(({ id, startMs, plannedSeconds, out, cueTags, endMs, in: back }) => {
      const end = endMs === undefined ? undefined : { at: toIso(Math.round(endMs)), in: back };
      return { id, startAt: toIso(Math.round(startMs)), plannedSeconds, out, cueTags, end };
    });
  }

  get ranges(): readonly ManifestRange[] {
    return this.plain;
  }

  begin(item: Omit<Break, 'id'>): Break {
    const added = { id: this.nextId++, ...item };
    this.open.push(added);
    this.save();
    return added;
  }

  end(item: Break, endMs: number, section: Buffer | undefined): void {
    Object.assign(item, { endMs, in: section, returned: true });
    this.save();
  }

  /** One with the same id takes its place and keeps its beginning, as RFC 8216 §4.3.2.7 wants it. */
  addRange(range: ManifestRange): ManifestRange {
    const former = this.plain.find(({ id }) => id === range.id);
    const added = { ...range, startAt: former?.startAt ?? range.startAt };
    this.plain = [...this.plain.filter((other) => other !== former), added];
    this.save();
    return added;
  }

  /** Unique in the run. */
  newRangeId(): string {
    return `range-${this.nextId++}`;
  }

  addTag(tag: SentTag): void {
    this.tags = [...this.tags.filter(({ ticks }) => ticks > tag.ticks - TAG_SECONDS * TICKS), tag];
  }

  tagsBetween(fromTicks: number, toTicks: number): SentTag[] {
    return this.tags.filter(({ ticks }) => ticks >= fromTicks - SLACK_TICKS && ticks < toTicks - SLACK_TICKS);
  }

  /** Whether a break begins or ends after the one time, and not after the other: a segment has to end there. */
  isCut(fromTicks: number, toTicks: number): boolean {
    return this.open.some((item) =>
      [item.startMs, item.endMs].some((ms) => {
        if (ms === undefined) return false;
        const ticks = this.line.ticksAt(ms);
        return ticks > fromTicks + SLACK_TICKS && ticks <= toTicks + SLACK_TICKS;
      }),
    );
  }

  private save(): void {
    const oldest = this.open.length === 0 ? 0 : this.line.now - this.keepMs;
    this.open = this.open.filter(({ endMs, returned }) => !returned || endMs === undefined || endMs >= oldest);
    this.plain = this.plain.filter(
      ({ startAt, seconds = 0 }) => Date.parse(startAt) + seconds * 1000 >= this.line.now - this.keepMs,
    );
    if (this.file === undefined) return;
    const breaks = this.open.map((item) => {
      return { ...item, out: item.out.toString('base64'), in: item.in?.toString('base64') };
    });
    const stored: Stored = { nextId: this.nextId, breaks, ranges: this.plain };
    try {
      writeAtomic(this.file, JSON.stringify(stored));
    } catch {
      // A full disk: it is in force; only a successor would not know of it.
    }
  }
}

/** How long what is over can still be listed by one of them; deleted files have been listed twice as long. */
export function longestWindowSeconds(outputs: readonly OutputSpec[]): number {
  const windows = outputs.map(({ settings }) =>
    Math.max(settings.time_shift_buffer_depth ?? 0, settings.playlist_length * settings.segment_duration),
  );
  return 2 * Math.max(60, ...windows);
}

function bytes(base64: string): Buffer {
  return Buffer.from(base64, 'base64');
}

function read(file: string): Stored | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Stored;
  } catch {
    return undefined;
  }
}
