/** One source coming in: its ingest, its listener when it is pushed to us, and the frames that wait to go on air. */
import { setTimeout as delay } from 'node:timers/promises';
import { withDeadline } from '../../../domain/time/deadline.ts';
import type { Crop } from '../../../domain/shapes/broadcasts/livestream.ts';
import type { SourceSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import type { FramePool } from '../../media/frames/frame-pool.ts';
import { fpsOf } from '../../media/ladder/frame-rate.ts';
import type { LadderPlan } from '../../media/ladder/ladder-plan.ts';
import { SourceTrouble } from '../../media/ffmpeg-output/source-reason.ts';
import type { SourceBuffer } from '../../media/frames/source-buffer.ts';
import type { SourceFacts } from '../../media/ffmpeg-output/source-facts.ts';
import type { CopiedFormat } from '../stream/copied-format.ts';
import type { EncodedStream } from '../stream/encoded-stream.ts';
import type { EncoderSupervisor } from '../encoder/encoder.ts';
import { gapReporter, PACKETS, SEGMENTS } from '../watch/source-gaps.ts';
import { copyKind } from '../copies/copy-kind.ts';
import { givenBackReporter } from '../copies/given-back.ts';
import { rawKind } from './ingest-kinds.ts';
import type { ChildProcesses } from '../process/child-processes.ts';
import type { FilePosition } from '../stream/file-position.ts';
import { SourceConnection } from './source-connection.ts';
import { SourceCaptions } from './source-captions.ts';
import type { PictureFormat } from './source-format.ts';
import { SourceWatch } from './source-watch.ts';
import type { Misfit } from '../watch/stream-watch.ts';
import { rawTicks, SourceCues, type CueDeps } from './source-cues.ts';

/** The window holds more than three frames at 25 a second; it moves in steps, because a burst ends at any time. */
const WINDOW_MS = 120;
const STEP_MS = 20;
const MAX_STEPS = 48;
/** A source that is there gives its first picture within this, beyond the time for which every gap is hidden. */
const READING_MS = 2400;
/** The level of silence, unless the Live stream sets another. */
const SILENCE_DB = -60;

export interface FeedDeps {
  deviceDir: string;
  plan: LadderPlan;
  pool: FramePool;
  children: ChildProcesses;
  stream: EncodedStream;
  /** dBFS that nothing of silence exceeds. */
  silenceDb?: number;
  /** Sound leaves so much later than its picture. */
  soundDelayMs?: number;
  /** Cues of the source are not carried when this is left out. */
  passage?: CuePassage;
  /** How far the source's file has been played; left out: it begins anew with each connection. */
  position?: FilePosition;
}

/** The way of a source's cues to the stream; `encoder` is undefined in copy mode. */
export interface CuePassage extends CueDeps {
  encoder: EncoderSupervisor | undefined;
}

export interface FeedHooks {
  /** The first media of a connection has come. */
  onFirstMedia(): void;
  /** A frame has come, or some audio of a source without video, or some packets in copy mode. */
  onMedia(): void;
  /** A frame can be taken now. */
  onReady?(): void;
  /** Copied packets have come: returns whether they go on air. Left out: they do. */
  takes?(): boolean;
  onDown(reason: SourceTrouble): void;
  /** A connection begins: its frames come into this buffer. */
  onBuffer(buffer: SourceBuffer): void;
  /** Takes what a connection has found in the source, with its first frame; `toneMapped` holds for HDR. */
  onFacts?(facts: SourceFacts, toneMapped: boolean): void;
  /** The source gives other streams by now than its connection takes. */
  onMisfit?(misfit: Misfit): void;
  /** The pictures have another form from now on, or what is copied is coded in another way. */
  onFormat?<T extends PictureFormat | CopiedFormat>(from: T, to: T): void;
  /** Takes the numbers of audio tracks that the source lacks. Left out for a file that stands in for a source, in every language. */
  onMissing?(tracks: number[]): void;
  /** The source can never come: no retry would help. */
  onFailed(reason: string): void;
  /** The other end has refused the source, and so will the next time. */
  onRefused?(why: string): void;
  /** The source is a file that is read as its frames are taken. */
  isReadAhead?: boolean;
  /** Viewers have missed what the source gives at once at its beginning, and are to see it. */
  showsBacklog?(): boolean;
  /** Viewers see this source, not one that it is about to replace or has replaced; its cues are carried. */
  isOnAir?(): boolean;
}

export class SourceFeed {
  readonly source: SourceSpec;
  private readonly plan: LadderPlan;
  private readonly connection: SourceConnection;
  readonly cues: SourceCues | undefined;
  /** It is undefined in copy mode: nothing is decoded. */
  readonly watch: SourceWatch | undefined;
  private readonly captions: SourceCaptions | undefined;
  private readonly hooks: FeedHooks;
  private crop: Crop | null;
  private waiter: { resolve(): void; reject(error: Error): void } | undefined;
  private droppedBefore = 0;
  private delayMs: number;
  private isReadAnew = false;
  /** The instant of performance.now() of the present connection's first media. */
  private firstMediaAt: number | undefined;
  buffer: SourceBuffer | undefined;

  /** `opened` is a connection to the source that goes on in this feed. */
  constructor(deps: FeedDeps, source: SourceSpec, crop: Crop | null, hooks: FeedHooks, opened?: SourceConnection) {
    const { deviceDir, plan, pool, children, stream, passage, silenceDb = SILENCE_DB, soundDelayMs = 0 } = deps;
    this.delayMs = soundDelayMs;
    this.watch = plan.copy ? undefined : new SourceWatch(plan, silenceDb, (from, to) => hooks.onFormat?.(from, to));
    this.source = source;
    this.plan = plan;
    this.crop = crop;
    this.hooks = hooks;
    const isOnAir = (): boolean => hooks.isOnAir?.() === true;
    this.cues = passage && new SourceCues(source, { ...passage, isOnAir }, () => this.connection.reopen());
    if (passage !== undefined && plan.hasVideo && !plan.copy) {
      const { events } = passage;
      this.captions = new SourceCaptions(source, { captions: stream.captions, events, fps: fpsOf(plan.rate), isOnAir });
    }
    const rawCues = this.cues && {
      reader: this.cues,
      outTicks: ({ nextFrame }: SourceBuffer, seconds: number) =>
        rawTicks(seconds, nextFrame, fpsOf(plan.rate), passage?.encoder?.frontTicks),
    };
    const kind = plan.copy
      ? copyKind(source, plan, stream, () => hooks.takes?.() !== false, {
          cues: this.cues,
          hooks: {
            ...hooks,
            onGivenBack: givenBackReporter(passage?.events, source),
            onLost: passage && gapReporter(passage.events, source, PACKETS),
          },
        })
      : rawKind(source, plan, pool, (buffer) => this.replaceBuffer(buffer), {
          hooks: {
            crop: () => this.crop,
            onFacts: (facts, toneMapped) => hooks.onFacts?.(facts, toneMapped),
            isReadAhead: hooks.isReadAhead === true,
            reopen: () => this.connection.reopen(),
            showsBacklog: () => hooks.showsBacklog?.() === true,
            ...(hooks.onMisfit !== undefined && { onMisfit: (misfit) => hooks.onMisfit?.(misfit) }),
            ...(hooks.onMissing !== undefined && { onMissing: (tracks) => hooks.onMissing?.(tracks) }),
          },
          cues: rawCues,
          captions: this.captions,
          watch: this.watch,
        });
    this.connection = opened ?? new SourceConnection(children, deviceDir, source);
    this.connection.position = deps.position;
    this.connection.onGap = passage && gapReporter(passage.events, source, SEGMENTS);
    this.connection.take(kind, {
      onFirstMedia: () => {
        this.firstMediaAt = performance.now();
        this.isReadAnew = false;
        hooks.onFirstMedia();
      },
      onMedia: () => this.onMedia(),
      onLive: () => this.begin(),
      onDown: (reason) => hooks.onDown(reason),
      onFailed: (reason) => this.fail(reason),
      onRefused: (why) => {
        hooks.onRefused?.(why);
        this.settle(this.trouble ?? new SourceTrouble(why));
      },
    });
  }

  get pid(): number | undefined {
    return this.connection.pid;
  }

  get trouble(): SourceTrouble | undefined {
    return this.connection.trouble;
  }

  get dropped(): number {
    return this.droppedBefore + (this.buffer?.dropped ?? 0);
  }

  start(): void {
    this.connection.start();
  }

  /** Notes how far a file has been shown. It is called while this feed is on air. */
  notePosition(): void {
    const { position } = this.connection;
    if (position === undefined || this.firstMediaAt === undefined || this.pid === undefined) return;
    const { hasVideo, copy, rate } = this.plan;
    const frames = hasVideo && !copy ? this.buffer?.nextFrame : undefined;
    position.shown(frames === undefined ? (performance.now() - this.firstMediaAt) / 1000 : frames / fpsOf(rate));
  }

  async stop(): Promise<void> {
    this.settle(new SourceTrouble('it was given up'));
    this.captions?.close();
    await this.connection.stop();
    this.buffer?.clear();
  }

  /** Positive: sound leaves later than its picture. It is in force from the next frame on. */
  set soundDelayMs(ms: number) {
    this.delayMs = ms;
    if (this.buffer !== undefined) this.buffer.soundDelayMs = ms;
  }

  /** Opens the source anew, to take what it has by now. The last picture is held for longer meanwhile. */
  readAnew(): void {
    this.isReadAnew = true;
    if (this.buffer !== undefined) this.buffer.graceMs = READING_MS;
    this.connection.reopen(true);
  }

  /** Opens the source anew, with this crop; a pusher stays connected. */
  reopen(crop: Crop | null): void {
    this.crop = crop;
    this.connection.reopen();
  }

  /**
   * Resolves when a frame can be taken and frames come at their own rate. Rejects with the reason when none can be taken within `ms`, none
   * can ever be, or the other end has refused twice.
   */
  async firstFrames(ms: number): Promise<void> {
    const ready = new Promise<void>((resolve, reject) => (this.waiter = { resolve, reject }));
    await withDeadline(ready, ms, () => {
      throw this.trouble ?? new SourceTrouble('it accepts the connection or waits, but gives nothing');
    });
    await this.steady();
    this.buffer?.trim();
  }

  /** ffmpeg gives what it has analysed all at once: on air those frames would push each other out, and pictures would jump. */
  private async steady(): Promise<void> {
    // Such a buffer was not ready before its source came at its own rate.
    if (this.buffer?.wasHeldBack === true) return;
    const maxFrames = fpsOf(this.plan.rate) * (WINDOW_MS / 1000) * 1.6;
    const arrived: number[] = [];
    for (let step = 0; step < MAX_STEPS; step += 1) {
      arrived.push(this.buffer?.arrived ?? 0);
      await delay(STEP_MS);
      const earlier = arrived.at(-WINDOW_MS / STEP_MS);
      if (earlier !== undefined && (this.buffer?.arrived ?? 0) - earlier <= maxFrames) return;
    }
  }

  private fail(reason: string): void {
    this.hooks.onFailed(reason);
    this.settle(new SourceTrouble(reason));
  }

  private settle(error?: Error): void {
    const { waiter } = this;
    this.waiter = undefined;
    if (error === undefined) waiter?.resolve();
    else waiter?.reject(error);
  }

  private onMedia(): void {
    this.hooks.onMedia();
    this.begin();
  }

  private begin(): void {
    if (this.buffer?.ready !== true) return;
    this.settle();
    this.hooks.onReady?.();
  }

  private replaceBuffer(buffer: SourceBuffer): void {
    this.droppedBefore += this.buffer?.dropped ?? 0;
    // On air, the frames that are left are shown first.
    if (this.hooks.isOnAir?.() !== true) this.buffer?.clear();
    this.watch?.restart();
    this.buffer = buffer;
    if (this.isReadAnew) buffer.graceMs = READING_MS;
    buffer.soundDelayMs = this.delayMs;
    this.hooks.onBuffer(buffer);
  }
}
