/** CMAF and DASH: segments and manifests are made here, of the fragments that a feed gives. */
import type { Clock } from '../../../../domain/clock.ts';
import type { OutputDrm } from '../../../../domain/run.ts';
import { metadataKind, type Layout, type TrackRate } from '../../../media/manifests/cmaf-presentation.ts';
import { CmafSegmenter, type CmafSegment } from '../../../media/manifests/cmaf-segmenter.ts';
import type { TrackInit } from '../../../media/fmp4/fmp4-parser.ts';
import type { LadderPlan, RenditionPlan } from '../../../media/ladder/ladder-plan.ts';
import { protectionOf, type Protection } from '../../../media/manifests/protection.ts';
import { id3Event } from '../../../media/fmp4/emsg.ts';
import { TICKS_PER_SECOND } from '../../../media/mpeg-ts/mpeg-ts.ts';
import type { PackagerTrack } from '../../../media/arguments/packager-args.ts';
import { segmentTimes, type SegmentTimes } from '../../../media/manifests/segment-rule.ts';
import { expectedPeak, SegmentRates } from '../../../media/mpeg-ts/transport-rate.ts';
import { CmafFolder } from './cmaf-folder.ts';
import type { Attempt, AttemptHooks } from '../destination-path.ts';
import { EncryptedTracks } from './encrypted-tracks.ts';
import type { FanOut } from '../../stream/fan-out.ts';
import { FragmentBus } from '../../stream/fragment-bus.ts';
import type { ChildProcesses } from '../../process/child-processes.ts';
import { BusFeed, PackagerFeed, type TrackFeed, type TrackHooks } from './track-feed.ts';

export interface PackagerOptions {
  name: string;
  dir: string;
  /** What tokens of viewers are checked with; left out: everybody may watch. */
  accessKey?: string | undefined;
  runId: string;
  /** CMAF: HLS playlists beside the MPD. */
  hls: boolean;
  segmentSeconds: number;
  playlistLength: number;
  /** Seconds that a viewer may seek back; makes the list longer. */
  timeShiftSeconds: number | null;
  /** In ladder order. */
  renditions: RenditionPlan[];
  /** undefined: in the clear. */
  drm: OutputDrm | undefined;
}

/** Beyond two keyframe distances, within which a picture without sound gives nothing. */
const STANDSTILL_MS = 6000;
/** How far apart the keyframes of a copied source are, nobody says; more than a minute is no use to any viewer. */
const COPY_STANDSTILL_MS = 60_000;
interface Track extends PackagerTrack {
  /** kbit/s as encoded; undefined when copied. */
  kbps: number | undefined;
}

export class PackagerOutput implements Attempt {
  private readonly fanOut: FanOut;
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
  private over = false;
  private ending = false;

  /** Throws what the filesystem says, and TypeError for keys that cannot encrypt this. */
  constructor(
    options: PackagerOptions,
    plan: LadderPlan,
    children: ChildProcesses,
    fanOut: FanOut,
    clock: Clock,
    hooks: AttemptHooks,
  ) {
    this.fanOut = fanOut;
    this.clock = clock;
    this.hooks = hooks;
    this.times = segmentTimes(plan, options.segmentSeconds);
    const standstillMs = plan.copy ? COPY_STANDSTILL_MS : STANDSTILL_MS + 2000 * plan.keyframeSeconds;
    this.tracks = tracksOf(options.renditions);
    this.rates = new Map(this.tracks.map(({ pid }) => [pid, new SegmentRates(this.times.segmentSeconds)]));
    const protection = options.drm && protectionOf(options.drm);
    const kinds = this.tracks.map(({ kind }) => kind);
    this.encrypted = protection && new EncryptedTracks(protection, kinds);
    this.layout = layoutOf(options.renditions, this.tracks, plan, protection);
    this.folder = new CmafFolder({
      ...{
        dir: options.dir,
        accessKey: options.accessKey,
        runId: options.runId,
        hls: options.hls,
        playlistLength: options.playlistLength,
      },
      layout: this.layout,
      timeShiftSeconds: options.timeShiftSeconds ?? 0,
      targetSeconds: Math.max(1, Math.round(this.times.segmentSeconds)),
      captions: () => fanOut.captions.announced,
    });
    const announced = this.tracks.map(({ pid, kind }) => ({ id: String(pid), kind }));
    const isCut = (from: number, to: number): boolean =>
      fanOut.sheet.isCut(from * TICKS_PER_SECOND, to * TICKS_PER_SECOND);
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
    const feeding: TrackHooks = {
      onInit: (id, init) => this.segmenter.init(id, init),
      onFragment: (id, fragment) => {
        if (!this.over) this.segmenter.add(id, this.encrypted?.fragment(id, fragment) ?? fragment);
      },
      onFailed: (reason) => this.giveUp(reason),
    };
    this.feed =
      fanOut instanceof FragmentBus
        ? new BusFeed(fanOut, this.tracks, feeding)
        : new PackagerFeed({ name, tracks: this.tracks, standstillMs }, children, fanOut, feeding);
    this.feed.start();
  }

  /** With what is left as the last segment, and the end mark: the encoder has ended before, or the path is switched off. */
  async end(): Promise<void> {
    this.ending = true;
    await this.feed.end();
    if (this.over) return;
    this.segmenter.finish();
    this.attemptWrite(() => this.folder.finish(this.clock.now(), this.ratesNow(), this.fanOut.sheet));
    this.over = true;
  }

  private onSegment(given: CmafSegment): void {
    if (this.over) return;
    this.attemptWrite(() => {
      const segment = this.withTags(this.encrypted?.segment(given) ?? given);
      for (const [id, { bytes }] of segment.parts) this.rates.get(Number(id))!.add(bytes.length * 8, segment.seconds);
      const { line, sheet } = this.fanOut;
      const startMs = line.wallMs(segment.startSeconds * TICKS_PER_SECOND);
      this.folder.append(segment, this.inits, startMs, this.clock.now(), this.ratesNow(), sheet);
      if (!this.ending) this.hooks.onUp();
    });
  }

  /** Tags of its time are put before its first picture, in every size. */
  private withTags(segment: CmafSegment): CmafSegment {
    const { startSeconds, seconds, parts } = segment;
    const from = startSeconds * TICKS_PER_SECOND;
    const tags = this.fanOut.sheet.tagsBetween(from, from + seconds * TICKS_PER_SECOND);
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

  /** `keep`: what came whole is listed; the next packager's first segment begins a new period. */
  private giveUp(reason: string, keep = true): void {
    if (this.over) return;
    if (keep) this.segmenter.finish();
    // Writing that may have failed and told so.
    if (this.over) return;
    this.over = true;
    this.feed.kill();
    this.hooks.onDown(reason);
  }
}

/** Renditions with the same sound share its track. */
function tracksOf(renditions: readonly RenditionPlan[]): Track[] {
  const videos = renditions.flatMap(({ video }) => (video === undefined ? [] : [video]));
  const audios = [...new Set(renditions.flatMap(({ audio }) => (audio === undefined ? [] : [audio])))];
  const track = (kind: Track['kind'], pid: number, codec: string, bitrate: number): Track => {
    return { pid, kind, codec, kbps: codec === 'copy' ? undefined : bitrate };
  };
  return [
    ...videos.map(({ pid, settings }) => track('video', pid, settings.codec, settings.bitrate)),
    ...audios.map(({ pid, settings }) => track('audio', pid, settings.codec, settings.bitrate)),
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
    tracks: tracks.map(({ pid, kind }) => ({ id: pid, kind, rate: plan.copy ? undefined : rateOf(pid) })),
    renditions: renditions.map(({ video, audio }) => ({ video: video?.pid, audio: audio?.pid })),
  };
}
