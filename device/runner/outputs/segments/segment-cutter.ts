/** Cuts one rendition out of the fan-out into segments that begin with a keyframe. */
import { elementaryBytes, PACKET_BYTES, TICKS_PER_SECOND } from '../../../media/mpeg-ts/mpeg-ts.ts';
import { audioCodec, videoFacts, type VideoFacts } from '../../../media/codecs/codec-string.ts';
import { patPacket, pmtPacket, type ElementaryStream } from '../../../media/mpeg-ts/psi.ts';
import { METADATA_DESCRIPTORS, METADATA_STREAMS } from '../../../media/mpeg-ts/ts-metadata.ts';
import type { RenditionPlan } from '../../../media/ladder/ladder-plan.ts';
import type { Fragment } from '../../stream/fan-out.ts';

/** As much as the fan-out keeps: a picture that stops, or a copied one without keyframes, must not fill the memory. */
const MAX_PENDING_BYTES = 96 << 20;

export interface CutSegment {
  bytes: Buffer;
  /** First picture, in unwrapped 90 kHz ticks. */
  startTicks: number;
  seconds: number;
}

export interface CutRule {
  segmentSeconds: number;
  /** Length of the first segment: short, so that viewers can begin early. */
  firstSeconds: number;
  /** Expected distance of keyframes; undefined: learnt from the first ones (copy). */
  keyframeSeconds: number | undefined;
  /** Cut only where told: sound frames do not divide the segments of a picture, so of itself it would drift from them. */
  follows?: boolean;
  /** Whether a segment has to end after the one time and at the other at the latest: a break begins or ends there. */
  isCut?(fromTicks: number, toTicks: number): boolean;
}

export interface CutterHooks {
  onSegment(segment: CutSegment): void;
  /** A segment begins here, in ticks. */
  onBoundary(ticks: number): void;
  /** The segment grew beyond all bounds and is given up. */
  onDropped(): void;
}

export class SegmentCutter {
  readonly plan: RenditionPlan;
  private readonly rule: CutRule;
  private readonly streams: ReadonlyMap<number, ElementaryStream>;
  private readonly hooks: CutterHooks;
  private readonly leader: number;
  private parts: Buffer[] = [];
  private pendingBytes = 0;
  private startTicks: number | undefined;
  private endTicks = 0;
  /** Of a rendition that is not told where to cut. */
  lastKeyTicks: number | undefined;
  private resumeAfterTicks: number | undefined;
  private keyframeSeconds: number | undefined;
  private cuts = 0;
  private tables = 0;
  /** Places where another rendition was cut; set for sound that follows a picture. */
  private readonly boundaries: number[] | undefined;
  video: VideoFacts | undefined;
  audioCodec: string | undefined;

  constructor(plan: RenditionPlan, rule: CutRule, streams: ReadonlyMap<number, ElementaryStream>, hooks: CutterHooks) {
    this.plan = plan;
    this.rule = rule;
    this.streams = streams;
    this.hooks = hooks;
    this.boundaries = rule.follows === true ? [] : undefined;
    this.keyframeSeconds = rule.keyframeSeconds;
    this.leader = (plan.video ?? plan.audio)!.pid;
  }

  write(fragment: Fragment): void {
    const { pid } = fragment;
    if (fragment.metadata === true && this.startTicks !== undefined) this.parts.push(fragment.bytes);
    if (pid !== this.plan.video?.pid && pid !== this.plan.audio?.pid) return;
    if (pid === this.leader && fragment.key && fragment.pts !== undefined) this.onKeyframe(fragment.pts);
    if (this.startTicks === undefined) return;
    if (fragment.starts) this.learn(fragment);
    if (pid === this.leader && fragment.pts !== undefined) this.endTicks = Math.max(this.endTicks, fragment.pts);
    this.parts.push(fragment.bytes);
    this.pendingBytes += fragment.bytes.length;
    if (this.pendingBytes <= MAX_PENDING_BYTES) return;
    this.restart();
    this.hooks.onDropped();
  }

  /**
   * Drops what is pending; the next segment begins with the next keyframe. That one is passed over when it is not later than
   * `afterTicks`, which another rendition has seen already: renditions are at most one keyframe apart, and go on together.
   */
  restart(afterTicks?: number): void {
    this.parts = [];
    this.pendingBytes = 0;
    this.startTicks = undefined;
    this.resumeAfterTicks = afterTicks;
    this.boundaries?.splice(0);
  }

  /** For a rendition that follows: the next segment begins with the first unit from here on. */
  cutAt(ticks: number): void {
    this.boundaries?.push(ticks);
  }

  /** The rest as a last segment. */
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
    if (
      this.isDue((pts - this.startTicks) / TICKS_PER_SECOND) ||
      (pts > this.startTicks && this.rule.isCut?.(this.startTicks, pts) === true)
    ) {
      this.cut(pts);
      this.begin(pts);
    }
  }

  /**
   * Long enough, or too long by the next keyframe (a restarted encoder begins off the grid, and no segment may exceed the target
   * duration). The rule knows times alone, so all renditions of a ladder cut at the same place.
   */
  private isDue(seconds: number): boolean {
    const target = this.cuts === 0 ? this.rule.firstSeconds : this.rule.segmentSeconds;
    const step = this.plan.video === undefined ? 0 : (this.keyframeSeconds ?? 0);
    const slack = Math.min(0.25, step / 4);
    return seconds >= target - slack || (seconds > slack && seconds + step > target + slack && this.cuts > 0);
  }

  private follow(pts: number, boundaries: number[]): void {
    if (boundaries.length === 0 || pts < boundaries[0]!) return;
    boundaries.shift();
    if (this.startTicks !== undefined) this.cut(pts);
    this.begin(pts);
  }

  private begin(pts: number): void {
    this.hooks.onBoundary(pts);
    this.startTicks = pts;
    this.endTicks = pts;
    const pids = [this.plan.video?.pid, this.plan.audio?.pid].filter((pid) => pid !== undefined);
    const listed = pids.flatMap((pid) => this.streams.get(pid) ?? []);
    const continuity = this.tables++;
    this.parts = [
      patPacket(continuity),
      pmtPacket([...listed, ...METADATA_STREAMS], this.leader, continuity, METADATA_DESCRIPTORS),
    ];
    this.pendingBytes = 0;
  }

  private cut(endTicks: number): void {
    const seconds = (endTicks - this.startTicks!) / TICKS_PER_SECOND;
    this.cuts += 1;
    const segment = { bytes: Buffer.concat(this.parts), startTicks: this.startTicks!, seconds };
    this.parts = [];
    this.startTicks = undefined;
    this.hooks.onSegment(segment);
  }

  private learn({ pid, bytes, key }: Fragment): void {
    const type = this.streams.get(pid)?.type;
    if (type === undefined || !key) return;
    const isVideo = pid === this.plan.video?.pid;
    if (isVideo ? this.video !== undefined : this.audioCodec !== undefined) return;
    const packets = Array.from({ length: bytes.length / PACKET_BYTES }, (_, i) =>
      elementaryBytes(bytes, i * PACKET_BYTES),
    );
    const payload = Buffer.concat(packets);
    if (isVideo) this.video = videoFacts(type, payload);
    else this.audioCodec = audioCodec(type, payload);
  }
}
