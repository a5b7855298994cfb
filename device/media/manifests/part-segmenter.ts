/**
 * Joins the frames of all tracks of a ladder into parts of segments, each as soon as the first frame behind it has come: what is said of
 * the next part (that it goes on with the segment, or begins another) then comes true.
 */
import { joinFragments } from '../fmp4/fmp4-join.ts';
import type { MediaFragment, TrackInit } from '../fmp4/fmp4-parser.ts';
import { MAX_BUFFERED_BYTES } from '../ladder/ladder-plan.ts';
import { JUMP_SECONDS, type SegmentPart, type SegmenterTrack } from './cmaf-segmenter.ts';
import { partSeconds } from './part-rule.ts';
import { isSegmentDue, type SegmentRule } from './segment-rule.ts';

export interface TrackPart extends SegmentPart {
  /** It begins with a frame that can be decoded by itself. */
  independent: boolean;
  /** Length of its first frame, or unit of audio. */
  unitSeconds: number;
}

export interface CmafPart {
  /** Stream time at which the leading track begins. */
  startSeconds: number;
  seconds: number;
  /** It begins a segment. */
  first: boolean;
  /** It ends its segment. */
  last: boolean;
  /** Media time does not go on from the part before, or another packager wrote it. Only the first part of a segment has it. */
  discontinuity: boolean;
  /** Keys are track ids. */
  tracks: Map<string, TrackPart>;
}

export interface PartHooks {
  onPart(part: CmafPart): void;
  /** A new initialisation segment comes before the parts that need it. */
  onInit(trackId: string, init: TrackInit): void;
  /** The open segment gets no further part, and a discontinuity follows. */
  onBroken(): void;
}

/** One frame, or unit of audio. */
interface Frame {
  fragment: MediaFragment;
  /** Its place on the time line, in seconds: frames come in the order of decoding, and are shown later by a constant. */
  at: number;
  seconds: number;
}

interface TrackQueue {
  track: SegmenterTrack;
  init: TrackInit | undefined;
  frames: Frame[];
  /** Presentation time less decoding time of the last keyframe, in ticks. */
  shownAfter: number;
}

type Span = Pick<CmafPart, 'first' | 'last' | 'discontinuity'> & { start: number; end: number };

export class PartSegmenter {
  private readonly rule: SegmentRule;
  private readonly hooks: PartHooks;
  private readonly queues: Map<string, TrackQueue>;
  private readonly leader: TrackQueue;
  /** Parts that the leader has ended and that wait for the others. */
  private spans: Span[] = [];
  private segmentStart: number | undefined;
  private partStart = 0;
  private isFirst = true;
  private discontinuity = false;
  private endSeconds: number | undefined;
  /** Distance of the keyframes; undefined while it is being learnt. */
  keyframeSeconds: number | undefined;
  private partLength: number | undefined;
  private segments = 0;
  private hasParts = false;
  private sequence = 0;
  private pendingBytes = 0;

  /**
   * `length`: seconds of a part; undefined: it is learnt from the first keyframes. The first video track leads; without video the first
   * audio. Throws RangeError without tracks.
   */
  constructor(tracks: readonly SegmenterTrack[], rule: SegmentRule, length: number | undefined, hooks: PartHooks) {
    this.rule = rule;
    this.hooks = hooks;
    this.partLength = length;
    this.keyframeSeconds = rule.keyframeSeconds;
    this.queues = new Map(tracks.map((track) => [track.id, { track, init: undefined, frames: [], shownAfter: 0 }]));
    const queues = [...this.queues.values()];
    const leader = queues.find(({ track }) => track.kind === 'video') ?? queues[0];
    if (leader === undefined) throw new RangeError('A segmenter needs a track.');
    this.leader = leader;
  }

  /** Seconds of a part; undefined while it is being learnt. */
  get length(): number | undefined {
    return this.partLength;
  }

  /** Throws RangeError for a track that was not announced. */
  init(trackId: string, init: TrackInit): void {
    this.queueOf(trackId).init = init;
    this.hooks.onInit(trackId, init);
  }

  /** Takes a fragment of one frame. Throws RangeError for a track that was not announced, or has no init yet. */
  add(trackId: string, fragment: MediaFragment): void {
    const queue = this.queueOf(trackId);
    if (queue.init === undefined) throw new RangeError(`The track ${trackId} has no init yet.`);
    const { timescale } = queue.init;
    if (fragment.key) queue.shownAfter = fragment.startTime - fragment.decodeTime;
    const at = (fragment.decodeTime + queue.shownAfter) / timescale;
    const frame = { fragment, at, seconds: fragment.duration / timescale };
    if (queue === this.leader && !this.lead(frame)) return;
    queue.frames.push(frame);
    this.pendingBytes += fragment.bytes.length;
    this.commit(false);
    if (this.pendingBytes > MAX_BUFFERED_BYTES) this.breakOff();
  }

  /** Ends the rest as a last part. A discontinuity follows: the end of the stream, or a new packager. */
  finish(): void {
    if (this.segmentStart !== undefined && this.endSeconds! > this.partStart) this.close(this.endSeconds!, true);
    this.commit(true);
    this.breakOff();
  }

  private breakOff(): void {
    for (const queue of this.queues.values()) queue.frames = [];
    this.spans = [];
    this.pendingBytes = 0;
    this.segmentStart = undefined;
    this.endSeconds = undefined;
    this.isFirst = true;
    this.discontinuity = this.hasParts;
    this.hooks.onBroken();
  }

  /** Tells whether the frame is used: a video that is joined between keyframes cannot be shown before the next. */
  private lead({ at, seconds, fragment: { key } }: Frame): boolean {
    if (this.endSeconds !== undefined && Math.abs(at - this.endSeconds) > JUMP_SECONDS) this.finish();
    if (this.segmentStart === undefined) {
      if (!key) return false;
      this.segmentStart = at;
      this.partStart = at;
    } else if (key && this.isDue(this.segmentStart, at, seconds)) {
      this.close(at, true);
      this.segmentStart = at;
    } else if (at - this.partStart >= (this.partLength ?? 1 / 3) - seconds / 2) this.close(at, false);
    this.endSeconds = at + seconds;
    return true;
  }

  private isDue(start: number, at: number, frameSeconds: number): boolean {
    const isAudio = this.leader.track.kind === 'audio';
    if (!isAudio) this.keyframeSeconds ??= at - start;
    this.partLength ??= isAudio ? 1 / 3 : partSeconds(this.keyframeSeconds!, frameSeconds);
    if (this.rule.isCut?.(start, at) === true) return true;
    return isSegmentDue(this.rule, at - start, isAudio ? 0 : this.keyframeSeconds!, this.segments === 0);
  }

  private close(end: number, last: boolean): void {
    this.spans.push({ start: this.partStart, end, first: this.isFirst, last, discontinuity: this.discontinuity });
    if (last) this.segments += 1;
    this.partStart = end;
    this.isFirst = last;
    this.discontinuity = false;
  }

  /** Hands on the parts whose end all tracks have passed; `all`: also those that will not be passed any more. */
  private commit(all: boolean): void {
    while (this.spans.length > 0) {
      const span = this.spans[0]!;
      const queues = [...this.queues.values()];
      if (!all && !queues.every(({ frames }) => hasPassed(frames.at(-1), span.end))) return;
      this.spans.shift();
      const taken = queues.map((queue) => [queue, this.take(queue, span)] as const);
      // One of the tracks has nothing there: it was lost for a while, and the next keyframe begins anew.
      if (taken.some(([, frames]) => frames.length === 0)) return this.breakOff();
      const tracks = new Map(taken.map(([queue, frames]) => [queue.track.id, this.part(queue, frames)]));
      const { start, end, first, last, discontinuity } = span;
      this.hasParts = true;
      this.hooks.onPart({ startSeconds: start, seconds: end - start, first, last, discontinuity, tracks });
    }
  }

  private take(queue: TrackQueue, { start, end, first }: Span): Frame[] {
    const { frames } = queue;
    const cut = frames.findIndex(({ at, seconds }) => at >= end - seconds / 2);
    // The last part of a segment may be shorter than a unit of audio, which is then taken from the next.
    const isBorrowed = cut === 0 && frames[0]!.at < end + 2 * frames[0]!.seconds;
    const taken = frames.splice(0, cut === -1 ? frames.length : isBorrowed ? 1 : cut);
    this.pendingBytes -= taken.reduce((sum, { fragment }) => sum + fragment.bytes.length, 0);
    if (!first) return taken;
    const from = taken.findIndex(({ at, seconds, fragment }) => fragment.key && at >= start - seconds);
    return from === -1 ? [] : taken.slice(from);
  }

  private part({ init }: TrackQueue, frames: readonly Frame[]): TrackPart {
    const fragments = frames.map(({ fragment }) => fragment);
    const [first, last] = [fragments[0]!, fragments.at(-1)!];
    return {
      bytes: joinFragments(fragments, ++this.sequence),
      startTime: Math.min(...fragments.map(({ startTime }) => startTime)),
      duration: last.decodeTime + last.duration - first.decodeTime,
      timescale: init!.timescale,
      independent: first.key,
      unitSeconds: frames[0]!.seconds,
    };
  }

  private queueOf(trackId: string): TrackQueue {
    const queue = this.queues.get(trackId);
    if (queue === undefined) throw new RangeError(`There is no track ${trackId}.`);
    return queue;
  }
}

function hasPassed(last: Frame | undefined, end: number): boolean {
  return last !== undefined && last.at + last.seconds >= end - last.seconds / 2;
}
