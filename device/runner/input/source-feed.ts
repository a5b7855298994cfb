/** One source coming in: its ingest, its door when it is pushed to us, and the frames that wait to go on air. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Crop } from '../../../domain/livestream.ts';
import type { SourceSpec } from '../../../domain/run.ts';
import type { FramePool } from '../../media/frames/frame-pool.ts';
import { fpsOf } from '../../media/ladder/frame-rate.ts';
import type { LadderPlan } from '../../media/ladder/ladder-plan.ts';
import { SourceTrouble } from '../../media/ffmpeg-output/source-reason.ts';
import type { SourceBuffer } from '../../media/frames/source-buffer.ts';
import type { SourceFacts } from '../../media/ffmpeg-output/source-facts.ts';
import type { FanOut } from '../stream/fan-out.ts';
import { Ingest } from './ingest.ts';
import type { EncoderSupervisor } from '../encoder/encoder.ts';
import { copyKind, rawKind } from './ingest-kinds.ts';
import type { ChildProcesses } from '../process/child-processes.ts';
import { RtmpListener } from './rtmp-listener.ts';
import { SourceCaptions } from './source-captions.ts';
import { rawTicks, SourceCues, type CueParts } from './source-cues.ts';
import { sourceOpener } from './source-opener.ts';

/** Over three frames at 25 a second and more; looked at in steps, for a rush ends at any time. */
const WINDOW_MS = 120;
const STEP_MS = 20;
const MAX_STEPS = 48;

export interface FeedParts {
  plan: LadderPlan;
  pool: FramePool;
  children: ChildProcesses;
  fanOut: FanOut;
  /** Left out: cues of the source are nobody's. */
  passage?: CuePassage;
}

/** How cues of a source reach the stream; `encoder` undefined: in copy mode. */
export interface CuePassage extends CueParts {
  encoder: EncoderSupervisor | undefined;
}

export interface FeedHooks {
  /** The first media of a connection. */
  onFirstMedia(): void;
  /** A frame, or some sound of a source without pictures, or some packets in copy mode. */
  onMedia(): void;
  /** What is due can be taken. */
  onReady?(): void;
  onDown(reason: SourceTrouble): void;
  /** A connection begins: its frames come into this buffer. */
  onBuffer(buffer: SourceBuffer): void;
  /** What a connection has found in the source, with its first picture; `toneMapped` holds for HDR. */
  onFacts?(facts: SourceFacts, toneMapped: boolean): void;
  /** The source can never come: no retry would help. */
  onFailed(reason: string): void;
  /** Its other end has refused it, and so will the next time. */
  onRefused?(why: string): void;
  /** Viewers see this source, not one that it is about to replace or has replaced; its cues are carried. */
  isOnAir?(): boolean;
}

export class SourceFeed {
  readonly source: SourceSpec;
  private readonly plan: LadderPlan;
  private readonly ingest: Ingest;
  readonly cues: SourceCues | undefined;
  private readonly captions: SourceCaptions | undefined;
  private readonly listener: RtmpListener | undefined;
  private readonly hooks: FeedHooks;
  private crop: Crop | null;
  private waiter: { resolve(): void; reject(error: Error): void } | undefined;
  private droppedBefore = 0;
  buffer: SourceBuffer | undefined;

  constructor(parts: FeedParts, source: SourceSpec, crop: Crop | null, hooks: FeedHooks) {
    const { plan, pool, children, fanOut, passage } = parts;
    this.source = source;
    this.plan = plan;
    this.crop = crop;
    this.hooks = hooks;
    const isOnAir = (): boolean => hooks.isOnAir?.() === true;
    this.cues = passage && new SourceCues(source, { ...passage, isOnAir }, () => this.ingest.reopen());
    if (passage !== undefined && plan.hasVideo && !plan.copy) {
      const { events } = passage;
      this.captions = new SourceCaptions(source, { captions: fanOut.captions, events, fps: fpsOf(plan.rate), isOnAir });
    }
    const rawCues = this.cues && {
      reader: this.cues,
      outTicks: ({ nextFrame }: SourceBuffer, seconds: number) =>
        rawTicks(seconds, nextFrame, fpsOf(plan.rate), passage?.encoder?.frontTicks),
    };
    const kind = plan.copy
      ? copyKind(source, plan, fanOut, this.cues)
      : rawKind(
          source,
          plan,
          pool,
          (buffer) => this.replaceBuffer(buffer),
          { crop: () => this.crop, onFacts: (facts, toneMapped) => hooks.onFacts?.(facts, toneMapped) },
          rawCues,
          this.captions,
        );
    if (source.type === 'RTMP-Push') this.listener = new RtmpListener(source.settings);
    const finite = source.type === 'File' && source.settings.loop === false;
    this.ingest = new Ingest(children, 'ingest', sourceOpener(source, children), kind, finite, {
      onFirstMedia: () => hooks.onFirstMedia(),
      onMedia: () => this.onMedia(),
      onLive: () => this.begin(),
      onDown: (reason) => hooks.onDown(reason),
      onFailed: (reason) => this.fail(reason),
      onRefused: (why) => {
        hooks.onRefused?.(why);
        this.settle(this.trouble ?? new SourceTrouble(why));
      },
      onNeedsInput: (stdin) => this.listener?.attach(stdin),
    });
  }

  get pid(): number | undefined {
    return this.ingest.pid;
  }

  get trouble(): SourceTrouble | undefined {
    return this.ingest.trouble;
  }

  get dropped(): number {
    return this.droppedBefore + (this.buffer?.dropped ?? 0);
  }

  start(): void {
    this.listener?.open().catch((error: Error) => this.fail(error.message));
    this.ingest.start();
  }

  async stop(): Promise<void> {
    this.settle(new SourceTrouble('it was given up'));
    this.captions?.close();
    await Promise.all([this.ingest.stop(), this.listener?.close()]);
    this.buffer?.clear();
  }

  /** Opens the source anew, with this crop; a pusher stays connected. */
  reopen(crop: Crop | null): void {
    this.crop = crop;
    this.ingest.reopen();
  }

  /**
   * Resolves when frames are due and come at their own pace; rejects with the reason when none is due within `ms`, none can ever be,
   * or the other end has refused twice.
   */
  async firstFrames(ms: number): Promise<void> {
    const timer = setTimeout(() => {
      this.settle(this.trouble ?? new SourceTrouble('it accepts the connection or waits, but gives nothing'));
    }, ms);
    await new Promise<void>((resolve, reject) => (this.waiter = { resolve, reject }));
    clearTimeout(timer);
    await this.steady();
    this.buffer?.trim();
  }

  /** ffmpeg gives what it has looked at all at once: on air those frames would push each other out, and pictures would jump. */
  private async steady(): Promise<void> {
    // It was not ready before it had come at its own pace.
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
    this.buffer?.clear();
    this.buffer = buffer;
    this.hooks.onBuffer(buffer);
  }
}
