/** Keeps a source coming in: starts its ffmpeg, finds out what the source has, reconnects with growing pauses. */
import { retryDelayMs } from '../../../domain/time/back-off.ts';
import { NetworkRefusal } from '../../../domain/network/networks.ts';
import type { IngestInput, Shape } from '../../media/arguments/ingest-args.ts';
import type { SourceFacts } from '../../media/ffmpeg-output/source-facts.ts';
import { sourceReason, SourceTrouble } from '../../media/ffmpeg-output/source-reason.ts';
import { isStopped } from '../../process.ts';
import { OwnReading } from '../copies/own-reading.ts';
import type { Child } from '../process/child.ts';
import { endOfChild, otherShape, refusalOfChild, troubleOfChild, mayWaitOf, type SourceReader } from './ingest-end.ts';
import {
  BACK_OFF,
  FINAL_REFUSALS,
  FIRST_MEDIA_MS,
  HEALTHY_MS,
  MIN_WAIT_MS,
  SILENT_MS,
  STOPPED_MS,
} from './ingest-limits.ts';
import type { IngestHooks } from './ingest-hooks.ts';
import { spawnOptions, type IngestKind } from './ingest-kinds.ts';
import { liveRateOf, PAUSE_MS, type LiveRate } from './live-rate.ts';
import { SourceUnavailable, type InputOpener } from './source-opener.ts';
import type { ChildProcesses } from '../process/child-processes.ts';

export interface IngestOptions {
  children: ChildProcesses;
  name: string;
  openInput: InputOpener;
  kind: IngestKind;
  /** An orderly end is the end of the source, as with a file that does not loop. */
  finite: boolean;
  hooks: IngestHooks;
}

export class Ingest {
  private readonly options: Omit<IngestOptions, 'kind' | 'hooks'>;
  private input: IngestInput | undefined;
  private kind: IngestKind;
  private hooks: IngestHooks;
  private shape: Shape;
  private shapeTries = 0;
  private child: SourceReader | undefined;
  private timer: NodeJS.Timeout | undefined;
  private watchdog: NodeJS.Timeout | undefined;
  private pauseTimer: NodeJS.Timeout | undefined;
  private readonly ending = new AbortController();
  private attempts = 0;
  private spawnedAt = 0;
  private lastMediaAt = 0;
  private hasMedia = false;
  private hasBeenOnAir = false;
  private reopening = false;
  /** A web address holds a file when it has an end, or comes as fast as it is read, or is no stream of packets. */
  private isFile = false;
  private liveRate: LiveRate | undefined;
  private stopped = true;
  private refusals = 0;
  private lastError: SourceTrouble | undefined;

  constructor({ kind, hooks, ...options }: IngestOptions) {
    this.options = options;
    this.kind = kind;
    this.hooks = hooks;
    this.shape = kind.firstShape;
  }

  get pid(): number | undefined {
    return this.child?.alive === true ? this.child.pid : undefined;
  }

  /** The known reason why nothing comes. */
  get trouble(): SourceTrouble | undefined {
    const { child } = this;
    return this.input?.relay?.trouble ?? (child?.lastStderr === undefined ? this.lastError : troubleOfChild(child));
  }

  start(): void {
    if (!this.stopped || this.ending.signal.aborted) return;
    this.stopped = false;
    this.watchdog = setInterval(() => this.watch(), 250);
    void this.connect();
  }

  /** Ends within 350 ms, and does not start again. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.ending.abort();
    clearTimeout(this.timer);
    clearTimeout(this.pauseTimer);
    clearInterval(this.watchdog);
    // A signal lets ffmpeg say goodbye: an SRT peer that hears nothing believes itself connected for five seconds more.
    await this.child?.end(0);
  }

  /** Connects anew at once, with the arguments of this moment; with `forgets` the next connection may have other streams. */
  reopen(forgets = false): void {
    if (this.stopped) return;
    if (forgets) this.forgetShape();
    if (this.child?.alive === true) {
      this.reopening = true;
      void this.child.end(0);
    } else if (this.timer !== undefined) {
      clearTimeout(this.timer);
      void this.connect();
    }
  }

  /**
   * Gives the connection to another reader, which goes on with it before any media has come: `lines` are what its ffmpeg has said. Without
   * them it is opened anew, because the arguments are others.
   */
  handOver(kind: IngestKind, hooks: IngestHooks, lines: readonly string[] | undefined): void {
    this.kind = kind;
    this.hooks = hooks;
    const { child } = this;
    if (lines === undefined || child?.alive !== true || child instanceof OwnReading) return this.reopen();
    this.read(child);
    for (const line of lines) child.onLine?.(line);
  }

  private async connect(): Promise<void> {
    this.timer = undefined;
    let opened: IngestInput;
    try {
      opened = await this.options.openInput(this.ending.signal);
    } catch (error) {
      const { message } = error as Error;
      const isFinal = error instanceof SourceUnavailable || (error instanceof NetworkRefusal && !this.hasBeenOnAir);
      if (isFinal) return this.fail(message);
      const trouble = error instanceof SourceTrouble ? error : new SourceTrouble(message);
      this.countRefusal(trouble.isRefusal, trouble);
      return this.down(trouble);
    }
    if (this.stopped) return opened.relay?.close();
    const input = this.chosenInput(opened);
    this.input = input;
    // The next pusher may have audio where the one before had none.
    if (input.readsStdin === true && this.hasMedia) this.forgetShape();
    const child = (this.child = this.kind.own?.(input) ?? this.spawn(input));
    this.hasMedia = false;
    this.spawnedAt = performance.now();
    this.lastMediaAt = this.spawnedAt;
    this.read(child);
    if (input.list !== undefined) child.input(0).end(input.list);
    if (input.feed !== undefined) input.feed.attach(child.input(0), { mayWait: mayWaitOf(child) });
    else if (input.readsStdin === true) this.hooks.onNeedsInput?.(child.input(0), mayWaitOf(child));
    void child.ended.then(({ code, signal }) => this.onEnded(child, code, signal ?? `exit code ${code}`));
  }

  private spawn(input: IngestInput): Child {
    const { children, name } = this.options;
    return children.spawn(name, this.kind.args(input, this.shape), spawnOptions(this.kind, input));
  }

  private read(child: SourceReader): void {
    this.liveRate = undefined;
    if (child instanceof OwnReading) return child.begin(() => this.onMedia(child));
    delete child.onLine;
    const { kind } = this;
    const isWanted = this.input!.comesLive === true && kind.showsBacklog?.() === true;
    const isUnpaced = isWanted || this.shape === 'audio';
    const liveRate = liveRateOf(this.input!, isUnpaced ? undefined : kind.framesPerSecond);
    this.liveRate = liveRate;
    this.kind.connect(child, this.shape, {
      onMedia: (isBeside) => this.onMedia(child, isBeside),
      accepts: (facts) => this.accepts(facts),
      ...(liveRate !== undefined && { hasSettled: () => liveRate.isLive }),
    });
  }

  private chosenInput({ asLive, ...plain }: IngestInput): IngestInput {
    const isPaced = this.kind.framesPerSecond !== undefined && this.shape !== 'audio';
    return asLive === undefined || !isPaced || this.isFile ? plain : { ...plain, ...asLive, asLive };
  }

  private forgetShape(): void {
    this.kind.forget?.();
    this.shape = this.kind.firstShape;
    this.shapeTries = 0;
  }

  private onMedia(child: SourceReader, isBeside = false): void {
    if (child !== this.child || this.stopped) return;
    this.lastMediaAt = performance.now();
    if (!this.hasMedia) {
      this.hasMedia = true;
      this.hasBeenOnAir = true;
      this.hooks.onFirstMedia();
    }
    const { liveRate } = this;
    if (!isBeside) liveRate?.frame(this.lastMediaAt);
    this.hooks.onMedia?.();
    if (liveRate === undefined || this.isFile || isBeside) return;
    if (liveRate.isFile) {
      this.isFile = true;
      this.reopen();
    } else if (!liveRate.isLive) this.awaitPause(liveRate);
  }

  /** A pause shows in nothing that comes, so a timer looks for it. */
  private awaitPause(liveRate: LiveRate): void {
    clearTimeout(this.pauseTimer);
    this.pauseTimer = setTimeout(() => {
      // An ffmpeg that has ended gives nothing either.
      const isSame = liveRate === this.liveRate && this.child?.alive === true && !this.stopped;
      if (isSame && liveRate.pause(performance.now())) this.hooks.onLive?.();
    }, PAUSE_MS);
  }

  /** A source with an end, or one that is no stream of packets, is opened anew and read at its own rate. */
  private accepts({ hasLength, demuxer }: SourceFacts): boolean {
    this.reopening ||= demuxer === 'hls' && this.isNewPlaylist();
    if (this.reopening) return false;
    if (this.input?.asLive === undefined) return true;
    this.isFile = hasLength || demuxer === 'hls';
    return !this.isFile;
  }

  private isNewPlaylist(): boolean {
    return this.input?.feed === undefined && this.hooks.onPlaylist?.() === true;
  }

  private onEnded(child: SourceReader, code: number | null, how: string): void {
    this.input?.relay?.close();
    if (this.stopped) return;
    if (this.reopening) {
      this.reopening = false;
      return void this.connect();
    }
    // All that it has came in one burst: a live source does not end with that, a short file does.
    const isBurst = this.input?.asLive !== undefined && this.liveRate?.isLive === false;
    const isShort = this.hasMedia && code === 0 && !this.isFile && isBurst;
    this.isFile ||= isShort;
    const repeats = this.hasMedia && code === 0 && this.input?.goesOn === true;
    const isGivenBack = child instanceof OwnReading && child.isGivenBack;
    const goesOn = isShort || repeats || isGivenBack || this.hooks.continues?.() === true;
    if (goesOn || (!this.hasMedia && this.adapts(child.recentStderr))) return void this.connect();
    const refusal = refusalOfChild(child);
    // A source that has been on air may answer a page of its own for a moment, and comes back.
    if (refusal !== undefined && !this.hasBeenOnAir) return this.fail(refusal);
    const finished = this.options.finite && this.hasMedia && code === 0;
    const known =
      refusal === undefined ? (this.input?.feed ?? this.input?.feeder)?.trouble : new SourceTrouble(refusal);
    const reason = finished ? new SourceTrouble('the file has ended') : (known ?? endOfChild(child, how));
    this.countRefusal(!this.hasMedia && sourceReason(child.recentStderr)?.isRefusal === true, reason);
    if (this.hasMedia && performance.now() - this.spawnedAt > HEALTHY_MS) this.attempts = 0;
    this.down(reason, finished);
  }

  /** One refusal alone may be a server that is being set up, or a key that is being rotated. */
  private countRefusal(isRefusal: boolean, reason: SourceTrouble): void {
    this.refusals = isRefusal ? this.refusals + 1 : 0;
    if (this.refusals >= FINAL_REFUSALS) this.hooks.onRefused?.(reason.message);
  }

  private fail(reason: string): void {
    this.lastError = new SourceTrouble(reason);
    this.hooks.onFailed?.(reason);
  }

  /** Tells whether it can be tried again at once, in another way. */
  private adapts(stderr: string): boolean {
    if (this.input?.asLive !== undefined) {
      this.isFile ||= /Option scan_all_pmts not found/u.test(stderr);
      if (this.isFile) return true;
    }
    if (/of playlist \d/u.test(stderr) && this.isNewPlaylist()) return true;
    if (this.kind.adapts?.(stderr) === true) return true;
    const shape = this.shapeTries < 2 ? otherShape(stderr, this.shape) : undefined;
    if (shape === undefined) return false;
    this.shapeTries += 1;
    this.shape = shape;
    return true;
  }

  private down(reason: SourceTrouble, finished = false): void {
    if (this.stopped) return;
    this.lastError = reason;
    this.hooks.onDown(reason);
    if (finished) return;
    const hasListened = this.hasMedia || performance.now() - this.spawnedAt > MIN_WAIT_MS;
    const againMs = hasListened ? this.input?.listens?.againMs : undefined;
    this.attempts = againMs === undefined ? this.attempts + 1 : 0;
    const pauseMs = againMs ?? retryDelayMs(BACK_OFF, this.attempts, Math.random());
    this.timer = setTimeout(() => void this.connect(), pauseMs);
  }

  private watch(): void {
    const silentMs = performance.now() - this.lastMediaAt;
    const { pid, child } = this;
    if (child?.alive !== true) return;
    const isListening = !this.hasMedia && this.input?.listens !== undefined;
    const isSilent = !isListening && silentMs > (this.hasMedia ? SILENT_MS : FIRST_MEDIA_MS);
    const hasStopped = silentMs > STOPPED_MS && pid !== undefined && isStopped(pid);
    if (isSilent || hasStopped) child.kill('SIGKILL');
  }
}
