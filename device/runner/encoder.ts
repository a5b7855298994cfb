/** The encoder and its supervision: frames go in here, whichever process takes them at the moment. */
import type { EventLog } from './event-log.ts';
import type { Child } from './child.ts';
import type { FanOut } from './fan-out.ts';
import type { Nursery } from './nursery.ts';
import type { Frame } from '../media/frame-pool.ts';
import { encoderArgs } from '../media/encoder-args.ts';
import { fpsOf } from '../media/frame-rate.ts';
import type { LadderPlan } from '../media/ladder-plan.ts';
import { ProgressReader, type Progress } from '../media/progress.ts';

/** What may wait in the encoder's pipe: covers its start (150 ms), and at 1080p30 is 30 MB. More is dropped. */
const QUEUE_SECONDS = 0.35;
/** An encoder that is fed and gives nothing for so long is stalled; a frame takes it 5-30 ms. */
const STALL_MS = 2000;
/** The first frame may take longer: on a busy machine the start alone has taken 3 s. */
const FIRST_OUTPUT_MS = 8000;
/** A crash that repeats is not cured by another start. */
const RESTARTS = { most: 5, withinMs: 60_000 };

export interface EncoderHooks {
  onFailed(reason: string): void;
}

export class EncoderSupervisor {
  private readonly nursery: Nursery;
  private readonly plan: LadderPlan;
  private readonly fanOut: FanOut;
  private readonly events: EventLog;
  private readonly hooks: EncoderHooks;
  private readonly mostQueued: number;
  private child: Child | undefined;
  private queued = 0;
  /** The first frame that was offered since the encoder last gave something. */
  private unansweredSince: number | undefined;
  private spoke = false;
  /** Why the present encoder replaced another; told when its first media shows how long viewers waited. */
  private replaced: string | undefined;
  private restarts: number[] = [];
  private stopping = false;
  private watchdog: NodeJS.Timeout | undefined;
  progress: Progress | undefined;
  /** Frames that no encoder took. */
  dropped = 0;

  constructor(nursery: Nursery, plan: LadderPlan, fanOut: FanOut, events: EventLog, hooks: EncoderHooks) {
    this.nursery = nursery;
    this.plan = plan;
    this.fanOut = fanOut;
    this.events = events;
    this.hooks = hooks;
    this.mostQueued = Math.max(8, Math.ceil(fpsOf(plan.rate) * QUEUE_SECONDS));
  }

  start(): void {
    this.spawn();
    this.watchdog = setInterval(() => this.watch(), 250);
  }

  /** One frame with its sound. Dropped when the encoder is behind: sound too, or they would drift apart. */
  write(frame: Frame | undefined, sound: Buffer): void {
    this.unansweredSince ??= performance.now();
    const child = this.child;
    if (child === undefined || !child.alive || this.queued >= this.mostQueued) {
      this.dropped += 1;
      return;
    }
    this.queued += 1;
    const taken = (): void => {
      frame?.release();
      if (this.child === child) this.queued -= 1;
    };
    child.input(4).write(sound, frame === undefined ? taken : undefined);
    if (frame === undefined) return;
    frame.retain();
    child.input(3).write(frame.bytes, taken);
  }

  /** Ends by the end of its input, so that the last frames come out; bounded. */
  async stop(): Promise<void> {
    this.stopping = true;
    clearInterval(this.watchdog);
    const child = this.child;
    if (child === undefined) return;
    child.input(4).end();
    if (this.plan.hasVideo) child.input(3).end();
    await child.end(700);
  }

  private spawn(): void {
    const { plan } = this;
    this.fanOut.newWriter();
    const child = this.nursery.spawn('encoder', encoderArgs(plan, this.fanOut.nextSeconds), { fds: 6 });
    this.child = child;
    const lastMediaAt = this.fanOut.lastDataAt;
    this.queued = 0;
    this.spoke = false;
    this.unansweredSince = undefined;
    child.output(1)?.on('data', (chunk: Buffer) => {
      this.spoke = true;
      this.unansweredSince = undefined;
      this.tellRestart(performance.now() - lastMediaAt);
      this.fanOut.push(chunk);
    });
    const progress = new ProgressReader((block) => (this.progress = block));
    child.output(5)?.on('data', (chunk: Buffer) => progress.push(chunk));
    void child.ended.then(({ code, signal }) => this.onEnded(child, signal ?? `exit code ${code}`));
  }

  private onEnded(child: Child, how: string): void {
    if (this.stopping) return;
    const now = performance.now();
    this.restarts = [...this.restarts.filter((at) => now - at < RESTARTS.withinMs), now];
    const words = child.lastWords;
    const reason = `The encoder ended (${how})${words === undefined ? '' : `: ${words}`}`;
    if (this.restarts.length > RESTARTS.most) {
      this.hooks.onFailed(`${reason}. It was restarted ${RESTARTS.most} times within a minute.`);
      return;
    }
    // A replacement that ended before it gave anything is told of as well.
    this.tellRestart(undefined);
    this.replaced = reason;
    this.spawn();
  }

  private tellRestart(gapMs: number | undefined): void {
    if (this.replaced === undefined) return;
    const gap = gapMs === undefined || !this.fanOut.started ? undefined : Number((gapMs / 1000).toFixed(3));
    const outcome =
      gap === undefined ? 'It was restarted.' : `Its successor was on air ${gap.toFixed(2)} s after its last picture.`;
    const data = { restarts: this.restarts.length, gapSeconds: gap ?? null };
    this.events.add('encoder_restarted', 'warning', `${this.replaced}. ${outcome}`, data);
    this.replaced = undefined;
  }

  private watch(): void {
    if (this.unansweredSince === undefined || this.child?.alive !== true) return;
    const silentMs = Math.round(performance.now() - this.unansweredSince);
    if (silentMs < (this.spoke ? STALL_MS : FIRST_OUTPUT_MS)) return;
    this.unansweredSince = undefined;
    const seconds = (silentMs / 1000).toFixed(1);
    this.events.add('encoder_stalled', 'error', `The encoder has given nothing for ${seconds} s; it is killed.`, {
      silentMs,
    });
    this.child.kill('SIGKILL');
  }
}
