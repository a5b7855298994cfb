/** HLS with TS segments, cut from the packets without a process of its own. */
import type { ListsSpec } from '../../../../domain/shapes/broadcasts/run-spec.ts';
import { toIso } from '../../../../domain/time/clock.ts';
import { masterPlaylistText, type AudioRendition, type Variant } from '../../../media/manifests/hls-playlist.ts';
import type { AudioStreamPlan, LadderPlan, RenditionPlan } from '../../../media/ladder/ladder-plan.ts';
import { TICKS_PER_SECOND } from '../../../media/mpeg-ts/mpeg-ts.ts';
import { segmentTimes } from '../../../media/manifests/segment-rule.ts';
import { expectedPeak, SegmentRates, transportRate } from '../../../media/mpeg-ts/transport-rate.ts';
import { TextSegments } from '../../../media/webvtt/text-segments.ts';
import type { EncodedStream } from '../../stream/encoded-stream.ts';
import type { FanOut, PacketRun, PacketSink } from '../../stream/fan-out.ts';
import type { Attempt, AttemptHooks } from '../attempt.ts';
import { HlsFolder } from './hls-folder.ts';
import { audioFolder, audioGroup, hlsParts } from './hls-parts.ts';
import { SegmentCutter, type CutSegment, type CutTracks, type OpenCut } from './segment-cutter.ts';

export interface HlsOptions {
  dir: string;
  /** Key that tokens of viewers are checked with; left out: everybody may watch. */
  accessKey?: string | undefined;
  runId: string;
  lists?: ListsSpec | undefined;
  segmentSeconds: number;
  playlistLength: number;
  /** Seconds that a viewer may seek back; makes the playlist longer. */
  timeShiftSeconds: number | null;
  /** Captions are tracks of text, too. */
  webvtt?: boolean;
  /** In ladder order. */
  renditions: RenditionPlan[];
}

export class HlsOutput implements Attempt, PacketSink {
  private readonly options: HlsOptions;
  private readonly plan: LadderPlan;
  private readonly stream: EncodedStream;
  private readonly packets: FanOut;
  private readonly hooks: AttemptHooks;
  /** The key is the name of the folder. */
  private readonly cutters: ReadonlyMap<string, SegmentCutter>;
  private readonly folder: HlsFolder | undefined;
  /** Closed segments that wait for the same one of the others, by folder. */
  private readonly waiting = new Map<string, CutSegment[]>();
  private readonly rates = new Map<string, SegmentRates>();
  private discontinuity: boolean;
  private master = '';
  readonly toleratesDelay = true;
  private down = false;

  constructor(options: HlsOptions, plan: LadderPlan, stream: EncodedStream, packets: FanOut, hooks: AttemptHooks) {
    this.options = options;
    this.plan = plan;
    this.stream = stream;
    this.packets = packets;
    this.hooks = hooks;
    const isCut = (from: number, to: number): boolean => stream.marks.isCut(from, to);
    const rule = { ...segmentTimes(plan, options.segmentSeconds), isCut };
    const parts = hlsParts(options.renditions);
    const hasVideo = parts.some(({ tracks }) => tracks.video !== undefined);
    const leader = parts.find(({ tracks }) => tracks.video !== undefined) ?? parts[0];
    const cutters = parts.map((part) => {
      const follows = part !== leader && part.tracks.video === undefined;
      const withoutMetadata = hasVideo && part.isTrack;
      const cutter = new SegmentCutter(part.tracks, { ...rule, follows, withoutMetadata }, packets.streams, {
        onSegment: (segment) => this.onSegment(part.folder, segment),
        onGrown: (segment) => this.onGrown(part.folder, segment),
        onBoundary: (ticks, isHere) => {
          if (part === leader) for (const other of this.cutters.values()) other.cutAt(ticks, isHere);
        },
        onDropped: () => this.startOver(),
      });
      return [part.folder, cutter] as const;
    });
    this.cutters = new Map(cutters);
    this.folder = this.openFolder(Math.max(1, Math.round(rule.segmentSeconds)));
    this.discontinuity = this.folder?.isContinued === true;
    if (this.folder !== undefined) packets.attach(this);
  }

  write(run: PacketRun): void {
    for (const cutter of this.cutters.values()) cutter.write(run);
  }

  begins(): void {
    for (const cutter of this.cutters.values()) cutter.beginAnew();
  }

  flush(): void {
    for (const cutter of this.cutters.values()) cutter.flush();
  }

  /** Writes the rest as the last segment, and the end mark: the encoder has ended before, or the path is switched off. */
  end(): Promise<void> {
    this.packets.detach(this);
    if (!this.down) {
      for (const cutter of this.cutters.values()) cutter.finish();
      this.attemptWrite(() => this.folder?.finish(this.stream.marks));
    }
    if (!this.down) this.folder?.close();
    this.down = true;
    return Promise.resolve();
  }

  private openFolder(targetSeconds: number): HlsFolder | undefined {
    const { dir, accessKey, runId, lists, playlistLength, segmentSeconds, timeShiftSeconds } = this.options;
    const listed = Math.max(playlistLength, Math.ceil((timeShiftSeconds ?? 0) / segmentSeconds));
    const names = [...this.cutters.keys()];
    const texts = this.options.webvtt === true ? new TextSegments(this.stream.captions.tracks) : undefined;
    const options = { dir, runId, names, playlistLength: listed, targetSeconds, accessKey, texts };
    return this.attemptWrite(() => new HlsFolder({ ...options, firstNumber: lists?.firstNumber }));
  }

  private onSegment(folder: string, segment: CutSegment): void {
    const queue = this.waiting.get(folder) ?? [];
    queue.push(segment);
    this.waiting.set(folder, queue);
    if ([...this.cutters.keys()].every((name) => (this.waiting.get(name)?.length ?? 0) > 0)) this.commit();
  }

  /** Renditions are listed together: a segment that one of them had to give up is missing in all. */
  private startOver(): void {
    const cutters = [...this.cutters.values()];
    const seen = Math.max(0, ...cutters.map(({ lastKeyTicks }) => lastKeyTicks ?? 0));
    for (const cutter of cutters) cutter.restart(seen);
    this.waiting.clear();
    this.attemptWrite(() => this.folder?.dropOpen());
    this.discontinuity = true;
  }

  private onGrown(name: string, { parts, startTicks, endTicks, seconds, isFirst }: OpenCut): void {
    if (this.down) return;
    const ahead = this.waiting.get(name)?.length ?? 0;
    const facts = {
      programDateTime: this.dateTimeOf(startTicks),
      discontinuity: this.discontinuity || isFirst,
      ticks: startTicks,
    };
    this.attemptWrite(() => this.folder?.grow({ name, parts, endTicks, seconds }, ahead, facts));
  }

  private dateTimeOf(ticks: number): string {
    return toIso(Math.round(this.stream.clock.wallMs(ticks)));
  }

  private commit(): void {
    if (this.down || this.folder === undefined) return;
    const { folder } = this;
    const parts = new Map<string, readonly Buffer[]>();
    const seconds: Record<string, number> = {};
    let first: CutSegment | undefined;
    for (const name of this.cutters.keys()) {
      const segment = this.waiting.get(name)!.shift()!;
      first ??= segment;
      parts.set(name, segment.parts);
      seconds[name] = segment.seconds;
      this.measure(name, segment);
      this.discontinuity ||= segment.isFirst;
    }
    this.attemptWrite(() => {
      this.stream.captions.settle(first!.startTicks + first!.seconds * TICKS_PER_SECOND);
      folder.append(parts, seconds, {
        programDateTime: this.dateTimeOf(first!.startTicks),
        discontinuity: this.discontinuity,
        marks: this.stream.marks,
        ticks: first!.startTicks,
      });
      this.writeMaster(folder);
      this.discontinuity = false;
      this.hooks.onUp();
    });
  }

  private measure(name: string, { bytes, seconds }: CutSegment): void {
    const rates = this.rates.get(name) ?? new SegmentRates(this.options.segmentSeconds);
    rates.add(bytes * 8, seconds);
    this.rates.set(name, rates);
  }

  private writeMaster(folder: HlsFolder): void {
    const { renditions } = this.options;
    const groups = new Map(renditions.map((rendition) => [audioGroup(rendition), rendition.audios]));
    const audios = [...groups].flatMap(([group, own]) =>
      group === undefined ? [] : own.map((stream) => this.audioRendition(group, stream)),
    );
    const variants = renditions.map((rendition) => this.variant(rendition));
    const text = masterPlaylistText({
      version: 6,
      variants,
      audios,
      captions: this.stream.captions.announced,
      texts: folder.textChannels,
    });
    if (text === this.master) return;
    folder.writeMaster(text);
    this.master = text;
  }

  private variant(rendition: RenditionPlan): Variant {
    const { encodingId, audio, video: videoPlan } = rendition;
    const group = audioGroup(rendition);
    const isAudio = videoPlan === undefined && group !== undefined;
    const folder = isAudio ? audioFolder(audio!) : String(encodingId);
    const { plan, video, range, audioCodec } = this.cutters.get(folder)!;
    return {
      uri: `${folder}/index.m3u8`,
      // Without video the variant is the default track itself, which its group holds as well.
      ...(isAudio ? { bandwidth: 0, averageBandwidth: 0 } : this.ratesOf(folder, plan)),
      codecs: [video?.codecs, audioCodec].filter((codec) => codec !== undefined),
      resolution: videoPlan === undefined ? undefined : (video ?? videoPlan.settings),
      range: videoPlan === undefined ? undefined : range,
      frameRate: videoPlan === undefined || this.plan.copy ? undefined : videoPlan.rate.num / videoPlan.rate.den,
      audioGroup: group,
    };
  }

  private audioRendition(group: string, stream: AudioStreamPlan): AudioRendition {
    const folder = audioFolder(stream);
    const { plan, audioCodec } = this.cutters.get(folder)!;
    const { name, language, isDefault } = stream.track;
    const { codec, channels } = stream.settings;
    return {
      group,
      name,
      language,
      isDefault,
      uri: `${folder}/index.m3u8`,
      codecs: audioCodec,
      // Only the source knows what a copy has.
      channels: codec === 'copy' ? undefined : channels,
      ...this.ratesOf(folder, plan),
    };
  }

  private ratesOf(folder: string, tracks: CutTracks): { bandwidth: number; averageBandwidth: number } {
    const rates = this.rates.get(folder) ?? new SegmentRates(this.options.segmentSeconds);
    const hasCaptions = this.stream.captions.announced.length > 0;
    // Only the source knows the rate of a copy.
    const average = this.plan.copy ? rates.average : transportRate(tracks, hasCaptions);
    return {
      bandwidth: Math.max(expectedPeak(average, this.options.segmentSeconds), rates.peak),
      averageBandwidth: Math.round(average),
    };
  }

  private attemptWrite<T>(task: () => T): T | undefined {
    try {
      return task();
    } catch (error) {
      this.down = true;
      this.folder?.close();
      this.hooks.onDown(`The segments cannot be written: ${(error as Error).message}`);
      return undefined;
    }
  }
}
