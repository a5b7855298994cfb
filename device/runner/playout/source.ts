/** The run's source and its stand-in: which feed is on air, the frame clock, and what is said about them. */
import { AppError } from '../../../domain/errors.ts';
import type { FallbackSpec, PictureSpec, RunReport, RunSpec, SourceSpec } from '../../../domain/run.ts';
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
import type { FanOut } from '../stream/fan-out.ts';
import { SourceFeed } from '../input/source-feed.ts';
import type { RateMeter } from '../encoder/meter.ts';
import type { ChildProcesses } from '../process/child-processes.ts';
import { Compositor } from './compositor.ts';
import { FrameScheduler } from './frame-scheduler.ts';
import {
  missingReporter,
  notSwitched,
  FALLBACK_WORDS,
  reportLost,
  reportRange,
  reportRestored,
  reportStandstill,
  reportSwitch,
} from './source-events.ts';
import { FallbackFile } from './fallback-file.ts';

export interface SourceContext {
  spec: RunSpec;
  cues: Cues;
  plan: LadderPlan;
  runDir: string;
  children: ChildProcesses;
  fanOut: FanOut;
  /** undefined in copy mode. */
  encoder: EncoderSupervisor | undefined;
  events: EventLog;
  clock: Clock;
  meter: RateMeter;
  onChange(): void;
  /** The source can never come: no retry would help. */
  onFailed(reason: string): void;
  /** It was refused, and would be again; half a sentence. */
  onRefused(why: string): void;
}

export type SourceOptions = Pick<RunSpec, 'crop' | 'scteMarkers' | 'fallback'>;

/** A restarted runner shows the fallback after so long without a source: viewers have seen nothing since the old one ended. */
const RESUME_MS = 1000;
/** In copy mode the time without packets until the source counts as lost: more than the distance of two bursts of HLS segments. */
const COPY_SILENT_MS = 3000;
/** A new source on air takes a second at most; this covers the analysis of a slow server and a long distance of keyframes. */
const SWITCH_MS = 5000;

export class Source {
  private readonly context: SourceContext;
  private readonly pool: FramePool;
  private readonly scheduler: FrameScheduler;
  private readonly compositor: Compositor;
  private readonly fallbackFile: FallbackFile;
  /** What is on air, or was and comes back. */
  private feed: SourceFeed;
  /** What is to follow it. */
  private upcoming: SourceFeed | undefined;
  private readonly stopping = new Set<Promise<void>>();
  private crop: Crop | null;
  private fallback: FallbackSpec;
  private timer: NodeJS.Timeout | undefined;
  private lostAt = 0;
  /** Left out: viewers have had it. */
  private reportMissing: ReturnType<typeof missingReporter> | undefined;
  state: RunReport['source']['state'] = 'idle';
  /** Real media has come in this process. */
  seen = false;
  framesIn = 0;
  private skipped = 0;
  private droppedBefore = 0;

  constructor(context: SourceContext) {
    this.context = context;
    const { plan, spec } = context;
    this.crop = spec.crop;
    this.fallback = spec.fallback;
    this.pool = new FramePool(frameBytes(plan.width, plan.height));
    this.compositor = new Compositor({
      ...{ ...context, pool: this.pool },
      write: (frame, audio) => context.encoder?.write(frame, audio) ?? false,
    });
    this.scheduler = new FrameScheduler(plan, spec.fallback.mode, {
      onFrame: (frame, audio) => this.compositor.put(frame, audio),
      onLost: () => this.lost(),
      onRestored: () => this.restored(),
      onSkip: (ticks) => this.stoodStill(ticks),
      mustWait: (lateMs) => context.encoder?.isAwaited(lateMs) === true,
      isFree: () => context.encoder?.isFree !== false,
    });
    this.fallbackFile = new FallbackFile(
      { ...context, pool: this.pool },
      (buffer) => (this.scheduler.fallback = buffer),
    );
    this.feed = this.openFeed(spec.source, this.crop);
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

  /** `resumed`: viewers are waiting already, so they get the fallback when the source does not come at once. */
  start(resumed: boolean): void {
    this.enter('connecting');
    if (!resumed) this.reportMissing = missingReporter(this.context.events);
    this.feed.start();
    this.compositor.start();
    if (this.context.plan.copy) this.timer = setInterval(() => this.watchCopy(), 500);
    else if (resumed) {
      this.scheduler.catchUpFromNow();
      this.timer = setTimeout(() => this.scheduler.start(), RESUME_MS);
    }
  }

  async stop(): Promise<void> {
    this.scheduler.stop();
    clearTimeout(this.timer);
    this.state = 'idle';
    await Promise.all([
      this.feed.stop(),
      this.upcoming?.stop(),
      this.fallbackFile.stop(),
      this.compositor.stop(),
      ...this.stopping,
    ]);
  }

  /** Resolves with a sentence when the first frame that shows it has gone to the encoder. */
  show(picture: PictureSpec): Promise<string> {
    return this.compositor.show(picture);
  }

  /**
   * The other source goes on air with its first frames, from one beat to the next; until then, and when it gives none, this one
   * stays. Rejects with AppError rule_violated, wrong_state or upstream_failed.
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

  /** All of it or, when it rejects, nothing. Rejects as `switchTo` does. */
  async setOptions({ crop, fallback, scteMarkers }: Partial<SourceOptions>): Promise<string> {
    if (fallback?.mode === 'file' && fallback.path === null)
      throw new AppError('rule_violated', 'The fallback file is not on this Device.');
    const sentences: string[] = [];
    if (crop !== undefined) sentences.push(await this.setCrop(crop));
    if (fallback !== undefined) sentences.push(this.setFallback(fallback));
    if (scteMarkers !== undefined) sentences.push(this.setMarkers(scteMarkers));
    return sentences.length === 0 ? 'No option was changed.' : sentences.join(' ');
  }

  preview(width: number): Promise<Buffer> {
    return this.compositor.preview(width);
  }

  private openFeed(source: SourceSpec, crop: Crop | null): SourceFeed {
    const { context } = this;
    let range: string | undefined;
    const feed: SourceFeed = new SourceFeed({ ...context, pool: this.pool, passage: context }, source, crop, {
      onFirstMedia: () => feed === this.feed && this.onFirstMedia(),
      onMedia: () => feed === this.feed && this.onMedia(),
      onReady: () => feed === this.feed && this.begin(),
      onDown: (trouble) => feed === this.feed && this.down(trouble),
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

  /** Answers the seconds that it took. */
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
    // What it gave before it was on air was lost to nobody.
    this.droppedBefore += old.dropped - upcoming.dropped;
    this.scheduler.source = upcoming.buffer;
    this.seen = true;
    this.enter('up');
    void this.fallbackFile.stop();
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

  private setFallback(fallback: FallbackSpec): string {
    this.fallback = fallback;
    this.scheduler.fallbackMode = fallback.mode;
    if (this.context.plan.copy) return 'The fallback is kept; copied video has none.';
    if (fallback.mode !== 'file' || this.state !== 'lost') void this.fallbackFile.stop();
    else this.fallbackFile.start(fallback.path!);
    return `While the source is lost viewers get ${FALLBACK_WORDS[fallback.mode]}.`;
  }

  private onFirstMedia(): void {
    this.seen = true;
    if (this.state === 'connecting') this.enter('up');
    else if (this.context.plan.copy) this.restored();
  }

  private onMedia(): void {
    this.framesIn += 1;
    this.context.meter.frameArrived(this.context.clock.now());
  }

  /** The clock begins with the first frames that are due, so that the first picture is the source's. */
  private begin(): void {
    if (!this.context.plan.copy && !this.scheduler.onAir) this.scheduler.start();
  }

  private watchCopy(): void {
    const silentMs = performance.now() - this.context.fanOut.lastDataAt;
    if (this.state === 'up' && silentMs > COPY_SILENT_MS) this.lost();
    else if (this.state === 'lost' && silentMs < 500) this.restored();
  }

  private down(trouble: SourceTrouble): void {
    if (this.state === 'connecting') this.reportMissing?.(this.feed.source, trouble);
    if (this.context.plan.copy) this.lost();
  }

  private lost(): void {
    if (this.state === 'lost' || (!this.seen && this.context.plan.copy)) return;
    const { source, trouble } = this.feed;
    const { mode, path } = this.fallback;
    this.lostAt = performance.now();
    this.context.fanOut.captions.erase();
    this.enter('lost');
    reportLost(this.context.events, {
      source,
      fallback: this.fallback,
      copy: this.context.plan.copy,
      reason: trouble?.publicMessage,
    });
    if (mode === 'file' && path !== null && !this.context.plan.copy) this.fallbackFile.start(path);
  }

  private restored(): void {
    if (this.state === 'up') return;
    const wasLost = this.state === 'lost';
    this.enter('up');
    void this.fallbackFile.stop();
    if (wasLost) reportRestored(this.context.events, this.feed.source, (performance.now() - this.lostAt) / 1000);
  }

  private stoodStill(ticks: number): void {
    this.skipped += ticks;
    reportStandstill(this.context.events, ticks / fpsOf(this.context.plan.rate));
  }

  private enter(state: RunReport['source']['state']): void {
    this.state = state;
    this.context.onChange();
  }
}
