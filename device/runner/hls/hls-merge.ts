/** Puts the units of a playlist and of the sound beside it in one order, by their part and their decoding times. */
import { PlaylistCues } from '../../media/hls/cue-tags.ts';
import { startOf, type Unit } from '../../media/hls/units.ts';
import { inLanguage, type Track } from '../../media/units/track.ts';
import { TICKS_PER_SECOND } from '../../media/mpeg-ts/mpeg-ts.ts';
import type { ReadSegment } from './hls-reader.ts';

/** Gives segments; HlsReader is one. */
export interface SegmentQueue {
  readonly head: ReadSegment | undefined;
  take(): ReadSegment | undefined;
  readonly isOver: boolean;
  onChange: () => void;
  close(): void;
}

export interface MergeInput {
  queue: SegmentQueue;
  /** Its sound is left out, where others have it. */
  isMute?: boolean;
  language?: string | undefined;
}

export interface MergedUnit {
  unit: Unit;
  /** The name of its track, which is the same in all segments as long as its codec is. */
  name: string;
  /** Its time does not follow that of the units before it: what begins here at `startPts` follows what was before. */
  startPts: number | undefined;
}

interface Head {
  segment: ReadSegment;
  names: Map<Track, string>;
  units: Unit[];
  at: number;
}

interface Input extends MergeInput {
  id: number;
  head: Head | undefined;
}

/** The first input goes on elsewhere: behind a discontinuity, or behind segments that are missing. */
interface Break {
  part: number;
  startPts: number;
  from: number;
  isGap: boolean;
}

const WRAP_TICKS = 2 ** 33;
/** A segment that begins so far from where the one before it has ended is no continuation. */
const MAX_JUMP_TICKS = TICKS_PER_SECOND;
/** Sound is left out that begins so much before its pictures, and that has come so late. */
const MAX_EARLY_TICKS = 0.1 * TICKS_PER_SECOND;
const MAX_LATE_TICKS = 2 * TICKS_PER_SECOND;

export class Merge {
  private readonly main: Input;
  private readonly others: Input[];
  private readonly cues = new PlaylistCues();
  /** Times near which those of a part are, past the wraps. */
  private readonly near = new Map<number, number>();
  private chosen: Input | undefined;
  private pending: Break | undefined;
  /** Time at which the next segment of the first input is expected, and how far its units have been given. */
  private expected: { part: number; ticks: number } | undefined;
  private given = { dts: -Infinity, end: -Infinity };

  constructor([first, ...others]: readonly MergeInput[]) {
    this.main = { ...first!, id: 0, head: undefined };
    this.others = others.map((input, i) => ({ ...input, id: i + 1, head: undefined }));
  }

  set onChange(listener: () => void) {
    for (const { queue } of this.inputs) queue.onChange = listener;
  }

  close(): void {
    for (const { queue } of this.inputs) queue.close();
  }

  /** Nothing more will come. */
  get isOver(): boolean {
    return this.fill(this.main) === undefined && this.main.queue.isOver;
  }

  private get inputs(): Input[] {
    return [this.main, ...this.others];
  }

  /** The tracks of the segments that come next, without those that are empty. */
  tracks(): { track: Track; name: string }[] {
    return this.inputs.flatMap((input) => {
      const { units, names } = this.fill(input) ?? {};
      const filled = new Set(units?.map(({ track }) => track));
      return [...(names ?? [])].flatMap(([track, name]) =>
        filled.has(track) || track.kind === 'section' ? [{ track: inLanguage(track, input.language), name }] : [],
      );
    });
  }

  /** The unit that comes next; undefined while there is none, or sound is missing beside it and `isLate` is false. */
  peek(isLate: boolean): MergedUnit | undefined {
    const main = this.fill(this.main);
    if (main === undefined) return undefined;
    let [input, head] = [this.main, main];
    for (const other of this.others) {
      const own = this.fresh(other, main);
      if (own === undefined && !isLate && !other.queue.isOver) return undefined;
      if (own !== undefined && isBefore(own, head)) [input, head] = [other, own];
    }
    this.chosen = input;
    const { pending } = this;
    const isBroken = pending?.part === head.segment.part && (head === main || !pending.isGap);
    const unit = head.units[head.at]!;
    return { unit, name: head.names.get(unit.track)!, startPts: isBroken ? pending.startPts : undefined };
  }

  /** Goes on behind the unit that `peek` has answered. */
  drop(): void {
    const { chosen, pending } = this;
    if (chosen?.head === undefined) return;
    const { units, at, segment } = chosen.head;
    const unit = units[at]!;
    if (pending?.part === segment.part && (chosen === this.main || !pending.isGap)) {
      this.pending = undefined;
      this.given = { dts: pending.from, end: pending.from };
    }
    if (chosen === this.main) this.given = { dts: unit.dts, end: Math.max(this.given.end, unit.dts + unit.duration) };
    chosen.head.at += 1;
  }

  /** Returns the head of the input without what nobody can hear any more. */
  private fresh(input: Input, main: Head): Head | undefined {
    for (;;) {
      const head = this.fill(input);
      if (head === undefined || !this.isPast(head, main)) return head;
      head.at += 1;
    }
  }

  private isPast({ units, at, segment }: Head, main: Head): boolean {
    const { dts } = units[at]!;
    const { pending, given } = this;
    if (segment.part > main.segment.part) return false;
    if (segment.part < main.segment.part) return pending === undefined || dts >= given.end;
    if (pending === undefined) return dts < given.dts - MAX_LATE_TICKS;
    return dts < pending.from - MAX_EARLY_TICKS && (!pending.isGap || dts >= given.end);
  }

  private fill(input: Input): Head | undefined {
    while (input.head === undefined || input.head.at >= input.head.units.length) {
      const taken = input.queue.take();
      if (taken === undefined) return (input.head = undefined);
      const segment = input === this.main ? this.cues.addTo(taken, taken.cues ?? []) : taken;
      input.head = this.headOf(input, segment);
      if (input === this.main && input.head.units.length > 0) this.noteBreak(input.head);
    }
    return input.head;
  }

  private headOf(input: Input, segment: ReadSegment): Head {
    const isOwn = ({ kind }: Track): boolean =>
      kind === 'section' || (kind === 'sound' ? input.isMute !== true : kind === 'video' && input === this.main);
    const counts = new Map<string, number>();
    const names = new Map<Track, string>();
    for (const track of segment.tracks.filter(isOwn)) {
      const count = counts.get(track.kind) ?? 0;
      counts.set(track.kind, count + 1);
      names.set(track, [input.id, track.kind, count, track.type].join(' '));
    }
    const own = segment.units.filter(({ track }) => names.has(track));
    const shift = this.shiftOf(segment.part, own[0]?.dts);
    const units = shift === 0 ? own : own.map((unit) => shifted(unit, shift));
    return { segment, names, units, at: 0 };
  }

  /** Ticks from the 33 bits of a segment to the times of its part. */
  private shiftOf(part: number, dts: number | undefined): number {
    if (dts === undefined) return 0;
    const shift = Math.round(((this.near.get(part) ?? dts) - dts) / WRAP_TICKS) * WRAP_TICKS;
    this.near.set(part, dts + shift);
    for (const old of this.near.keys()) if (this.near.size > 4) this.near.delete(old);
    return shift;
  }

  private noteBreak({ segment, units }: Head): void {
    const { part, seconds, isAfterGap } = segment;
    const from = units[0]!.dts;
    const isNewPart = this.expected?.part !== part;
    const jump = Math.abs(from - (this.expected?.ticks ?? from));
    if (isNewPart || isAfterGap || jump > Math.max(MAX_JUMP_TICKS, (seconds * TICKS_PER_SECOND) / 2)) {
      const startPts = startOf({ tracks: [], units }) ?? from;
      this.pending = { part, startPts, from, isGap: !isNewPart };
    }
    this.expected = { part, ticks: from + seconds * TICKS_PER_SECOND };
  }
}

function isBefore(a: Head, b: Head): boolean {
  const [x, y] = [a.segment.part, b.segment.part];
  return x < y || (x === y && a.units[a.at]!.dts < b.units[b.at]!.dts);
}

function shifted(unit: Unit, ticks: number): Unit {
  return { ...unit, dts: unit.dts + ticks, pts: unit.pts === undefined ? undefined : unit.pts + ticks };
}
