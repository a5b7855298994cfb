/** The run's source: which feed is on air, the frame clock and the compositor behind it, and changes of them. */
import { AppError } from '../../../domain/base/errors.ts';
import type { PictureSpec, RunSpec, SourceSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import type { Crop } from '../../../domain/shapes/broadcasts/livestream.ts';
import type { SourceStatus, TrackLevels } from '../../../domain/shapes/broadcasts/livestream-status.ts';
import { FramePool } from '../../media/frames/frame-pool.ts';
import { fpsOf } from '../../media/ladder/frame-rate.ts';
import { cropFilter } from '../../media/arguments/ingest-filters.ts';
import { frameBytes } from '../../media/light/frame-form.ts';
import { allowsSecond, collision, isReadAhead, refusalOfSource } from '../input/source-rules.ts';
import { filePosition, type FilePosition } from '../stream/file-position.ts';
import { SourceFeed } from '../input/source-feed.ts';
import type { SourceFormat } from '../input/source-format.ts';
import { Compositor } from './compositor.ts';
import { Failover } from './failover.ts';
import { Feeds } from './feeds.ts';
import { FrameScheduler } from './frame-scheduler.ts';
import type { OutputMonitor } from './output-monitor.ts';
import { rangeReporter, reportFormat, reportMissingTracks, reportStandstill, reportSwitch } from './source-events.ts';
import { FallbackFile } from './fallback-file.ts';
import type { SourceContext } from './source-context.ts';
import { SourceShape } from '../watch/source-shape.ts';
import { SourceSound } from './source-sound.ts';
import { SourceState } from './source-state.ts';
import { playsAsset } from '../../../domain/types/channel-questions.ts';

export type SourceOptions = Pick<RunSpec, 'crop' | 'scteMarkers' | 'fallback' | 'failover' | 'sound' | 'detect'>;

/** A restarted runner shows the fallback after so long without a source: viewers have seen nothing since the old one ended. */
const RESUME_MS = 1000;
/** A copied source is lost at once when its connection ends, or after so long without packets: more than between two bursts of HLS segments. */
const COPY_SILENT_MS = 3000;

export class Source {
  private readonly context: SourceContext;
  private readonly pool: FramePool;
  private readonly scheduler: FrameScheduler;
  private readonly compositor: Compositor;
  private readonly fallbackFile: FallbackFile;
  private readonly feeds: Feeds;
  private readonly failover: Failover;
  private readonly shape: SourceShape;
  readonly sound: SourceSound;
  private readonly status: SourceState;
  private readonly position: FilePosition | undefined;
  private timer: NodeJS.Timeout | undefined;
  framesIn = 0;
  private skipped = 0;

  constructor(context: SourceContext) {
    this.context = context;
    const { plan, spec } = context;
    // A switch leads to live sources alone, so a run has one file.
    this.position = context.opened?.position ?? filePosition(context.runDir, spec.source);
    this.pool = new FramePool(frameBytes(plan));
    this.sound = new SourceSound(spec, plan, context.events);
    this.compositor = new Compositor({
      ...context,
      sound: this.sound.chain,
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
    this.feeds = new Feeds(
      {
        open: (source, crop) => this.openFeed(source, crop),
        onAir: (feed) => this.replaced(feed),
        isStopping: () => this.state === 'idle',
      },
      spec.source,
      spec.crop,
    );
    const open = (source: SourceSpec): SourceFeed => this.openFeed(source, this.feeds.crop);
    const looks = { isSeen: () => this.seen, isOnAir: () => this.scheduler.onAir };
    this.failover = new Failover({ ...context, feeds: this.feeds, open, ...looks });
    this.shape = new SourceShape({ events: context.events, feeds: this.feeds });
  }

  get state(): SourceStatus['state'] {
    return this.status.now;
  }

  /** Real media has come in this process. */
  get seen(): boolean {
    return this.status.seen;
  }

  get pid(): number | undefined {
    return this.feed.pid;
  }

  get dropped(): number {
    return this.feeds.dropped + this.skipped;
  }

  /** In a resumed run viewers wait, and get the fallback when the source does not come at once; in others, after `fallbackMs`. */
  start(resumed: boolean, fallbackMs?: number): void {
    this.status.connect(resumed);
    const { plan, spec, orderedAt } = this.context;
    // A file begins when it was asked for.
    const missedSince = isReadAhead(spec) && plan.hasVideo ? orderedAt : undefined;
    if (!plan.copy && (resumed || missedSince !== undefined))
      this.scheduler.beginDoubleRate(resumed ? undefined : missedSince);
    this.feed.start();
    this.failover.awaitFirst();
    this.compositor.start();
    if (plan.copy) this.timer = setInterval(() => this.watchCopy(), 500);
    else if (resumed) this.timer = setTimeout(() => this.startClock(), RESUME_MS);
    else if (fallbackMs !== undefined) this.timer = setTimeout(() => this.begin(), fallbackMs);
  }

  async stop(): Promise<void> {
    this.scheduler.stop();
    clearTimeout(this.timer);
    this.status.stop();
    this.shape.stop();
    await Promise.all([this.feeds.stop(), this.failover.stop(), this.fallbackFile.stop(), this.compositor.stop()]);
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
    const isWarm = this.failover.takeByHand(source);
    const seconds = isWarm ? 0 : await this.feeds.replace(source, this.feeds.crop);
    if (!isWarm) this.failover.chosen(source);
    return reportSwitch(this.context.events, from, source, seconds, by);
  }

  /** Changes all of the options or, when it rejects, none. Rejects as `switchTo` does. */
  async setOptions(options: Partial<SourceOptions>): Promise<string> {
    const { crop, fallback, scteMarkers, sound, detect, failover } = options;
    if (fallback?.mode === 'file' && fallback.path === null)
      throw new AppError('rule_violated', 'The fallback file is not on this Device.');
    const sentences: string[] = [];
    if (crop !== undefined) sentences.push(await this.setCrop(crop));
    if (fallback !== undefined) {
      this.scheduler.fallbackMode = fallback.mode;
      sentences.push(this.status.setFallback(fallback));
    }
    if (scteMarkers !== undefined) sentences.push(this.setMarkers(scteMarkers));
    if (sound !== undefined) sentences.push(this.sound.set(sound, this.allFeeds));
    if (detect !== undefined) sentences.push(this.sound.detect(detect, this.allFeeds));
    if (failover !== undefined) sentences.push(this.failover.set(failover));
    return sentences.length === 0 ? 'No option was changed.' : sentences.join(' ');
  }

  /** It is called ten times a second. */
  advance(): void {
    this.monitor.detected = this.sound.look(this.state === 'up' ? this.feed : undefined);
    this.monitor.advance();
    if (this.state === 'up') this.feed.notePosition();
    this.shape.look(this.feed);
    if (this.scheduler.onAir) this.failover.look();
  }

  /** The one on air, or awaited, goes first. */
  get allFeeds(): SourceFeed[] {
    const { standby } = this.failover;
    return standby === undefined ? [this.feed] : [this.feed, standby];
  }

  /** Empty where nothing is heard of the source. */
  get levels(): TrackLevels[] {
    return this.state === 'up' ? (this.feed.watch?.levels ?? []) : [];
  }

  /** Undefined where nothing is decoded or no picture expected. */
  get format(): SourceFormat | undefined {
    return this.context.plan.hasVideo ? this.feed.watch?.format : undefined;
  }

  get monitor(): OutputMonitor {
    return this.compositor.monitor;
  }

  private openFeed(source: SourceSpec, crop: Crop | null): SourceFeed {
    const { context } = this;
    const { opened } = context;
    context.opened = undefined;
    const file = playsAsset(source) && this.position && { position: this.position };
    const feed: SourceFeed = new SourceFeed(
      { ...context, ...this.sound.feedParts, pool: this.pool, passage: context, ...file },
      source,
      crop,
      {
        onFirstMedia: () => feed === this.feed && this.status.firstMedia(),
        onMedia: () => feed === this.feed && this.onMedia(),
        onReady: () => this.failover.takes(feed) && this.begin(),
        takes: () => this.failover.takes(feed),
        onDown: (trouble) => feed === this.feed && this.status.down(trouble),
        onBuffer: (buffer) => {
          if (feed === this.feed) this.scheduler.goOnWith(buffer);
        },
        isOnAir: () => feed === this.feed,
        isReadAhead: source === context.spec.source && isReadAhead(context.spec),
        showsBacklog: () => this.scheduler.catchesUp,
        onFacts: rangeReporter(context.events, source, context.plan.light),
        onMisfit: (misfit) => this.shape.misfits(feed, misfit),
        onFormat: (from, to) => reportFormat(context.events, source, from, to),
        onMissing: (tracks) => reportMissingTracks(context.events, source, tracks),
        onFailed: (reason) => this.failover.isGone(feed, () => context.onFailed(reason)),
        onRefused: (why) => this.failover.isGone(feed, () => context.onRefused(why)),
      },
      opened,
    );
    return feed;
  }

  private replaced(feed: SourceFeed): void {
    this.scheduler.source = feed.buffer;
    this.sound.forget();
    this.status.replaced();
    this.onMedia();
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
    this.failover.standby?.reopen(crop);
    if (this.state === 'up' && allowsSecond(source)) {
      await this.feeds.replace(source, crop);
      return `${what}; the source was opened a second time for it, without a break.`;
    }
    const wasUp = this.state === 'up';
    const reopened = this.feeds.reopen(crop);
    if (!wasUp) return `${what} when the source is back.`;
    const back = await reopened;
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
    if (!this.context.plan.copy && !this.scheduler.onAir) this.startClock();
  }

  private startClock(): void {
    this.context.encoder?.begin(this.feed.watch?.mastering);
    this.scheduler.start();
    this.failover.start();
  }

  private watchCopy(): void {
    const silentMs = performance.now() - this.context.stream.lastDataAt;
    if (this.state === 'up' && silentMs > COPY_SILENT_MS) this.status.lost();
    else if (this.state === 'lost' && silentMs < 500) this.status.restored();
  }

  private get feed(): SourceFeed {
    return this.feeds.onAir;
  }

  private stoodStill(ticks: number): void {
    this.skipped += ticks;
    reportStandstill(this.context.events, ticks / fpsOf(this.context.plan.rate));
  }
}
