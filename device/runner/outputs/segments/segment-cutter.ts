/** Cuts the packets of one rendition into segments that begin with a keyframe. */
import { elementaryBytes, PACKET_BYTES, TICKS_PER_SECOND } from '../../../media/mpeg-ts/mpeg-ts.ts';
import { shownFacts } from '../../../media/codecs/picture-facts.ts';
import { audioCodec, videoFacts, type VideoFacts } from '../../../media/codecs/codec-string.ts';
import { ProgramTables, type ElementaryStream } from '../../../media/mpeg-ts/psi.ts';
import { METADATA_DESCRIPTORS, METADATA_STREAMS } from '../../../media/mpeg-ts/ts-metadata.ts';
import { MAX_BUFFERED_BYTES, type RenditionPlan } from '../../../media/ladder/ladder-plan.ts';
import { namedRange, type VideoRange } from '../../../media/manifests/video-range.ts';
import { isSegmentDue, type SegmentRule } from '../../../media/manifests/segment-rule.ts';
import type { PacketRun } from '../../stream/fan-out.ts';

export interface CutSegment {
  /** Those that have not been given out while it grew. */
  parts: readonly Buffer[];
  bytes: number;
  /** Time of the first frame, in unwrapped 90 kHz ticks. */
  startTicks: number;
  seconds: number;
  /** It is the first of another format. */
  isFirst: boolean;
}

/** The tracks of the segments: those of a rendition, its video alone, or one audio track. */
export type CutTracks = Pick<RenditionPlan, 'video' | 'audios'>;

interface Boundary {
  ticks: number;
  isCut: boolean;
}

export interface CutRule extends SegmentRule {
  /** Cut only by cutAt: units of audio do not divide the segments of a video, so an audio rendition of its own would drift from them. */
  follows?: boolean;
  /** Cues and ID3 are left out: players get them with the video. */
  withoutMetadata?: boolean;
}

/** The open segment so far. */
export interface OpenCut extends CutSegment {
  /** The keyframe that it has come to; undefined between two. */
  endTicks: number | undefined;
}

export interface CutterHooks {
  onSegment(segment: CutSegment): void;
  /** The open segment has come to a keyframe, or has more at the end of a read. Left out: it is given out as a whole. */
  onGrown?(segment: OpenCut): void;
  /** A segment begins here, in ticks, or, without `isCut`, grows to here. */
  onBoundary(ticks: number, isCut: boolean): void;
  /** The segment grew beyond MAX_BUFFERED_BYTES and is given up. */
  onDropped(): void;
}

/** Keyframes that follow each other faster do not each make a write. */
const GROWTH_TICKS = 0.45 * TICKS_PER_SECOND;
/** A write of less costs more than the memory in which it waits. */
const MIN_GROWTH_BYTES = 16 << 10;

export class SegmentCutter {
  readonly plan: CutTracks;
  private readonly pids: readonly number[];
  private readonly rule: CutRule;
  private readonly streams: ReadonlyMap<number, ElementaryStream>;
  private readonly hooks: CutterHooks;
  private readonly leader: number;
  private parts: Buffer[] = [];
  private pendingBytes = 0;
  /** Those of the open segment that have been given out. */
  private grownBytes = 0;
  private grownTicks = 0;
  private startTicks: number | undefined;
  private endTicks = 0;
  /** Time of the last keyframe; set in a rendition that does not follow another. */
  lastKeyTicks: number | undefined;
  private resumeAfterTicks: number | undefined;
  private keyframeSeconds: number | undefined;
  private cuts = 0;
  private readonly tables = new ProgramTables();
  /** The next segment begins another format, with the next keyframe. */
  private isAnew = false;
  private isFirst = false;
  /** Times at which another rendition was cut or has grown; set for audio that follows a video. */
  private readonly boundaries: Boundary[] | undefined;
  video: VideoFacts | undefined;
  /** The light of the video, as its parameter sets say it. */
  range: VideoRange = 'SDR';
  audioCodec: string | undefined;

  constructor(plan: CutTracks, rule: CutRule, streams: ReadonlyMap<number, ElementaryStream>, hooks: CutterHooks) {
    this.plan = plan;
    this.pids = [plan.video, ...plan.audios].flatMap((stream) => stream?.pid ?? []);
    this.rule = rule;
    this.streams = streams;
    this.hooks = hooks;
    this.boundaries = rule.follows === true ? [] : undefined;
    this.keyframeSeconds = rule.keyframeSeconds;
    this.leader = this.pids[0]!;
  }

  write(run: PacketRun): void {
    const { pid } = run;
    if (run.metadata === true && this.startTicks !== undefined && this.rule.withoutMetadata !== true)
      this.parts.push(run.bytes);
    if (!this.pids.includes(pid)) return;
    if (pid === this.leader && run.key && run.pts !== undefined) this.onKeyframe(run.pts);
    if (this.startTicks === undefined) return;
    if (run.starts) this.learn(run);
    if (pid === this.leader && run.pts !== undefined) this.endTicks = Math.max(this.endTicks, run.pts);
    this.parts.push(run.bytes);
    this.pendingBytes += run.bytes.length;
    if (this.pendingBytes <= MAX_BUFFERED_BYTES) return;
    this.restart();
    this.hooks.onDropped();
  }

  /** The end of a read: media that waits for its keyframe would be old when it leaves, and old garbage is collected late. */
  flush(): void {
    if (this.pendingBytes - this.grownBytes >= MIN_GROWTH_BYTES) this.grow();
  }

  /**
   * Drops the open segment; the next one begins with the next keyframe. A keyframe that is not later than `afterTicks`, which another
   * rendition has seen already, is passed over: renditions are at most one keyframe apart, and go on together.
   */
  restart(afterTicks?: number): void {
    this.parts = [];
    this.pendingBytes = 0;
    this.startTicks = undefined;
    this.resumeAfterTicks = afterTicks;
    this.boundaries?.splice(0);
  }

  /** The next keyframe begins a segment of its own: media is coded in another way from there on. */
  beginAnew(): void {
    this.isAnew = true;
    this.video = undefined;
    this.audioCodec = undefined;
    this.lastKeyTicks = undefined;
    this.keyframeSeconds = this.rule.keyframeSeconds;
  }

  /** In a rendition that follows another, the next segment begins with the first unit from here on, or the open one grows until there. */
  cutAt(ticks: number, isCut: boolean): void {
    this.boundaries?.push({ ticks, isCut });
  }

  /** Closes the rest as a last segment. */
  finish(): void {
    if (this.startTicks === undefined || this.endTicks <= this.startTicks) return;
    const rate = this.plan.video === undefined ? 0 : TICKS_PER_SECOND / (this.plan.video.settings.fps || 30);
    this.cut(this.endTicks + Math.round(rate));
  }

  private onKeyframe(pts: number): void {
    if (this.boundaries !== undefined) return this.follow(pts, this.boundaries);
    if (this.lastKeyTicks !== undefined && this.rule.keyframeSeconds === undefined) {
      this.keyframeSeconds ??= (pts - this.lastKeyTicks) / TICKS_PER_SECOND;
    }
    this.lastKeyTicks = pts;
    if (this.startTicks === undefined) {
      const isPassedOver = this.resumeAfterTicks !== undefined && pts <= this.resumeAfterTicks;
      this.resumeAfterTicks = undefined;
      return isPassedOver ? undefined : this.begin(pts);
    }
    if (this.isAnew || this.isDue(this.startTicks, pts)) {
      this.cut(pts);
      this.begin(pts);
    } else if (pts - this.grownTicks >= GROWTH_TICKS) {
      this.hooks.onBoundary(pts, false);
      this.grow(pts);
    }
  }

  private isDue(startTicks: number, pts: number): boolean {
    const [start, end] = [startTicks / TICKS_PER_SECOND, pts / TICKS_PER_SECOND];
    const keyframeSeconds = this.plan.video === undefined ? 0 : (this.keyframeSeconds ?? 0);
    const isDue = isSegmentDue(this.rule, (pts - startTicks) / TICKS_PER_SECOND, keyframeSeconds, this.cuts === 0);
    return isDue || (pts > startTicks && this.rule.isCut?.(start, end) === true);
  }

  private follow(pts: number, boundaries: Boundary[]): void {
    while (boundaries.length > 0 && pts >= boundaries[0]!.ticks) {
      const { ticks, isCut } = boundaries.shift()!;
      if (!isCut) this.grow(ticks);
      else {
        if (this.startTicks !== undefined) this.cut(pts);
        this.begin(pts);
      }
    }
  }

  /** Gives out what has come so far; `endTicks` is the time of the keyframe that follows. */
  private grow(endTicks?: number): void {
    const { hooks, startTicks } = this;
    if (hooks.onGrown === undefined || startTicks === undefined) return;
    const segment = this.closedAt(endTicks ?? this.endTicks);
    this.grownTicks = endTicks ?? this.grownTicks;
    this.grownBytes = segment.bytes;
    this.parts = [];
    hooks.onGrown({ ...segment, endTicks });
  }

  private begin(pts: number): void {
    this.hooks.onBoundary(pts, true);
    this.startTicks = pts;
    this.grownTicks = pts;
    this.grownBytes = 0;
    this.endTicks = pts;
    const listed = this.pids.flatMap((pid) => this.streams.get(pid) ?? []);
    this.parts =
      this.rule.withoutMetadata === true
        ? this.tables.next(listed, this.leader)
        : this.tables.next([...listed, ...METADATA_STREAMS], this.leader, METADATA_DESCRIPTORS);
    [this.isFirst, this.isAnew] = [this.isAnew, false];
    this.pendingBytes = 0;
  }

  private cut(endTicks: number): void {
    const segment = this.closedAt(endTicks);
    this.cuts += 1;
    this.parts = [];
    this.startTicks = undefined;
    this.hooks.onSegment(segment);
  }

  /** The open segment, as if it ended here. */
  private closedAt(endTicks: number): CutSegment {
    const { parts, isFirst } = this;
    const startTicks = this.startTicks!;
    const bytes = parts.reduce((sum, { length }) => sum + length, this.grownBytes);
    return { parts, bytes, startTicks, seconds: (endTicks - startTicks) / TICKS_PER_SECOND, isFirst };
  }

  private learn({ pid, bytes, key }: PacketRun): void {
    const type = this.streams.get(pid)?.type;
    if (type === undefined || !key) return;
    const isVideo = pid === this.plan.video?.pid;
    if (isVideo ? this.video !== undefined : this.audioCodec !== undefined) return;
    const packets = Array.from({ length: bytes.length / PACKET_BYTES }, (_, i) =>
      elementaryBytes(bytes, i * PACKET_BYTES),
    );
    const payload = Buffer.concat(packets);
    if (isVideo) {
      this.video = videoFacts(type, payload);
      this.range = namedRange(shownFacts(type, payload).hdr);
    } else this.audioCodec = audioCodec(type, payload);
  }
}
