/** CMAF and DASH: the runner makes segments and manifests of the fragments that a feed delivers. */
import type { ListsSpec } from '../../../../domain/shapes/broadcasts/run-spec.ts';
import type { Clock } from '../../../../domain/time/clock.ts';
import { metadataKind } from '../../../media/manifests/cmaf-presentation.ts';
import type { Layout, TrackRate } from '../../../media/manifests/presentation.ts';
import { CmafSegmenter, type CmafSegment } from '../../../media/manifests/cmaf-segmenter.ts';
import { partTarget, plannedPartSeconds } from '../../../media/manifests/part-rule.ts';
import { PartSegmenter, type CmafPart } from '../../../media/manifests/part-segmenter.ts';
import type { TrackInit } from '../../../media/fmp4/fmp4-parser.ts';
import type { LadderPlan, RenditionPlan } from '../../../media/ladder/ladder-plan.ts';
import { id3Event } from '../../../media/fmp4/emsg.ts';
import { TICKS_PER_SECOND } from '../../../media/mpeg-ts/mpeg-ts.ts';
import { segmentTimes, type SegmentTimes } from '../../../media/manifests/segment-rule.ts';
import { expectedPeak, SegmentRates } from '../../../media/mpeg-ts/transport-rate.ts';
import { producerTime } from '../../../media/fmp4/prft.ts';
import { TextSegments } from '../../../media/webvtt/text-segments.ts';
import type { ChildProcesses } from '../../process/child-processes.ts';
import type { EncodedStream } from '../../stream/encoded-stream.ts';
import type { Attempt, AttemptHooks } from '../attempt.ts';
import type { Publication } from './cmaf-folder-options.ts';
import { CmafFolder } from './cmaf-folder.ts';
import { EncryptedTracks } from './encrypted-tracks.ts';
import type { KeyPeriods } from './key-periods.ts';
import { learnLengths } from './live-lengths.ts';
import { layoutOf, packagerTracks, type Track } from './packager-tracks.ts';
import { packedTracks } from '../packed-tracks.ts';
import { PackedFeed } from './packed-feed.ts';
import { EncoderFeed, PackagerFeed, type TrackFeed, type TrackHooks } from './track-feed.ts';

export interface PackagerOptions {
  name: string;
  dir: string;
  /** Key that tokens of viewers are checked with; left out: everybody may watch. */
  accessKey?: string | undefined;
  runId: string;
  lists?: ListsSpec | undefined;
  /** CMAF has HLS playlists beside the MPD. HLS / TS of low latency has them alone. */
  hls: boolean;
  dash: boolean;
  /** Viewers get parts of segments that are still being made. */
  lowLatency: boolean;
  segmentSeconds: number;
  playlistLength: number;
  /** Seconds that a viewer may seek back; makes the list longer. */
  timeShiftSeconds: number | null;
  /** Captions are tracks of text, too. */
  webvtt?: boolean;
  /** In ladder order. */
  renditions: RenditionPlan[];
  /** Undefined: nothing is encrypted. */
  keys: KeyPeriods | undefined;
  /** ffmpeg packs media in place of this process; `why` is half a sentence. */
  onPackedByFfmpeg(why: string): void;
}

export interface PackagerContext {
  plan: LadderPlan;
  children: ChildProcesses;
  stream: EncodedStream;
  clock: Clock;
}

/** A packager may write nothing for so long, beside two keyframe distances, within which a video without audio has no fragment. */
const STANDSTILL_MS = 6000;
/** Nobody knows how far apart the keyframes of a copied source are; more than a minute is no use to any viewer. */
const COPY_STANDSTILL_MS = 60_000;

export class PackagerOutput implements Attempt {
  private readonly stream: EncodedStream;
  private readonly clock: Clock;
  private readonly hooks: AttemptHooks;
  private readonly times: SegmentTimes;
  private readonly tracks: Track[];
  private readonly rates: Map<number, SegmentRates>;
  private readonly clearInits = new Map<string, TrackInit>();
  private readonly layout: Layout;
  private readonly folder: CmafFolder;
  private readonly segmenter: CmafSegmenter | PartSegmenter;
  private readonly encrypted: EncryptedTracks | undefined;
  private readonly feed: TrackFeed;
  /** The parts of the open segment: their bytes by track, and their length. */
  private readonly openBytes = new Map<string, number>();
  private openSeconds = 0;
  private isOver = false;
  private isEnding = false;

  /** Throws the errors of the filesystem, and TypeError for keys that cannot encrypt these tracks. */
  constructor(options: PackagerOptions, { plan, children, stream, clock }: PackagerContext, hooks: AttemptHooks) {
    this.stream = stream;
    this.clock = clock;
    this.hooks = hooks;
    this.times = segmentTimes(plan, options.segmentSeconds);
    const standstillMs = plan.copy ? COPY_STANDSTILL_MS : STANDSTILL_MS + 2000 * plan.keyframeSeconds;
    this.tracks = packagerTracks(options.renditions);
    this.rates = new Map(this.tracks.map(({ pid }) => [pid, new SegmentRates(this.times.segmentSeconds)]));
    const kinds = this.tracks.map(({ kind }) => kind);
    this.encrypted = options.keys && new EncryptedTracks(options.keys, kinds);
    this.layout = layoutOf(options.renditions, this.tracks, plan, this.encrypted?.announced);
    const { dir, accessKey, runId, lists, hls, dash, playlistLength, lowLatency } = options;
    const partLength = plannedPartSeconds(plan);
    this.folder = new CmafFolder({
      dir,
      accessKey,
      runId,
      lists,
      hls,
      dash,
      partTargetSeconds: lowLatency ? partTarget(partLength ?? 0) : undefined,
      segmentSeconds: plan.copy || !plan.hasVideo ? 0 : this.times.segmentSeconds,
      playlistLength,
      layout: this.layout,
      timeShiftSeconds: options.timeShiftSeconds ?? 0,
      targetSeconds: Math.max(1, Math.round(this.times.segmentSeconds)),
      captions: () => stream.captions.announced,
      texts: options.webvtt === true ? new TextSegments(stream.captions.tracks) : undefined,
    });
    this.segmenter = this.segmenterOf(lowLatency, partLength);
    const { name } = options;
    const trackHooks: TrackHooks = {
      onInit: (id, init) => this.segmenter.init(id, init),
      onFragment: (id, fragment) => {
        // A part is encrypted as a whole.
        const isClear = lowLatency || this.encrypted === undefined;
        if (!this.isOver) this.segmenter.add(id, isClear ? fragment : this.encrypted.fragment(id, fragment));
      },
      onFormatEnd: () => this.segmenter.finish(),
      onFailed: (reason) => this.giveUp(reason),
    };
    const { packets, fragments } = stream.media;
    if (packets === undefined) this.feed = new EncoderFeed(fragments, this.tracks, lowLatency, trackHooks);
    else {
      const packager = (): TrackFeed =>
        new PackagerFeed({ name, tracks: this.tracks, lowLatency, standstillMs }, children, packets, trackHooks);
      const packed = packedTracks(options.renditions);
      const packedHooks = { onUnfit: options.onPackedByFfmpeg, ...trackHooks };
      this.feed = new PackedFeed(packed, lowLatency, packets, packedHooks, packager);
    }
    this.feed.start();
  }

  /** Writes the rest as the last segment, and the end mark: the encoder has ended before, or the path is switched off. */
  async end(): Promise<void> {
    this.isEnding = true;
    await this.feed.end();
    if (this.isOver) return;
    this.segmenter.finish();
    this.attemptWrite(() => this.folder.finish(this.publication));
    this.folder.close();
    this.isOver = true;
  }

  private segmenterOf(lowLatency: boolean, partLength: number | undefined): CmafSegmenter | PartSegmenter {
    const announced = this.tracks.map(({ pid, kind }) => ({ id: String(pid), kind }));
    const { marks } = this.stream;
    const onInit = (id: string, init: TrackInit): void => {
      this.encrypted?.init(id, init);
      this.clearInits.set(id, init);
    };
    if (!lowLatency) {
      const isCut = (from: number, to: number): boolean =>
        marks.isCut(from, to) || this.encrypted?.isCut(from, to) === true;
      const hooks = {
        onInit,
        onSegment: (segment: CmafSegment) => this.onSegment(segment),
        onGrown: (growth: CmafSegment) => this.onGrown(growth),
        onDropped: () => undefined,
      };
      return new CmafSegmenter(announced, { ...this.times, isCut }, hooks);
    }
    // Segments are counted, and viewers need not wait for the first: it is as long as the others. Only of a copy nobody knows how long.
    const firstSeconds = partLength === undefined ? this.times.firstSeconds : this.times.segmentSeconds;
    // New keys wait for the end of a segment, since players count them.
    const isCut = (from: number, to: number): boolean => marks.isCut(from, to);
    return new PartSegmenter(announced, { ...this.times, firstSeconds, isCut }, partLength, {
      onInit,
      onPart: (part) => this.onPart(part),
      onBroken: () => this.attemptWrite(() => this.folder.breakOff(this.publication)),
    });
  }

  private get publication(): Publication {
    const keys = this.encrypted?.announced;
    return { nowMs: this.clock.now(), rates: this.ratesNow(), marks: this.stream.marks, keys };
  }

  /** As players get them. */
  private get inits(): ReadonlyMap<string, TrackInit> {
    return this.encrypted?.inits ?? this.clearInits;
  }

  private onPart(clear: CmafPart): void {
    if (this.isOver) return;
    this.attemptWrite(() => {
      const part = this.encrypted?.part(clear) ?? clear;
      const { startSeconds, seconds, last } = part;
      const { clock, captions } = this.stream;
      const tracks = [...part.tracks].map(([id, track]) => {
        const time = clock.wallMs((track.startTime / track.timescale) * TICKS_PER_SECOND);
        const made = producerTime(this.clearInits.get(id)!.trackId, track.startTime, time);
        return [
          id,
          { ...track, bytes: Buffer.concat([made, ...this.tagsOf(id, startSeconds, seconds), track.bytes]) },
        ] as const;
      });
      const hasVideo = this.tracks.some(({ kind }) => kind === 'video');
      const { segmentSeconds } = this.times;
      learnLengths(this.folder.live!, part, this.segmenter as PartSegmenter, { segmentSeconds, hasVideo });
      this.measure(new Map(tracks), seconds, last);
      captions.settle((startSeconds + seconds) * TICKS_PER_SECOND);
      const startMs = clock.wallMs(startSeconds * TICKS_PER_SECOND);
      this.folder.appendPart({ ...part, tracks: new Map(tracks) }, this.inits, startMs, this.publication);
      if (!this.isEnding && this.folder.live!.segmentSeconds > 0) this.hooks.onUp();
    });
  }

  private measure(tracks: CmafPart['tracks'], seconds: number, isLast: boolean): void {
    this.openSeconds += seconds;
    for (const [id, { bytes }] of tracks) {
      const all = (this.openBytes.get(id) ?? 0) + bytes.length;
      this.openBytes.set(id, isLast ? 0 : all);
      if (isLast) this.rates.get(Number(id))!.add(all * 8, this.openSeconds);
    }
    if (isLast) this.openSeconds = 0;
  }

  /** The open segment is kept as far as it goes: its tags come with the whole. */
  private onGrown(clear: CmafSegment): void {
    if (this.isOver) return;
    this.attemptWrite(() => {
      const growth = this.encrypted?.segment(clear) ?? clear;
      const startMs = this.stream.clock.wallMs(growth.startSeconds * TICKS_PER_SECOND);
      this.folder.grow(growth, startMs, this.encrypted?.announced);
    });
  }

  private onSegment(clear: CmafSegment): void {
    if (this.isOver) return;
    this.attemptWrite(() => {
      const segment = this.withTags(this.encrypted?.segment(clear) ?? clear);
      for (const [id, { bytes }] of segment.parts) this.rates.get(Number(id))!.add(bytes.length * 8, segment.seconds);
      const { clock, captions } = this.stream;
      captions.settle((segment.startSeconds + segment.seconds) * TICKS_PER_SECOND);
      const startMs = clock.wallMs(segment.startSeconds * TICKS_PER_SECOND);
      this.folder.append(segment, this.inits, startMs, this.publication);
      if (!this.isEnding) this.hooks.onUp();
    });
  }

  /** Puts the tags of the segment's time before its first frame, in every size. */
  private withTags(segment: CmafSegment): CmafSegment {
    const { startSeconds, seconds, parts } = segment;
    const extended = [...parts].map(([id, part]) => {
      const tags = this.tagsOf(id, startSeconds, seconds);
      return [id, tags.length === 0 ? part : { ...part, bytes: Buffer.concat([...tags, part.bytes]) }] as const;
    });
    return { ...segment, parts: new Map(extended) };
  }

  private tagsOf(trackId: string, startSeconds: number, seconds: number): Buffer[] {
    const { tracks } = this.layout;
    if (tracks.find(({ id }) => String(id) === trackId)?.kind !== metadataKind(tracks)) return [];
    const from = startSeconds * TICKS_PER_SECOND;
    const tags = this.stream.marks.tagsBetween(from, from + seconds * TICKS_PER_SECOND);
    return tags.map(({ bytes, ticks }) => id3Event(bytes, ticks));
  }

  private ratesNow(): Map<number, TrackRate> {
    return new Map(
      this.tracks.map(({ pid, kbps }) => {
        const measured = this.rates.get(pid)!;
        const average = kbps === undefined ? measured.average : kbps * 1000;
        const expected = expectedPeak(average, this.times.segmentSeconds);
        return [pid, { peak: Math.max(measured.peak, expected), average }];
      }),
    );
  }

  private attemptWrite(task: () => void): void {
    try {
      task();
    } catch (error) {
      this.giveUp(`The segments cannot be written: ${(error as Error).message}`, false);
    }
  }

  /** With `keep` the whole fragments are listed before; the next packager's first segment begins a new period. */
  private giveUp(reason: string, keep = true): void {
    if (this.isOver) return;
    if (keep) this.segmenter.finish();
    // Writing them may have failed, which has given up already.
    if (this.isOver) return;
    this.isOver = true;
    this.folder.close();
    this.feed.kill();
    this.hooks.onDown(reason);
  }
}
