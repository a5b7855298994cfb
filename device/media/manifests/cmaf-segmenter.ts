/**
 * Joins the fragments of all tracks of a ladder into segments that begin with a keyframe at the same time in each picture, and within
 * half a frame of it in the sound. One set of segments serves HLS and DASH.
 */
import { joinFragments } from '../fmp4/fmp4-join.ts';
import type { MediaFragment, TrackInit } from '../fmp4/fmp4-parser.ts';

/** As much as the fan-out keeps: a track that stands still must not let the others fill the memory. */
const MAX_PENDING_BYTES = 96 << 20;
/** A jump that is no rounding and no seam between two encoders (25 ms): the time line is another one. */
const JUMP_SECONDS = 0.1;

export interface SegmenterTrack {
  id: string;
  kind: 'video' | 'audio';
}

export interface SegmentRule {
  segmentSeconds: number;
  /** Length of the first segment: short, so that viewers can begin early. */
  firstSeconds: number;
  /** Expected distance of keyframes; undefined: learnt from the first ones (copy), or sound alone. */
  keyframeSeconds: number | undefined;
  /** Whether a segment has to end after the one time and at the other at the latest: a break begins or ends there. */
  isCut?(fromSeconds: number, toSeconds: number): boolean;
}

/** Times in ticks of the track. */
export interface SegmentPart {
  bytes: Buffer;
  startTime: number;
  duration: number;
  timescale: number;
}

export interface CmafSegment {
  /** Of the leading track, on the time line of the stream. */
  startSeconds: number;
  seconds: number;
  /** Its time does not go on from the segment before, or another packager wrote it. */
  discontinuity: boolean;
  /** By track id, one for each track. */
  parts: Map<string, SegmentPart>;
}

export interface SegmenterHooks {
  onSegment(segment: CmafSegment): void;
  /** A new initialisation segment, before the segments that need it. */
  onInit(trackId: string, init: TrackInit): void;
  /** A span is left out, in all tracks: one of them has nothing there, or stood still for too long. */
  onDropped(): void;
}

interface TrackQueue {
  track: SegmenterTrack;
  init: TrackInit | undefined;
  queue: MediaFragment[];
}

export class CmafSegmenter {
  private readonly rule: SegmentRule;
  private readonly hooks: SegmenterHooks;
  private readonly queues: Map<string, TrackQueue>;
  private readonly leader: TrackQueue;
  /** Closed by the leader, waiting for the others: start and end, in seconds. */
  private spans: { start: number; end: number; discontinuity: boolean }[] = [];
  /** Of the span that is open. */
  private startSeconds: number | undefined;
  private endSeconds: number | undefined;
  private keyframeSeconds: number | undefined;
  private discontinuity = false;
  private count = 0;
  private sequence = 0;
  private pendingBytes = 0;

  /** The first picture leads, or the first sound. Throws RangeError without tracks. */
  constructor(tracks: readonly SegmenterTrack[], rule: SegmentRule, hooks: SegmenterHooks) {
    this.rule = rule;
    this.hooks = hooks;
    this.keyframeSeconds = rule.keyframeSeconds;
    this.queues = new Map(tracks.map((track) => [track.id, { track, init: undefined, queue: [] }]));
    const queues = [...this.queues.values()];
    const leader = queues.find(({ track }) => track.kind === 'video') ?? queues[0];
    if (leader === undefined) throw new RangeError('A segmenter needs a track.');
    this.leader = leader;
  }

  /** Throws RangeError for a track that was not announced. */
  init(trackId: string, init: TrackInit): void {
    this.lane(trackId).init = init;
    this.hooks.onInit(trackId, init);
  }

  /** Throws RangeError for a track that was not announced, or has no init yet. */
  add(trackId: string, fragment: MediaFragment): void {
    const lane = this.lane(trackId);
    const timescale = timescaleOf(lane);
    if (lane === this.leader) {
      const start = fragment.startTime / timescale;
      if (this.endSeconds !== undefined && Math.abs(start - this.endSeconds) > JUMP_SECONDS) this.finish();
      // A picture that joined between keyframes cannot be shown before the next.
      if (this.startSeconds === undefined && !fragment.key) return;
      this.startSeconds ??= start;
      this.endSeconds = start + fragment.duration / timescale;
      this.keyframeSeconds ??= fragment.duration / timescale;
    }
    lane.queue.push(fragment);
    this.pendingBytes += fragment.bytes.length;
    if (lane === this.leader && this.isDue()) this.close();
    this.commit(false);
    if (this.pendingBytes > MAX_PENDING_BYTES) this.drop();
  }

  /** The rest as a last segment. What comes after it is a discontinuity: the end of the stream, or a new packager. */
  finish(): void {
    if (this.startSeconds !== undefined && this.endSeconds! > this.startSeconds) this.close();
    this.commit(true);
    this.begin();
  }

  private begin(): void {
    for (const lane of this.queues.values()) lane.queue = [];
    this.spans = [];
    this.pendingBytes = 0;
    this.startSeconds = undefined;
    this.endSeconds = undefined;
    this.discontinuity = this.count > 0;
  }

  private drop(): void {
    this.begin();
    this.hooks.onDropped();
  }

  /** A keyframe may come this much off its time. */
  private get slack(): number {
    return this.leader.track.kind === 'audio' ? 0 : Math.min(0.25, (this.keyframeSeconds ?? 0) / 4);
  }

  private isDue(): boolean {
    const end = this.endSeconds!;
    const seconds = end - this.startSeconds!;
    const step = this.leader.track.kind === 'audio' ? 0 : (this.keyframeSeconds ?? 0);
    if (this.rule.isCut?.(this.startSeconds!, end) === true) return true;
    if (this.count + this.spans.length === 0) return seconds >= this.rule.firstSeconds - this.slack;
    const target = this.rule.segmentSeconds;
    return seconds >= target - this.slack || (seconds > this.slack && seconds + step > target + this.slack);
  }

  private close(): void {
    const [start, end] = [this.startSeconds!, this.endSeconds!];
    this.spans.push({ start, end, discontinuity: this.discontinuity });
    this.discontinuity = false;
    // The next fragment of the leader begins where this one ended.
    this.startSeconds = end;
  }

  /** Segments whose span all tracks have passed; `all`: also those that will not be passed any more. */
  private commit(all: boolean): void {
    while (this.spans.length > 0) {
      const span = this.spans[0]!;
      const queues = [...this.queues.values()];
      if (!all && !queues.every((lane) => this.hasPassed(lane, span.end))) return;
      this.spans.shift();
      const taken = queues.map((lane) => [lane, this.takeUntil(lane, span)] as const);
      if (taken.some(([, fragments]) => fragments.length === 0)) {
        if (this.spans[0] === undefined) this.discontinuity = this.count > 0;
        else this.spans[0].discontinuity = this.count > 0;
        this.hooks.onDropped();
        continue;
      }
      this.count += 1;
      const parts = new Map(taken.map(([lane, fragments]) => [lane.track.id, this.part(lane, fragments)]));
      this.hooks.onSegment({
        ...{ startSeconds: span.start, seconds: span.end - span.start, discontinuity: span.discontinuity, parts },
      });
    }
  }

  private hasPassed(lane: TrackQueue, end: number): boolean {
    const last = lane.queue.at(-1);
    if (last === undefined) return false;
    const timescale = timescaleOf(lane);
    const lastEnd = (last.startTime + last.duration) / timescale;
    return lastEnd >= end - this.tolerance(lane, last);
  }

  /** How far from the leader's end a fragment may begin and still open the next segment; never one that lies before it. */
  private tolerance(lane: TrackQueue, { duration }: MediaFragment): number {
    const half = duration / timescaleOf(lane) / 2;
    return lane.track.kind === 'audio' ? half : Math.min(this.slack, half);
  }

  private takeUntil(lane: TrackQueue, { start, end }: { start: number; end: number }): MediaFragment[] {
    const timescale = timescaleOf(lane);
    const isNext = (fragment: MediaFragment): boolean =>
      fragment.startTime / timescale >= end - this.tolerance(lane, fragment);
    const cut = lane.queue.findIndex(isNext);
    const taken = lane.queue.splice(0, cut === -1 ? lane.queue.length : cut);
    this.pendingBytes -= taken.reduce((sum, { bytes }) => sum + bytes.length, 0);
    // Before the first keyframe, or left over from a span that was dropped.
    const from = taken.findIndex(
      (fragment) => fragment.key && fragment.startTime / timescale >= start - this.tolerance(lane, fragment),
    );
    return from === -1 ? [] : taken.slice(from);
  }

  private part(lane: TrackQueue, fragments: MediaFragment[]): SegmentPart {
    const [first, last] = [fragments[0]!, fragments.at(-1)!];
    // Sound comes frame by frame. Pictures stay as they were written, a fragment a keyframe distance.
    const isSound = lane.track.kind === 'audio';
    const bytes = isSound
      ? joinFragments(fragments, ++this.sequence)
      : Buffer.concat(fragments.map((fragment) => fragment.bytes));
    const duration = last.startTime + last.duration - first.startTime;
    return { bytes, startTime: first.startTime, duration, timescale: timescaleOf(lane) };
  }

  private lane(trackId: string): TrackQueue {
    const lane = this.queues.get(trackId);
    if (lane === undefined) throw new RangeError(`There is no track ${trackId}.`);
    return lane;
  }
}

function timescaleOf({ init, track }: TrackQueue): number {
  if (init === undefined) throw new RangeError(`The track ${track.id} has no init yet.`);
  return init.timescale;
}
