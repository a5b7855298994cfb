/** The run's source: which feed is on air, the frame clock and the compositor behind it, and changes of them. */
import { AppError } from '../../../domain/errors.ts';
import type { PictureSpec, RunReport, RunSpec, SourceSpec } from '../../../domain/run.ts';
import type { Crop } from '../../../domain/livestream.ts';
import type { Clock } from '../../../domain/clock.ts';
import { FramePool } from '../../media/frames/frame-pool.ts';
import { fpsOf } from '../../media/ladder/frame-rate.ts';
import { cropFilter } from '../../media/arguments/ingest-filters.ts';
import type { LadderPlan } from '../../media/ladder/ladder-plan.ts';
import type { SourceTrouble } from '../../media/ffmpeg-output/source-reason.ts';
import { frameBytes } from '../../media/frames/slate.ts';
import { allowsSecond, collision, refusalOfSource } from '../input/source-rules.ts';
import type { Cues } from '../stream/cues.ts';
import type { EncoderSupervisor } from '../encoder/encoder.ts';
import type { EventLog } from '../process/event-log.ts';
import type { EncodedStream } from '../stream/encoded-stream.ts';
import { SourceFeed } from '../input/source-feed.ts';
import type { RateMeter } from '../encoder/meter.ts';
import type { ChildProcesses } from '../process/child-processes.ts';
import { Compositor } from './compositor.ts';
import { FrameScheduler } from './frame-scheduler.ts';
import type { OutputMonitor } from './output-monitor.ts';
import { notSwitched, reportRange, reportStandstill, reportSwitch } from './source-events.ts';
import { FallbackFile } from './fallback-file.ts';
import { SourceState } from './source-state.ts';

export interface SourceContext {
  spec: RunSpec;
  cues: Cues;
  plan: LadderPlan;
  runDir: string;
  deviceDir: string;
  children: ChildProcesses;
  stream: EncodedStream;
  /** It is undefined in copy mode. */
  encoder: EncoderSupervisor | undefined;
  events: EventLog;
  clock: Clock;
  meter: RateMeter;
  onChange(): void;
  /** The source can never come: no retry would help. */
  onFailed(reason: string): void;
  /** The source was refused, and would be again; `why` is half a sentence. */
  onRefused(why: string): void;
}

export type SourceOptions = Pick<RunSpec, 'crop' | 'scteMarkers' | 'fallback'>;

/** A restarted runner shows the fallback after so long without a source: viewers have seen nothing since the old one ended. */
const RESUME_MS = 1000;
/** A copied source is lost at once when its connection ends, or after so long without packets: more than between two bursts of HLS segments. */
const COPY_SILENT_MS = 3000;
/** A new source on air takes a second at most; this covers the analysis of a slow server and a long distance of keyframes. */
const SWITCH_MS = 5000;

export class Source {
  private readonly context: SourceContext;
  private readonly pool: FramePool;
  private readonly scheduler: FrameScheduler;
  private readonly compositor: Compositor;
  private readonly fallbackFile: FallbackFile;
  /** The feed that is on air, or was and comes back. */
  private feed: SourceFeed;
  /** The feed that is to replace it. */
  private upcoming: SourceFeed | undefined;
  private readonly stopping = new Set<Promise<void>>();
  private crop: Crop | null;
  private readonly status: SourceState;
  private timer: NodeJS.Timeout | undefined;
  framesIn = 0;
  private skipped = 0;
  private droppedBefore = 0;

  constructor(context: SourceContext) {
    this.context = context;
    const { plan, spec } = context;
    this.crop = spec.crop;
    this.pool = new FramePool(frameBytes(plan.width, plan.height));
    this.compositor = new Compositor({
      ...context,
      pool: this.pool,
      write: (frame, audio) => context.encoder?.write(frame, audio) ?? false,
    });
    this.scheduler = new FrameScheduler(plan, spec.fallback.mode, {
      onFrame: (frame, audio, isSlate) => this.compositor.put(frame, audio, isSlate),
      onLost: () => this.status.lost(),
      onRestored: () => this.status.restored(),
      onSkip: (ticks) => this.stoodStill(ticks),
      mustWait: (lateMs) => context.encoder?.isAwaited(lateMs) === true,
      isFree: () => context.encoder?.isFree !== false,
    });
    this.fallbackFile = new FallbackFile(
      { ...context, pool: this.pool },
      (buffer) => (this.scheduler.fallback = buffer),
    );
    const { fallbackFile } = this;
    this.status = new SourceState({ ...context, fallbackFile, feed: () => this.feed }, spec.fallback);
    this.feed = this.openFeed(spec.source, this.crop);
  }

  get state(): RunReport['source']['state'] {
    return this.status.now;
  }

  /** Real media has come in this process. */
  get seen(): boolean {
    return this.status.seen;
  }

  get pid(): number | undefined {
    return this.feed.pid;
  }

  get trouble(): SourceTrouble | undefined {
    return this.feed.trouble;
  }

  get dropped(): number {
    return this.droppedBefore + this.feed.dropped + this.skipped;
  }

  /** In a resumed run viewers are waiting already, so they get the fallback when the source does not come at once. */
  start(resumed: boolean): void {
    this.status.connect(resumed);
    this.feed.start();
    this.compositor.start();
    if (this.context.plan.copy) this.timer = setInterval(() => this.watchCopy(), 500);
    else if (resumed) {
      this.scheduler.beginDoubleRate();
      this.timer = setTimeout(() => this.scheduler.start(), RESUME_MS);
    }
  }

  async stop(): Promise<void> {
    this.scheduler.stop();
    clearTimeout(this.timer);
    this.status.stop();
    await Promise.all([
      this.feed.stop(),
      this.upcoming?.stop(),
      this.fallbackFile.stop(),
      this.compositor.stop(),
      ...this.stopping,
    ]);
  }

  /** Resolves with a sentence when the first frame that shows the change has gone to the encoder. */
  show(picture: PictureSpec): Promise<string> {
    return this.compositor.show(picture);
  }

  /**
   * The other source goes on air with its first frames, from one tick to the next; until then, and when it gives none, this one stays.
   * Rejects with AppError rule_violated, wrong_state or upstream_failed.
   */
  async switchTo(source: SourceSpec, by?: string): Promise<string> {
    const from = this.feed.source;
    if (this.context.plan.copy)
      throw new AppError('rule_violated', 'Copied video cannot be switched; use an Encoding that encodes.');
    const refusal = refusalOfSource(source) ?? collision(source, from);
    if (refusal !== undefined) throw new AppError('rule_violated', refusal);
    const seconds = await this.replace(source, this.crop);
    return reportSwitch(this.context.events, from, source, seconds, by);
  }

  /** Changes all of the options or, when it rejects, none. Rejects as `switchTo` does. */
  async setOptions({ crop, fallback, scteMarkers }: Partial<SourceOptions>): Promise<string> {
    if (fallback?.mode === 'file' && fallback.path === null)
      throw new AppError('rule_violated', 'The fallback file is not on this Device.');
    const sentences: string[] = [];
    if (crop !== undefined) sentences.push(await this.setCrop(crop));
    if (fallback !== undefined) {
      this.scheduler.fallbackMode = fallback.mode;
      sentences.push(this.status.setFallback(fallback));
    }
    if (scteMarkers !== undefined) sentences.push(this.setMarkers(scteMarkers));
    return sentences.length === 0 ? 'No option was changed.' : sentences.join(' ');
  }

  get monitor(): OutputMonitor {
    return this.compositor.monitor;
  }

  private openFeed(source: SourceSpec, crop: Crop | null): SourceFeed {
    const { context } = this;
    let range: string | undefined;
    const feed: SourceFeed = new SourceFeed({ ...context, pool: this.pool, passage: context }, source, crop, {
      onFirstMedia: () => feed === this.feed && this.status.firstMedia(),
      onMedia: () => feed === this.feed && this.onMedia(),
      onReady: () => feed === this.feed && this.begin(),
      onDown: (trouble) => feed === this.feed && this.status.down(trouble),
      onBuffer: (buffer) => {
        if (feed === this.feed) this.scheduler.source = buffer;
      },
      isOnAir: () => feed === this.feed,
      onFacts: (facts, toneMapped) => (range = reportRange(context.events, source, range, facts, toneMapped)),
      onFailed: (reason) => {
        if (feed === this.feed && !this.seen) context.onFailed(reason);
      },
      onRefused: (why) => {
        if (feed === this.feed && !this.seen) context.onRefused(why);
      },
    });
    return feed;
  }

  /** Resolves with the seconds that it took. */
  private async replace(source: SourceSpec, crop: Crop | null): Promise<number> {
    this.assertNoSwitch();
    const startedAt = performance.now();
    const upcoming = this.openFeed(source, crop);
    this.upcoming = upcoming;
    upcoming.start();
    try {
      await upcoming.firstFrames(SWITCH_MS);
    } catch (error) {
      this.release(upcoming);
      throw notSwitched(this.feed.source, source, error as SourceTrouble);
    } finally {
      this.upcoming = undefined;
    }
    if (this.state === 'idle') throw new AppError('wrong_state', 'The encoder is stopping.');
    const old = this.feed;
    this.feed = upcoming;
    this.crop = crop;
    // Nobody has lost what it dropped before it was on air.
    this.droppedBefore += old.dropped - upcoming.dropped;
    this.scheduler.source = upcoming.buffer;
    this.status.replaced();
    this.onMedia();
    this.release(old);
    return (performance.now() - startedAt) / 1000;
  }

  private assertNoSwitch(): void {
    const name = this.upcoming?.source.name;
    if (name !== undefined)
      throw new AppError('wrong_state', `Channel "${name}" is being switched to; wait for the outcome.`);
  }

  private release(feed: SourceFeed): void {
    const stopped = feed.stop();
    this.stopping.add(stopped);
    void stopped.then(() => this.stopping.delete(stopped));
  }

  private async setCrop(crop: Crop | null): Promise<string> {
    if (this.context.plan.copy)
      throw new AppError('rule_violated', 'Copied video cannot be cropped; use an Encoding that encodes.');
    try {
      if (crop !== null) cropFilter(crop);
    } catch (error) {
      throw new AppError('rule_violated', (error as Error).message);
    }
    const what = crop === null ? 'The picture is whole' : 'The picture is cropped';
    const { source } = this.feed;
    if (this.state === 'up' && allowsSecond(source)) {
      await this.replace(source, crop);
      return `${what}; the source was opened a second time for it, without a break.`;
    }
    this.assertNoSwitch();
    this.crop = crop;
    const wasUp = this.state === 'up';
    this.feed.reopen(crop);
    if (!wasUp) return `${what} when the source is back.`;
    const back = await this.feed.firstFrames(SWITCH_MS).then(
      () => true,
      () => false,
    );
    return `${what}; the source was closed and opened for it${back ? '' : ', and is not back yet'}.`;
  }

  private setMarkers(on: boolean): string {
    // The arguments of the next connection depend on it.
    this.context.spec.scteMarkers = on;
    if (!on) return 'Cues of the source are left out.';
    return `Cues of the source are carried${this.feed.cues?.begin() === true ? '; the source is opened anew for it' : ''}.`;
  }

  private onMedia(): void {
    this.framesIn += 1;
    this.context.meter.frameArrived(this.context.clock.now());
  }

  /** The clock begins with the first frames that are due, so that the first frame on air is the source's. */
  private begin(): void {
    if (!this.context.plan.copy && !this.scheduler.onAir) this.scheduler.start();
  }

  private watchCopy(): void {
    const silentMs = performance.now() - this.context.stream.lastDataAt;
    if (this.state === 'up' && silentMs > COPY_SILENT_MS) this.status.lost();
    else if (this.state === 'lost' && silentMs < 500) this.status.restored();
  }

  private stoodStill(ticks: number): void {
    this.skipped += ticks;
    reportStandstill(this.context.events, ticks / fpsOf(this.context.plan.rate));
  }
}
