/**
 * Gives an ffmpeg, or a reader of this process, the media of a playlist and of the sound beside it as one transport stream without an end:
 * parts follow each other, and what comes after a standstill follows what came before it. It goes on with the next reader where the one
 * before it was.
 */
import type { Writable } from 'node:stream';
import { Timeline } from '../../media/hls/timeline.ts';
import { TsWriter } from '../../media/units/ts-writer.ts';
import type { Unit } from '../../media/hls/units.ts';
import type { FeedPace } from '../../media/arguments/input-feed.ts';
import type { Track } from '../../media/units/track.ts';
import { shiftSplice } from '../../media/scte35/scte35.ts';
import { DueWrites } from './due-writes.ts';
import { Merge, type MergedUnit, type MergeInput } from './hls-merge.ts';

const TICKS_PER_MS = 90;
/** ffmpeg gets the media so much before its time: it analyses it at once, and keeps the pace itself. Sound may be so late unnoticed. */
const AHEAD_MS = 1000;
/** How often is looked for what has become due, and as often while all is given ahead of its time. */
const [STEP_MS, AHEAD_STEP_MS] = [20, 100];

/** The pace of one reader. */
interface Pace {
  sink: Writable;
  isPaced: boolean;
  /** Undefined for an ffmpeg. */
  writes: DueWrites | undefined;
  hasTables: boolean;
  isBlocked: boolean;
  /** The instant at which the zero of the time line is due; undefined before the first unit. */
  zeroAt: number | undefined;
  aheadMs: number;
  /** Nothing has been there when it was due. */
  isStarved: boolean;
  waitsSince: number | undefined;
}

interface Part {
  ticks: number;
  bytes: Buffer;
}

export class HlsFeed {
  private readonly merge: Merge;
  private readonly program: number;
  private readonly timeline = new Timeline();
  private readonly now: () => number;
  private tracks: Track[] = [];
  private names: string[] = [];
  private writer: TsWriter | undefined;
  private pace: Pace | undefined;
  private timer: NodeJS.Timeout | undefined;
  /** The next reader begins with these: all since the keyframe before the picture that is shown. */
  private groups: { ticks: number; parts: Part[] }[] = [];
  /** Nothing more will come. */
  isOver = false;

  /** `program` is the number that its tables say. */
  constructor(inputs: readonly MergeInput[], program: number, now: () => number = () => performance.now()) {
    this.merge = new Merge(inputs);
    this.program = program;
    this.now = now;
    this.merge.onChange = () => this.pump();
    this.declare();
  }

  attach(sink: Writable, { isPaced = true, mayWait }: FeedPace = {}): void {
    this.detach();
    const writes = mayWait && new DueWrites(sink, mayWait, this.now);
    const start = { hasTables: false, isBlocked: false, zeroAt: undefined, isStarved: false };
    const pace: Pace = { sink, isPaced, writes, ...start, aheadMs: AHEAD_MS, waitsSince: undefined };
    this.pace = pace;
    // Its end is that of the ffmpeg, which its owner hears of.
    sink.on('error', () => undefined);
    sink.on('drain', () => {
      pace.isBlocked = false;
      if (pace === this.pace) this.pump();
    });
    sink.once('close', () => {
      writes?.close();
      if (pace === this.pace) this.detach();
    });
    this.pump();
  }

  close(): void {
    this.isOver = true;
    this.detach();
    this.merge.close();
  }

  private detach(): void {
    clearTimeout(this.timer);
    this.pace?.writes?.close();
    this.pace = undefined;
  }

  /** Writes what is due. */
  private pump(): void {
    clearTimeout(this.timer);
    for (let { pace } = this; pace !== undefined && !pace.isBlocked; { pace } = this) {
      const next = this.merge.peek(this.isLate(pace));
      if (next === undefined && this.merge.isOver) return this.finish();
      if (next === undefined) {
        pace.waitsSince ??= this.now();
        pace.isStarved ||= pace.zeroAt !== undefined;
        return this.lookAgain(pace);
      }
      if (!this.names.includes(next.name)) {
        this.renew(pace);
        if (!this.names.includes(next.name)) this.merge.drop();
        continue;
      }
      if (!this.isDue(pace, next)) return this.lookAgain(pace);
      pace.waitsSince = undefined;
      this.merge.drop();
      this.put(pace, next);
    }
  }

  private lookAgain({ aheadMs }: Pace): void {
    this.timer = setTimeout(() => this.pump(), aheadMs > 0 ? AHEAD_STEP_MS : STEP_MS);
  }

  /** Pictures wait for their sound as long as nobody would see it. */
  private isLate({ waitsSince }: Pace): boolean {
    return waitsSince !== undefined && this.now() - waitsSince > AHEAD_MS;
  }

  private isDue(pace: Pace, { unit, startPts }: MergedUnit): boolean {
    const ticks = startPts === undefined ? unit.dts + this.timeline.shift : this.timeline.end;
    const [now, at] = [this.now(), ticks / TICKS_PER_MS];
    // An ffmpeg begins to count with the first that it gets.
    pace.zeroAt ??= now - (pace.writes === undefined ? at : (this.groups[0]?.ticks ?? ticks) / TICKS_PER_MS);
    if (!pace.isPaced || !pace.hasTables) return true;
    const lateMs = now - (pace.zeroAt + at);
    if (lateMs < -pace.aheadMs) return false;
    // It has stood still: all that follows is so much later, and comes at its own pace.
    if (pace.isStarved && lateMs > 0) {
      pace.zeroAt += lateMs;
      // A late ffmpeg would give all that it has at once.
      if (pace.writes === undefined) pace.aheadMs = 0;
    }
    pace.isStarved = false;
    return true;
  }

  private put(pace: Pace, { unit, startPts, name }: MergedUnit): void {
    if (startPts !== undefined) this.timeline.begin(startPts);
    const times = this.timeline.place(unit, name);
    const isSection = unit.track.kind === 'section';
    const data = isSection ? shiftSplice(unit.data, this.timeline.shift) : unit.data;
    if (times === undefined || data === undefined) return;
    if (!pace.hasTables) {
      pace.hasTables = true;
      const parts = this.groups.flatMap((group) => group.parts);
      this.write(pace, { bytes: this.writer!.tables(), ticks: parts[0]?.ticks ?? times.dts });
      for (const part of parts) this.write(pace, part);
    }
    const bytes = this.writer!.unit(this.names.indexOf(name), times, unit.key, [data]);
    const part = { bytes, ticks: times.dts };
    this.remember(pace, unit, part);
    this.write(pace, part);
  }

  private remember({ zeroAt }: Pace, { key, track }: Unit, part: Part): void {
    if (key && (track.kind === 'video' || !this.tracks.some(({ kind }) => kind === 'video'))) {
      const shown = (this.now() - zeroAt!) * TICKS_PER_MS;
      while (this.groups.length > 1 && this.groups[1]!.ticks <= shown) this.groups.shift();
      this.groups.push({ ticks: part.ticks, parts: [] });
    }
    this.groups.at(-1)?.parts.push(part);
  }

  private write(pace: Pace, { bytes, ticks }: Part): void {
    if (pace.writes !== undefined) pace.writes.write(bytes, pace.zeroAt! + ticks / TICKS_PER_MS);
    else if (!pace.sink.write(bytes)) pace.isBlocked = true;
  }

  /** Other tracks begin here: this reader ends with what it has, and the next one begins with them. */
  private renew(pace: Pace): void {
    this.declare();
    if (pace.hasTables) this.leave(pace);
  }

  /** The reader gets what is held for it, and no more. */
  private leave({ sink, writes }: Pace): void {
    clearTimeout(this.timer);
    this.pace = undefined;
    if (writes === undefined) sink.end();
    else writes.end();
  }

  private declare(): void {
    const found = this.merge.tracks();
    this.tracks = found.map(({ track }) => track);
    this.names = found.map(({ name }) => name);
    this.writer = new TsWriter(this.tracks, { program: this.program });
    this.groups = [];
  }

  private finish(): void {
    const { pace } = this;
    if (pace !== undefined) this.leave(pace);
    this.close();
  }
}
