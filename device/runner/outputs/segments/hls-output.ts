/** HLS with TS segments, cut from the packets without a process of its own. */
import { toIso } from '../../../../domain/clock.ts';
import { masterPlaylistText, type Variant } from '../../../media/manifests/hls-playlist.ts';
import type { LadderPlan, RenditionPlan } from '../../../media/ladder/ladder-plan.ts';
import { TICKS_PER_SECOND } from '../../../media/mpeg-ts/mpeg-ts.ts';
import { segmentTimes } from '../../../media/manifests/segment-rule.ts';
import { expectedPeak, SegmentRates, transportRate } from '../../../media/mpeg-ts/transport-rate.ts';
import { TextSegments } from '../../../media/webvtt/text-segments.ts';
import type { EncodedStream } from '../../stream/encoded-stream.ts';
import type { FanOut, PacketRun, PacketSink } from '../../stream/fan-out.ts';
import type { Attempt, AttemptHooks } from '../attempt.ts';
import { HlsFolder } from './hls-folder.ts';
import { SegmentCutter, type CutSegment } from './segment-cutter.ts';

export interface HlsOptions {
  dir: string;
  /** Key that tokens of viewers are checked with; left out: everybody may watch. */
  accessKey?: string | undefined;
  runId: string;
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
  private readonly cutters: SegmentCutter[];
  private readonly folder: HlsFolder | undefined;
  /** Closed segments that wait for the same one of the other renditions, by encoding id. */
  private readonly waiting = new Map<number, CutSegment[]>();
  private readonly rates = new Map<number, SegmentRates>();
  private discontinuity: boolean;
  private master = '';
  private down = false;

  constructor(options: HlsOptions, plan: LadderPlan, stream: EncodedStream, packets: FanOut, hooks: AttemptHooks) {
    this.options = options;
    this.plan = plan;
    this.stream = stream;
    this.packets = packets;
    this.hooks = hooks;
    const isCut = (from: number, to: number): boolean => stream.marks.isCut(from, to);
    const rule = { ...segmentTimes(plan, options.segmentSeconds), isCut };
    const leader = options.renditions.find(({ video }) => video !== undefined) ?? options.renditions[0];
    this.cutters = options.renditions.map((rendition) => {
      const follows = rendition !== leader && rendition.video === undefined;
      return new SegmentCutter(rendition, { ...rule, follows }, packets.streams, {
        onSegment: (segment) => this.onSegment(rendition.encodingId, segment),
        onBoundary: (ticks) => rendition === leader && this.cutters.forEach((cutter) => cutter.cutAt(ticks)),
        onDropped: () => this.startOver(),
      });
    });
    this.folder = this.openFolder(Math.max(1, Math.round(rule.segmentSeconds)));
    this.discontinuity = this.folder?.isContinued === true;
    if (this.folder !== undefined) packets.attach(this);
  }

  write(run: PacketRun): void {
    for (const cutter of this.cutters) cutter.write(run);
  }

  flush(): void {
    // Segments are written when they are whole.
  }

  /** Writes the rest as the last segment, and the end mark: the encoder has ended before, or the path is switched off. */
  end(): Promise<void> {
    this.packets.detach(this);
    if (!this.down) {
      for (const cutter of this.cutters) cutter.finish();
      this.attemptWrite(() => this.folder?.finish(this.stream.marks));
    }
    this.down = true;
    return Promise.resolve();
  }

  private openFolder(targetSeconds: number): HlsFolder | undefined {
    const { dir, accessKey, runId, renditions, playlistLength, segmentSeconds, timeShiftSeconds } = this.options;
    const length = Math.max(playlistLength, Math.ceil((timeShiftSeconds ?? 0) / segmentSeconds));
    const ids = renditions.map(({ encodingId }) => encodingId);
    const texts = this.options.webvtt === true ? new TextSegments(this.stream.captions.tracks) : undefined;
    return this.attemptWrite(() => new HlsFolder(dir, runId, ids, length, targetSeconds, accessKey, texts));
  }

  private onSegment(encodingId: number, segment: CutSegment): void {
    const queue = this.waiting.get(encodingId) ?? [];
    queue.push(segment);
    this.waiting.set(encodingId, queue);
    if (this.cutters.every(({ plan }) => (this.waiting.get(plan.encodingId)?.length ?? 0) > 0)) this.commit();
  }

  /** Renditions are listed together: a segment that one of them had to give up is missing in all. */
  private startOver(): void {
    const seen = Math.max(0, ...this.cutters.map(({ lastKeyTicks }) => lastKeyTicks ?? 0));
    for (const cutter of this.cutters) cutter.restart(seen);
    this.waiting.clear();
    this.discontinuity = true;
  }

  private commit(): void {
    if (this.down || this.folder === undefined) return;
    const { folder } = this;
    const bytes = new Map<number, Buffer>();
    const seconds: Record<number, number> = {};
    let first: CutSegment | undefined;
    for (const { plan } of this.cutters) {
      const segment = this.waiting.get(plan.encodingId)!.shift()!;
      first ??= segment;
      bytes.set(plan.encodingId, segment.bytes);
      seconds[plan.encodingId] = segment.seconds;
      this.measure(plan.encodingId, segment);
    }
    const dateTime = toIso(Math.round(this.stream.clock.wallMs(first!.startTicks)));
    this.attemptWrite(() => {
      this.stream.captions.settle(first!.startTicks + first!.seconds * TICKS_PER_SECOND);
      folder.append(bytes, seconds, dateTime, this.discontinuity, this.stream.marks, first!.startTicks);
      this.writeMaster(folder);
      this.discontinuity = false;
      this.hooks.onUp();
    });
  }

  private measure(encodingId: number, { bytes, seconds }: CutSegment): void {
    const rates = this.rates.get(encodingId) ?? new SegmentRates(this.options.segmentSeconds);
    rates.add(bytes.length * 8, seconds);
    this.rates.set(encodingId, rates);
  }

  private writeMaster(folder: HlsFolder): void {
    const variants = this.cutters.map((cutter) => this.variant(cutter));
    const text = masterPlaylistText({
      version: 6,
      variants,
      captions: this.stream.captions.announced,
      texts: folder.textChannels,
    });
    if (text === this.master) return;
    folder.writeMaster(text);
    this.master = text;
  }

  private variant({ plan, video, audioCodec }: SegmentCutter): Variant {
    const rates = this.rates.get(plan.encodingId) ?? new SegmentRates(this.options.segmentSeconds);
    // Only the source knows the rate of a copy.
    const average = this.plan.copy ? rates.average : transportRate(plan, this.stream.captions.announced.length > 0);
    return {
      uri: `${plan.encodingId}/index.m3u8`,
      bandwidth: Math.max(expectedPeak(average, this.options.segmentSeconds), rates.peak),
      averageBandwidth: Math.round(average),
      codecs: [video?.codecs, audioCodec].filter((codec) => codec !== undefined),
      resolution: plan.video === undefined ? undefined : (video ?? plan.video.settings),
      frameRate: plan.video === undefined || this.plan.copy ? undefined : plan.video.rate.num / plan.video.rate.den,
    };
  }

  private attemptWrite<T>(task: () => T): T | undefined {
    try {
      return task();
    } catch (error) {
      this.down = true;
      this.hooks.onDown(`The segments cannot be written: ${(error as Error).message}`);
      return undefined;
    }
  }
}
