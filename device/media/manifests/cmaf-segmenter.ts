/**
 * Joins the fragments of all tracks of a ladder into segments that begin with a keyframe at the same time in each video, and within half a
 * unit of it in the audio. One set of segments serves HLS and DASH.
 */
import { joinFragments } from '../fmp4/fmp4-join.ts';
import type { MediaFragment, TrackInit } from '../fmp4/fmp4-parser.ts';
import { MAX_BUFFERED_BYTES } from '../ladder/ladder-plan.ts';
import { isSegmentDue, keyframeSlack, type SegmentRule } from './segment-rule.ts';

/** A larger jump is no rounding and no seam between two encoders (25 ms): media time begins anew. */
export const JUMP_SECONDS = 0.1;

/** A segment of sound alone grows by this much at a time. */
const MIN_AUDIO_GROWTH_SECONDS = 1;

export interface SegmenterTrack {
  id: string;
  kind: 'video' | 'audio';
}

/** Times in ticks of the track. */
export interface SegmentPart {
  bytes: Buffer;
  startTime: number;
  duration: number;
  timescale: number;
}

export interface CmafSegment {
  /** Stream time at which the leading track begins. */
  startSeconds: number;
  seconds: number;
  /** Media time does not go on from the segment before, or another packager wrote the segment. */
  discontinuity: boolean;
  /** One part for each track, by track id. */
  parts: Map<string, SegmentPart>;
}

export interface SegmenterHooks {
  onSegment(segment: CmafSegment): void;
  /**
   * The open segment has so much more, up to a keyframe that all videos have come to: `seconds` is its length until there, `parts` are what
   * came since. Sound may be late.
   */
  onGrown?(growth: CmafSegment): void;
  /** A new initialisation segment comes before the segments that need it. */
  onInit(trackId: string, init: TrackInit): void;
  /** A span is left out in all tracks, since one of them has nothing there, or stood still for too long. */
  onDropped(): void;
}

interface TrackQueue {
  track: SegmenterTrack;
  init: TrackInit | undefined;
  fragments: MediaFragment[];
  /** So many of them have been handed on as growth. */
  grown: number;
}

export class CmafSegmenter {
  private readonly rule: SegmentRule;
  private readonly hooks: SegmenterHooks;
  private readonly queues: Map<string, TrackQueue>;
  private readonly leader: TrackQueue;
  /** Spans that the leader has closed and that wait for the others: start and end, in seconds. */
  private spans: { start: number; end: number; discontinuity: boolean }[] = [];
  /** Start and end of the span that is open. */
  private startSeconds: number | undefined;
  private endSeconds: number | undefined;
  /** The first span that is not handed on yet has grown up to here. */
  private grownSeconds: number | undefined;
  private keyframeSeconds: number | undefined;
  private discontinuity = false;
  private count = 0;
  private sequence = 0;
  private pendingBytes = 0;

  /** The first video track leads; without video the first audio. Throws RangeError without tracks. */
  constructor(tracks: readonly SegmenterTrack[], rule: SegmentRule, hooks: SegmenterHooks) {
    this.rule = rule;
    this.hooks = hooks;
    this.keyframeSeconds = rule.keyframeSeconds;
    this.queues = new Map(tracks.map((track) => [track.id, { track, init: undefined, fragments: [], grown: 0 }]));
    const queues = [...this.queues.values()];
    const leader = queues.find(({ track }) => track.kind === 'video') ?? queues[0];
    if (leader === undefined) throw new RangeError('A segmenter needs a track.');
    this.leader = leader;
  }

  /** Throws RangeError for a track that was not announced. */
  init(trackId: string, init: TrackInit): void {
    this.queueOf(trackId).init = init;
    this.hooks.onInit(trackId, init);
  }

  /** Throws RangeError for a track that was not announced, or has no init yet. */
  add(trackId: string, fragment: MediaFragment): void {
    const queue = this.queueOf(trackId);
    const timescale = timescaleOf(queue);
    if (queue === this.leader) {
      const start = fragment.startTime / timescale;
      if (this.endSeconds !== undefined && Math.abs(start - this.endSeconds) > JUMP_SECONDS) this.finish();
      // A video that is joined between keyframes cannot be shown before the next.
      if (this.startSeconds === undefined && !fragment.key) return;
      this.startSeconds ??= start;
      this.endSeconds = start + fragment.duration / timescale;
      this.keyframeSeconds ??= fragment.duration / timescale;
    }
    queue.fragments.push(fragment);
    this.pendingBytes += fragment.bytes.length;
    if (queue === this.leader && this.isDue()) this.close();
    // One that waits for sound alone is there for the runner that comes behind.
    this.grow();
    this.commit(false);
    if (this.pendingBytes > MAX_BUFFERED_BYTES) this.drop();
  }

  /** Closes the rest as a last segment. A discontinuity follows: the end of the stream, or a new packager. */
  finish(): void {
    if (this.startSeconds !== undefined && this.endSeconds! > this.startSeconds) this.close();
    this.commit(true);
    this.begin();
  }

  private begin(): void {
    for (const queue of this.queues.values()) Object.assign(queue, { fragments: [], grown: 0 });
    this.spans = [];
    this.pendingBytes = 0;
    this.startSeconds = undefined;
    this.endSeconds = undefined;
    this.grownSeconds = undefined;
    this.discontinuity = this.count > 0;
  }

  private drop(): void {
    this.begin();
    this.hooks.onDropped();
  }

  /** Distance of the leader's keyframes; 0 for audio, of which every unit is a key. */
  private get keyframeDistance(): number {
    return this.leader.track.kind === 'audio' ? 0 : (this.keyframeSeconds ?? 0);
  }

  private isDue(): boolean {
    const [start, end] = [this.startSeconds!, this.endSeconds!];
    if (this.rule.isCut?.(start, end) === true) return true;
    return isSegmentDue(this.rule, end - start, this.keyframeDistance, this.count + this.spans.length === 0);
  }

  private close(): void {
    const [start, end] = [this.startSeconds!, this.endSeconds!];
    this.spans.push({ start, end, discontinuity: this.discontinuity });
    this.discontinuity = false;
    // The next fragment of the leader begins where this one ended.
    this.startSeconds = end;
  }

  private grow(): void {
    const { start, end, discontinuity } = this.spans[0] ?? {
      start: this.startSeconds,
      end: this.endSeconds,
      discontinuity: this.discontinuity,
    };
    if (this.hooks.onGrown === undefined || start === undefined || end === undefined) return;
    const from = this.grownSeconds ?? start;
    // Each unit of audio is a key.
    if (end - from < (this.leader.track.kind === 'audio' ? MIN_AUDIO_GROWTH_SECONDS : Number.EPSILON)) return;
    const queues = [...this.queues.values()];
    // Sound that is late is in what comes next: no picture waits for it.
    if (queues.some((queue) => queue.track.kind === this.leader.track.kind && !this.hasPassed(queue, end))) return;
    this.grownSeconds = end;
    const parts = new Map<string, SegmentPart>();
    for (const queue of queues) {
      const grown = this.grownOf(queue, start, end);
      if (grown.length > 0) parts.set(queue.track.id, this.part(queue, grown));
    }
    this.hooks.onGrown({ startSeconds: start, seconds: end - start, discontinuity, parts });
  }

  /** Fragments of the span that have not been handed on yet. */
  private grownOf(queue: TrackQueue, start: number, end: number): MediaFragment[] {
    const { fragments, grown } = queue;
    const next = fragments.findIndex((fragment) => this.isFrom(queue, fragment, end));
    queue.grown = next === -1 ? fragments.length : next;
    return fragments.slice(grown, queue.grown).filter((fragment) => this.isFrom(queue, fragment, start));
  }

  /** Hands on the segments whose span all tracks have passed; `all`: also those that will not be passed any more. */
  private commit(all: boolean): void {
    while (this.spans.length > 0) {
      const span = this.spans[0]!;
      const queues = [...this.queues.values()];
      if (!all && !queues.every((queue) => this.hasPassed(queue, span.end))) return;
      this.spans.shift();
      this.grownSeconds = undefined;
      const taken = queues.map((queue) => [queue, this.takeUntil(queue, span)] as const);
      if (taken.some(([, fragments]) => fragments.length === 0)) {
        if (this.spans[0] === undefined) this.discontinuity = this.count > 0;
        else this.spans[0].discontinuity = this.count > 0;
        this.hooks.onDropped();
        continue;
      }
      this.count += 1;
      const parts = new Map(taken.map(([queue, fragments]) => [queue.track.id, this.part(queue, fragments)]));
      const { start, end, discontinuity } = span;
      this.hooks.onSegment({ startSeconds: start, seconds: end - start, discontinuity, parts });
    }
  }

  private hasPassed(queue: TrackQueue, end: number): boolean {
    const last = queue.fragments.at(-1);
    if (last === undefined) return false;
    const lastEnd = (last.startTime + last.duration) / timescaleOf(queue);
    return lastEnd >= end - this.tolerance(queue, last);
  }

  /** Returns how far before the leader's end a fragment may begin and still open the next segment: never so far that it lies before it. */
  private tolerance(queue: TrackQueue, { duration }: MediaFragment): number {
    const half = duration / timescaleOf(queue) / 2;
    return queue.track.kind === 'audio' ? half : Math.min(keyframeSlack(this.keyframeDistance), half);
  }

  private isFrom(queue: TrackQueue, fragment: MediaFragment, seconds: number): boolean {
    return fragment.startTime / timescaleOf(queue) >= seconds - this.tolerance(queue, fragment);
  }

  private takeUntil(queue: TrackQueue, { start, end }: { start: number; end: number }): MediaFragment[] {
    const { fragments } = queue;
    const cut = fragments.findIndex((fragment) => this.isFrom(queue, fragment, end));
    const taken = fragments.splice(0, cut === -1 ? fragments.length : cut);
    queue.grown = 0;
    this.pendingBytes -= taken.reduce((sum, { bytes }) => sum + bytes.length, 0);
    // Fragments before the first keyframe, or left over from a span that was dropped, are passed over.
    const from = taken.findIndex((fragment) => fragment.key && this.isFrom(queue, fragment, start));
    return from === -1 ? [] : taken.slice(from);
  }

  private part(queue: TrackQueue, fragments: MediaFragment[]): SegmentPart {
    const [first, last] = [fragments[0]!, fragments.at(-1)!];
    // Audio comes unit by unit. Video stays as it was written, a fragment a keyframe distance.
    const isAudio = queue.track.kind === 'audio';
    const bytes = isAudio
      ? joinFragments(fragments, ++this.sequence)
      : joined(fragments.map((fragment) => fragment.bytes));
    const duration = last.startTime + last.duration - first.startTime;
    return { bytes, startTime: first.startTime, duration, timescale: timescaleOf(queue) };
  }

  private queueOf(trackId: string): TrackQueue {
    const queue = this.queues.get(trackId);
    if (queue === undefined) throw new RangeError(`There is no track ${trackId}.`);
    return queue;
  }
}

/** A copy of megabytes is garbage outside the heap. */
function joined(buffers: readonly Buffer[]): Buffer {
  return buffers.length === 1 ? buffers[0]! : Buffer.concat(buffers);
}

function timescaleOf({ init, track }: TrackQueue): number {
  if (init === undefined) throw new RangeError(`The track ${track.id} has no init yet.`);
  return init.timescale;
}
