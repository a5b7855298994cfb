/**
 * The encoded stream of a run: media in one of two forms, its time on the clock, the cues in it, and the captions of its frames. Outlives
 * encoders: to a Destination a restarted encoder is only a short pause.
 */
import { systemClock } from '../../../domain/time/clock.ts';
import type { LadderPlan } from '../../media/ladder/ladder-plan.ts';
import { Captions } from './captions.ts';
import type { CopiedFormat } from './copied-format.ts';
import { CueInserter } from './cue-inserter.ts';
import { CueMarks } from './cue-marks.ts';
import { FanOut } from './fan-out.ts';
import { FragmentBus } from './fragment-bus.ts';
import type { EmittedMedia, MediaBus, MediaBusHooks, UnitCount } from './media-bus.ts';
import { SplicePoints } from './splice-points.ts';
import { StreamClock } from './stream-clock.ts';

/** Packets of a transport stream; or fragments of MP4 for codecs that a transport stream cannot hold. */
export type StreamMedia = { packets: FanOut; fragments?: undefined } | { packets?: undefined; fragments: FragmentBus };

export interface EncodedStreamDeps {
  clock?: StreamClock;
  marks?: CueMarks;
  /** The first media has come. */
  onStarted?(): void;
}

export class EncodedStream {
  readonly media: StreamMedia;
  readonly clock: StreamClock;
  readonly marks: CueMarks;
  readonly captions: Captions;
  readonly splicePoints: SplicePoints;
  private readonly bus: MediaBus;
  private readonly cues: CueInserter;
  private readonly watchers = new Set<(newest: number) => void>();
  private firstMediaAt: number | undefined;
  /** Takes what a copied source was coded as, and is from the next keyframe on. */
  onFormat: ((from: CopiedFormat, to: CopiedFormat) => void) | undefined;
  /** Takes the stream of a copied source whose codec is not that of its connection any more. */
  onForeign: MediaBusHooks['onForeign'];

  /** Without a clock or marks of a run the stream has some of its own, which nobody keeps. */
  constructor(plan: LadderPlan, { clock, marks, onStarted }: EncodedStreamDeps = {}) {
    this.clock = clock ?? new StreamClock(systemClock);
    this.marks = marks ?? new CueMarks(this.clock);
    this.captions = new Captions(plan);
    this.splicePoints = new SplicePoints(plan);
    const hooks: MediaBusHooks = {
      onStarted: () => {
        this.firstMediaAt = this.bus.lastDataAt;
        onStarted?.();
      },
      onFrame: (pts, isKey) => this.onFrame(pts, isKey),
      onFormat: (from, to) => this.onFormat?.(from, to),
      onForeign: (kind) => this.onForeign?.(kind),
    };
    const { firstSeconds } = this.clock;
    this.media = plan.fragmented
      ? { fragments: new FragmentBus(plan, firstSeconds, hooks) }
      : { packets: new FanOut(plan, firstSeconds, this.captions, hooks) };
    if (this.media.packets !== undefined) this.media.packets.goesOn = this.clock.goesOn;
    this.bus = this.media.packets ?? this.media.fragments;
    this.cues = new CueInserter(this.media.packets);
  }

  /** Instant at which the first media left an encoder, on the steady clock. */
  get startedAt(): number | undefined {
    return this.firstMediaAt;
  }

  get hasStarted(): boolean {
    return this.firstMediaAt !== undefined;
  }

  get lastDataAt(): number {
    return this.bus.lastDataAt;
  }

  get nextSeconds(): number {
    return this.bus.nextSeconds;
  }

  get emitted(): EmittedMedia {
    return this.bus.emitted;
  }

  newWriter(): void {
    this.bus.newWriter();
  }

  takeCount(pid: number): UnitCount {
    return this.bus.takeCount(pid);
  }

  /** `onFrame` is called with each frame of the leading track, and the newest time so far. */
  watch(onFrame: (newest: number) => void): void {
    this.watchers.add(onFrame);
  }

  insertCue(section: Buffer): void {
    this.cues.insertCue(section, this.splicePoints.newestTicks);
  }

  insertTag(tag: Buffer, onSent: (ticks: number) => void): () => void {
    return this.cues.insertTag(tag, this.splicePoints.newestTicks, onSent);
  }

  private onFrame(pts: number, isKey: boolean): void {
    const { splicePoints } = this;
    this.cues.sendDue(splicePoints.newestTicks);
    splicePoints.note(pts, isKey);
    this.clock.observe(pts);
    for (const watcher of this.watchers) watcher(splicePoints.newestTicks!);
  }
}
