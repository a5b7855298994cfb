/** CMAF and DASH: the runner makes segments and manifests of the fragments that a feed delivers. */
import type { Clock } from '../../../../domain/clock.ts';
import type { OutputDrm } from '../../../../domain/run.ts';
import { metadataKind } from '../../../media/manifests/cmaf-presentation.ts';
import { type Layout, type TrackLabel, type TrackRate } from '../../../media/manifests/presentation.ts';
import { CmafSegmenter, type CmafSegment } from '../../../media/manifests/cmaf-segmenter.ts';
import type { TrackInit } from '../../../media/fmp4/fmp4-parser.ts';
import type { LadderPlan, RenditionPlan } from '../../../media/ladder/ladder-plan.ts';
import { protectionOf, type Protection } from '../../../media/manifests/protection.ts';
import { id3Event } from '../../../media/fmp4/emsg.ts';
import { TICKS_PER_SECOND } from '../../../media/mpeg-ts/mpeg-ts.ts';
import type { PackagerTrack } from '../../../media/arguments/packager-args.ts';
import { segmentTimes, type SegmentTimes } from '../../../media/manifests/segment-rule.ts';
import { expectedPeak, SegmentRates } from '../../../media/mpeg-ts/transport-rate.ts';
import { TextSegments } from '../../../media/webvtt/text-segments.ts';
import type { ChildProcesses } from '../../process/child-processes.ts';
import type { EncodedStream } from '../../stream/encoded-stream.ts';
import type { Attempt, AttemptHooks } from '../attempt.ts';
import { tracksOf } from '../rendition-tracks.ts';
import { CmafFolder } from './cmaf-folder.ts';
import { EncryptedTracks } from './encrypted-tracks.ts';
import { EncoderFeed, PackagerFeed, type TrackFeed, type TrackHooks } from './track-feed.ts';

export interface PackagerOptions {
  name: string;
  dir: string;
  /** Key that tokens of viewers are checked with; left out: everybody may watch. */
  accessKey?: string | undefined;
  runId: string;
  /** CMAF has HLS playlists beside the MPD. */
  hls: boolean;
  segmentSeconds: number;
  playlistLength: number;
  /** Seconds that a viewer may seek back; makes the list longer. */
  timeShiftSeconds: number | null;
  /** Captions are tracks of text, too. */
  webvtt?: boolean;
  /** In ladder order. */
  renditions: RenditionPlan[];
  /** Undefined: nothing is encrypted. */
  drm: OutputDrm | undefined;
}

/** A packager may write nothing for so long, beside two keyframe distances, within which a video without audio has no fragment. */
const STANDSTILL_MS = 6000;
/** Nobody knows how far apart the keyframes of a copied source are; more than a minute is no use to any viewer. */
const COPY_STANDSTILL_MS = 60_000;

interface Track extends PackagerTrack {
  /** Rate in kbit/s as encoded; undefined for a copy. */
  kbps: number | undefined;
  label: TrackLabel | undefined;
}

export class PackagerOutput implements Attempt {
  private readonly stream: EncodedStream;
  private readonly clock: Clock;
  private readonly hooks: AttemptHooks;
  private readonly times: SegmentTimes;
  private readonly tracks: Track[];
  private readonly rates: Map<number, SegmentRates>;
  private readonly inits = new Map<string, TrackInit>();
  private readonly layout: Layout;
  private readonly folder: CmafFolder;
  private readonly segmenter: CmafSegmenter;
  private readonly encrypted: EncryptedTracks | undefined;
  private readonly feed: TrackFeed;
  private isOver = false;
  private isEnding = false;

  /** Throws the errors of the filesystem, and TypeError for keys that cannot encrypt these tracks. */
  constructor(
    options: PackagerOptions,
    plan: LadderPlan,
    children: ChildProcesses,
    stream: EncodedStream,
    clock: Clock,
    hooks: AttemptHooks,
  ) {
    this.stream = stream;
    this.clock = clock;
    this.hooks = hooks;
    this.times = segmentTimes(plan, options.segmentSeconds);
    const standstillMs = plan.copy ? COPY_STANDSTILL_MS : STANDSTILL_MS + 2000 * plan.keyframeSeconds;
    this.tracks = packagerTracks(options.renditions);
    this.rates = new Map(this.tracks.map(({ pid }) => [pid, new SegmentRates(this.times.segmentSeconds)]));
    const protection = options.drm && protectionOf(options.drm);
    const kinds = this.tracks.map(({ kind }) => kind);
    this.encrypted = protection && new EncryptedTracks(protection, kinds);
    this.layout = layoutOf(options.renditions, this.tracks, plan, protection);
    const { dir, accessKey, runId, hls, playlistLength } = options;
    this.folder = new CmafFolder({
      dir,
      accessKey,
      runId,
      hls,
      playlistLength,
      layout: this.layout,
      timeShiftSeconds: options.timeShiftSeconds ?? 0,
      targetSeconds: Math.max(1, Math.round(this.times.segmentSeconds)),
      captions: () => stream.captions.announced,
      texts: options.webvtt === true ? new TextSegments(stream.captions.tracks) : undefined,
    });
    const announced = this.tracks.map(({ pid, kind }) => ({ id: String(pid), kind }));
    const isCut = (from: number, to: number): boolean => stream.marks.isCut(from, to);
    this.segmenter = new CmafSegmenter(
      announced,
      { ...this.times, isCut },
      {
        onInit: (id, init) => this.inits.set(id, this.encrypted?.init(id, init) ?? init),
        onSegment: (segment) => this.onSegment(segment),
        onDropped: () => undefined,
      },
    );
    const { name } = options;
    const trackHooks: TrackHooks = {
      onInit: (id, init) => this.segmenter.init(id, init),
      onFragment: (id, fragment) => {
        if (!this.isOver) this.segmenter.add(id, this.encrypted?.fragment(id, fragment) ?? fragment);
      },
      onFailed: (reason) => this.giveUp(reason),
    };
    const { packets, fragments } = stream.media;
    this.feed =
      packets === undefined
        ? new EncoderFeed(fragments, this.tracks, trackHooks)
        : new PackagerFeed({ name, tracks: this.tracks, standstillMs }, children, packets, trackHooks);
    this.feed.start();
  }

  /** Writes the rest as the last segment, and the end mark: the encoder has ended before, or the path is switched off. */
  async end(): Promise<void> {
    this.isEnding = true;
    await this.feed.end();
    if (this.isOver) return;
    this.segmenter.finish();
    this.attemptWrite(() => this.folder.finish(this.clock.now(), this.ratesNow(), this.stream.marks));
    this.isOver = true;
  }

  private onSegment(clear: CmafSegment): void {
    if (this.isOver) return;
    this.attemptWrite(() => {
      const segment = this.withTags(this.encrypted?.segment(clear) ?? clear);
      for (const [id, { bytes }] of segment.parts) this.rates.get(Number(id))!.add(bytes.length * 8, segment.seconds);
      const { clock, marks, captions } = this.stream;
      captions.settle((segment.startSeconds + segment.seconds) * TICKS_PER_SECOND);
      const startMs = clock.wallMs(segment.startSeconds * TICKS_PER_SECOND);
      this.folder.append(segment, this.inits, startMs, this.clock.now(), this.ratesNow(), marks);
      if (!this.isEnding) this.hooks.onUp();
    });
  }

  /** Puts the tags of the segment's time before its first frame, in every size. */
  private withTags(segment: CmafSegment): CmafSegment {
    const { startSeconds, seconds, parts } = segment;
    const from = startSeconds * TICKS_PER_SECOND;
    const tags = this.stream.marks.tagsBetween(from, from + seconds * TICKS_PER_SECOND);
    if (tags.length === 0) return segment;
    const events = tags.map(({ bytes, ticks }) => id3Event(bytes, ticks));
    const carrier = metadataKind(this.layout.tracks);
    const carriers = this.layout.tracks.filter(({ kind }) => kind === carrier).map(({ id }) => String(id));
    const extended = [...parts].map(([id, part]) => {
      return [id, carriers.includes(id) ? { ...part, bytes: Buffer.concat([...events, part.bytes]) } : part] as const;
    });
    return { ...segment, parts: new Map(extended) };
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
    this.feed.kill();
    this.hooks.onDown(reason);
  }
}

function packagerTracks(renditions: readonly RenditionPlan[]): Track[] {
  const { videos, audios } = tracksOf(renditions);
  const kbpsOf = (codec: string, bitrate: number): number | undefined => (codec === 'copy' ? undefined : bitrate);
  return [
    ...videos.map(({ pid, settings: { codec, bitrate } }) => {
      return { pid, kind: 'video' as const, codec, kbps: kbpsOf(codec, bitrate), label: undefined };
    }),
    ...audios.map(({ pid, settings: { codec, bitrate }, track }) => {
      return { pid, kind: 'audio' as const, codec, kbps: kbpsOf(codec, bitrate), label: track };
    }),
  ];
}

function layoutOf(
  renditions: readonly RenditionPlan[],
  tracks: readonly Track[],
  plan: LadderPlan,
  protection: Protection | undefined,
): Layout {
  const rateOf = (pid: number) => renditions.find(({ video }) => video?.pid === pid)?.video?.rate;
  return {
    protection,
    tracks: tracks.map(({ pid, kind, label }) => {
      return { id: pid, kind, rate: plan.copy ? undefined : rateOf(pid), label };
    }),
    renditions: renditions.map(({ video, audios }) => ({ video: video?.pid, audios: audios.map(({ pid }) => pid) })),
  };
}
