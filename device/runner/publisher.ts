/** A copy publisher: one ffmpeg that takes a view of the fan-out to one place, judged by what it reports. */
import type { Child } from './child.ts';
import type { Attempt, AttemptHooks } from './destination-path.ts';
import type { FanOut } from './fan-out.ts';
import type { Nursery } from './nursery.ts';
import { PipeQueue } from './pipe-queue.ts';
import { ProgramView, type ViewStreams } from './program-view.ts';
import { ProgressReader, type Progress } from '../media/progress.ts';

/** A stalled server fills its socket's buffer first (0.5-1 s); then our bytes wait. Twice a usual keyframe burst. */
const WAITING_MS = 3000;
/** Against a queue that fills faster than it ages: 4 s at 30 Mbit/s. */
const MOST_QUEUED_BYTES = 16 << 20;
/** From the first byte to the first proof: DNS, TLS and a distant server's handshakes take up to 5 s. */
const PROOF_MS = 12_000;
/** Progress comes four times a second; standing still for so long while bytes are given is a stall. */
const STANDSTILL_MS = 6000;
/** To write what is in its buffers, and a file's last fragment. */
const GRACE_MS = 1000;

export interface PublisherPlan {
  name: string;
  args: string[];
  streams: ViewStreams;
  /** Whether the Destination has taken media, asked at each report until it says yes. */
  isProven(progress: Progress): boolean;
  onUp?(): void;
  /** Called once, when the process is gone or given up; `progress` is its last report. */
  onGone?: ((progress: Progress | undefined) => void) | undefined;
}

export class Publisher implements Attempt {
  private readonly plan: PublisherPlan;
  private readonly fanOut: FanOut;
  private readonly hooks: AttemptHooks;
  private readonly child: Child;
  private readonly queue: PipeQueue;
  private readonly view: ProgramView;
  private readonly watchdog: NodeJS.Timeout;
  private progress: Progress | undefined;
  private movedAt = 0;
  private proven = false;
  private over = false;
  private ending = false;

  constructor(plan: PublisherPlan, nursery: Nursery, fanOut: FanOut, hooks: AttemptHooks) {
    this.plan = plan;
    this.fanOut = fanOut;
    this.hooks = hooks;
    this.child = nursery.spawn(plan.name, plan.args, { feed: true, fds: 4 });
    this.queue = new PipeQueue(this.child.input(0));
    this.view = new ProgramView(plan.streams, fanOut.streams, (bytes) => this.queue.write(bytes));
    const reader = new ProgressReader((progress) => this.onProgress(progress));
    this.child.output(3)?.on('data', (chunk: Buffer) => reader.push(chunk));
    this.child.output(1)?.resume();
    this.watchdog = setInterval(() => this.watch(), 250);
    void this.child.ended.then(({ code, signal }) => {
      if (!this.ending) this.giveUp(this.child.lastWords ?? `The publisher ended (${signal ?? `exit code ${code}`}).`);
      else this.gone();
    });
    fanOut.attach(this.view);
  }

  async end(): Promise<void> {
    this.ending = true;
    clearInterval(this.watchdog);
    this.fanOut.detach(this.view);
    this.queue.end();
    await this.child.end(this.over ? 0 : GRACE_MS);
    this.gone();
  }

  private onProgress(progress: Progress): void {
    const before = this.progress;
    this.progress = progress;
    if (before === undefined || progress.outSeconds > before.outSeconds) this.movedAt = performance.now();
    if (this.proven || this.over || !this.plan.isProven(progress)) return;
    this.proven = true;
    this.plan.onUp?.();
    this.hooks.onUp();
  }

  private watch(): void {
    const now = performance.now();
    const { firstWriteAt } = this.queue;
    if (firstWriteAt === undefined || this.over) return;
    if (this.queue.waitingMs > WAITING_MS || this.queue.queuedBytes > MOST_QUEUED_BYTES) {
      this.giveUp('The target takes no more data.');
    } else if (!this.proven && now - firstWriteAt > PROOF_MS) {
      this.giveUp(this.child.lastWords ?? `The target has not taken the stream within ${PROOF_MS / 1000} s.`);
    } else if (this.proven && now - this.movedAt > STANDSTILL_MS && now - this.fanOut.lastDataAt < 1000) {
      this.giveUp('The delivery stands still.');
    }
  }

  private giveUp(reason: string): void {
    if (this.over) return;
    this.over = true;
    clearInterval(this.watchdog);
    this.fanOut.detach(this.view);
    // What is in its buffers is lost anyway; a polite end would wait for the server that does not answer.
    this.child.kill('SIGKILL');
    this.hooks.onDown(reason);
  }

  private gone(): void {
    const tell = this.plan.onGone;
    this.plan.onGone = undefined;
    tell?.(this.progress);
  }
}
