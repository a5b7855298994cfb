/**
 * Gives an ffmpeg the media of a playlist, and of the sound beside it, as one transport stream without an end: parts follow each other, and
 * what comes after a standstill follows what came before it. It goes on with the next ffmpeg where the one before it was.
 */
import type { Writable } from 'node:stream';
import { Timeline } from '../../media/hls/timeline.ts';
import { TsWriter } from '../../media/units/ts-writer.ts';
import type { Unit } from '../../media/hls/units.ts';
import type { Track } from '../../media/units/track.ts';
import { shiftSplice } from '../../media/scte35/scte35.ts';
import { Merge, type MergedUnit, type MergeInput } from './hls-merge.ts';

const TICKS_PER_MS = 90;
/** ffmpeg gets the media so much before its time: it analyses it at once, and keeps the pace itself. */
const AHEAD_MS = 1000;
const STEP_MS = 20;

/** The pace of one ffmpeg. */
interface Pace {
  sink: Writable;
  isPaced: boolean;
  hasTables: boolean;
  isBlocked: boolean;
  /** The instant of its first unit, and the unit's time. */
  begun: { at: number; ticks: number } | undefined;
  /** The instant at which the zero of the time line is due. */
  zeroAt: number;
  aheadMs: number;
  /** Nothing has been there when it was due. */
  isStarved: boolean;
  waitsSince: number | undefined;
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
  /** The next ffmpeg begins with these: all since the keyframe before the picture that is shown. */
  private groups: { ticks: number; parts: Buffer[] }[] = [];
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

  /** `isPaced` false: as fast as it is taken. */
  attach(sink: Writable, isPaced = true): void {
    this.detach();
    const start = { hasTables: false, isBlocked: false, begun: undefined, zeroAt: 0, isStarved: false };
    const pace: Pace = { sink, isPaced, ...start, aheadMs: AHEAD_MS, waitsSince: undefined };
    this.pace = pace;
    // Its end is that of the ffmpeg, which its owner hears of.
    sink.on('error', () => undefined);
    sink.on('drain', () => {
      pace.isBlocked = false;
      if (pace === this.pace) this.pump();
    });
    sink.once('close', () => {
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
        pace.isStarved ||= pace.begun !== undefined;
        return this.lookAgain();
      }
      if (!this.names.includes(next.name)) {
        this.renew(pace);
        if (!this.names.includes(next.name)) this.merge.drop();
        continue;
      }
      if (!this.isDue(pace, next)) return this.lookAgain();
      pace.waitsSince = undefined;
      this.merge.drop();
      this.put(pace, next);
    }
  }

  private lookAgain(): void {
    this.timer = setTimeout(() => this.pump(), STEP_MS);
  }

  /** Pictures wait for their sound as long as nobody would see it. */
  private isLate({ waitsSince }: Pace): boolean {
    return waitsSince !== undefined && this.now() - waitsSince > AHEAD_MS;
  }

  private isDue(pace: Pace, { unit, startPts }: MergedUnit): boolean {
    const ticks = startPts === undefined ? unit.dts + this.timeline.shift : this.timeline.end;
    const [now, at] = [this.now(), ticks / TICKS_PER_MS];
    if (pace.begun === undefined) {
      pace.begun = { at: now, ticks };
      pace.zeroAt = now - at;
    }
    if (!pace.isPaced) return true;
    const lateMs = now - (pace.zeroAt + at);
    if (lateMs < -pace.aheadMs) return false;
    // It has stood still: all that follows is so much later, and comes at its own pace.
    if (pace.isStarved && lateMs > 0) {
      pace.zeroAt += lateMs;
      pace.aheadMs = 0;
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
      this.write(pace, Buffer.concat([this.writer!.tables(), ...this.groups.flatMap(({ parts }) => parts)]));
    }
    const bytes = this.writer!.unit(this.names.indexOf(name), times, unit.key, [data]);
    this.remember(pace, unit, times.dts, bytes);
    this.write(pace, bytes);
  }

  private remember({ begun }: Pace, { key, track }: Unit, ticks: number, bytes: Buffer): void {
    if (key && (track.kind === 'video' || !this.tracks.some(({ kind }) => kind === 'video'))) {
      const shown = begun!.ticks + (this.now() - begun!.at) * TICKS_PER_MS;
      while (this.groups.length > 1 && this.groups[1]!.ticks <= shown) this.groups.shift();
      this.groups.push({ ticks, parts: [] });
    }
    this.groups.at(-1)?.parts.push(bytes);
  }

  private write(pace: Pace, bytes: Buffer): void {
    if (!pace.sink.write(bytes)) pace.isBlocked = true;
  }

  /** Other tracks begin here: this ffmpeg ends with what it has, and the next one begins with them. */
  private renew(pace: Pace): void {
    this.declare();
    if (!pace.hasTables) return;
    this.detach();
    pace.sink.end();
  }

  private declare(): void {
    const found = this.merge.tracks();
    this.tracks = found.map(({ track }) => track);
    this.names = found.map(({ name }) => name);
    this.writer = new TsWriter(this.tracks, { program: this.program });
    this.groups = [];
  }

  private finish(): void {
    const sink = this.pace?.sink;
    this.close();
    sink?.end();
  }
}
