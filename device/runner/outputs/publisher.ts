/** A publisher: one ffmpeg that delivers a view of the packets to one target. Its progress reports and its socket tell whether it delivers. */
import type { FileAccess } from '../../ffmpeg/launch.ts';
import { ProgressReader, type Progress } from '../../media/ffmpeg-output/progress.ts';
import { deliveryReason } from '../../media/ffmpeg-output/source-reason.ts';
import type { Child } from '../process/child.ts';
import type { ChildProcesses } from '../process/child-processes.ts';
import { PipeQueue } from '../process/pipe-queue.ts';
import type { PacketSink, PacketSource } from '../stream/fan-out.ts';
import { ProgramView, type ViewStreams } from '../stream/program-view.ts';
import type { Attempt, AttemptHooks } from './attempt.ts';

/**
 * Bytes that wait for longer than this mean a server that has stalled: the buffer of its socket takes the first 0.5 to 1 s, and the burst of
 * a keyframe waits for half of this at most.
 */
const MAX_WAITING_MS = 3000;
/** This bounds memory when bytes come fast: 16 MiB are 4 s at 30 Mbit/s. */
const MAX_QUEUED_BYTES = 16 << 20;
/** Time from the first byte to the first proof: DNS, TLS and a distant server's handshakes take up to 5 s. */
const PROOF_MS = 12_000;
/** Progress comes four times a second; a publisher that gets bytes and makes none for so long has stalled. */
const STANDSTILL_MS = 6000;
/** Time to write the bytes in its buffers, and a file's last fragment. */
const GRACE_MS = 1000;

/** Tells whether the process behind the queue takes no more data. */
export function isStuck({ waitingMs, queuedBytes }: PipeQueue): boolean {
  return waitingMs > MAX_WAITING_MS || queuedBytes > MAX_QUEUED_BYTES;
}

/** `finish` writes the bytes that are held back, `close` ends timers that would write later. */
type PublisherView = PacketSink & { finish?(): void; close?(): void };

export interface PublisherPlan {
  name: string;
  args: string[];
  /** Files that the process may use; left out: none. */
  access?: FileAccess;
  /** A descriptor that it writes to. */
  stdout?: number;
  streams: ViewStreams;
  /** It need not get the streams at once. */
  toleratesDelay?: boolean;
  /** Opens the view that the process gets; left out: the streams as a transport stream. */
  openView?(out: (bytes: Buffer) => void): PublisherView;
  /** Bytes that the process gets first. The media follows once `isProven` has returned true, so that it begins with the present. */
  primer?: Buffer;
  /** Tells whether the Destination has taken media; called with each report until it is true. */
  isProven(progress: Progress): boolean;
  /** Puts the words of the process into a plainer reason, or undefined. */
  explain?(words: string): string | undefined;
  /** Tells whether the words of the process rule out that another attempt helps. */
  isFinal?(words: string): boolean;
  /** Tells whether the target refuses the stream, for example for a wrong key, so that another attempt would be refused too. */
  isRefusal?(words: string): boolean;
  /** The process is left to write its last bytes when the runner is killed. */
  drains?: boolean;
  /** The process listens: to wait for a peer is no failure. */
  awaitsPeer?: boolean;
  /** Hears each line of the process as it is, and tells whether it proves that the Destination has taken media. */
  onLine?(line: string): boolean;
  /** Says why the target has gone, where neither an end nor a report tells it. */
  lossOf?(): string | undefined;
  onUp?(): void;
  onProgress?(progress: Progress): void;
  /** Called once, when the process is gone or given up; `progress` is its last report. */
  onGone?: ((progress: Progress | undefined) => void) | undefined;
}

export class Publisher implements Attempt {
  private readonly plan: PublisherPlan;
  private readonly packets: PacketSource;
  private readonly hooks: AttemptHooks;
  private readonly child: Child;
  private readonly queue: PipeQueue;
  private readonly watchdog: NodeJS.Timeout;
  private view: PublisherView | undefined;
  private progress: Progress | undefined;
  private movedAt = 0;
  private isProven = false;
  private isOver = false;
  private isEnding = false;

  constructor(plan: PublisherPlan, children: ChildProcesses, packets: PacketSource, hooks: AttemptHooks) {
    this.plan = plan;
    this.packets = packets;
    this.hooks = hooks;
    const { access, stdout, drains = false } = plan;
    const handed = stdout === undefined ? undefined : new Map([[1, stdout]]);
    this.child = children.spawn(plan.name, plan.args, { feed: true, fds: 4, drains, access, handed });
    if (plan.onLine !== undefined) this.child.alsoRead((line) => plan.onLine?.(line) === true && this.prove());
    this.queue = new PipeQueue(this.child.input(0));
    const reader = new ProgressReader((progress) => this.onProgress(progress));
    this.child.output(3)?.on('data', (chunk: Buffer) => reader.push(chunk));
    this.child.output(1)?.resume();
    this.watchdog = setInterval(() => this.watch(), 250);
    void this.child.ended.then(({ code, signal }) => {
      if (!this.isEnding) this.giveUp(this.words ?? `The publisher ended (${signal ?? `exit code ${code}`}).`);
      else this.onGone();
    });
    if (plan.primer === undefined) this.openView();
    else this.queue.write(plan.primer);
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  async end(): Promise<void> {
    this.isEnding = true;
    clearInterval(this.watchdog);
    this.detach();
    if (!this.isOver) this.view?.finish?.();
    this.queue.end();
    await this.child.end(this.isOver ? 0 : GRACE_MS);
    this.onGone();
  }

  cut(): void {
    this.isOver = true;
    this.isEnding = true;
    clearInterval(this.watchdog);
    this.detach();
    this.child.kill('SIGKILL');
  }

  private openView(): void {
    const out = (bytes: Buffer): void => this.queue.write(bytes);
    const { plan, packets } = this;
    this.view = plan.openView?.(out) ?? new ProgramView(plan.streams, packets.streams, out, plan.toleratesDelay);
    this.packets.attach(this.view);
  }

  private detach(): void {
    if (this.view === undefined) return;
    this.packets.detach(this.view);
    this.view.close?.();
  }

  private onProgress(progress: Progress): void {
    const before = this.progress;
    this.progress = progress;
    const hasMoved =
      before === undefined || progress.outSeconds > before.outSeconds || progress.totalBytes > before.totalBytes;
    if (hasMoved) this.movedAt = performance.now();
    this.plan.onProgress?.(progress);
    if (!this.isProven && this.plan.isProven(progress)) this.prove();
  }

  private prove(): void {
    if (this.isProven || this.isOver || this.isEnding) return;
    this.isProven = true;
    this.movedAt = performance.now();
    if (this.view === undefined) this.openView();
    this.plan.onUp?.();
    this.hooks.onUp();
  }

  private watch(): void {
    const now = performance.now();
    const { firstWriteAt } = this.queue;
    if (firstWriteAt === undefined || this.isOver) return;
    if (this.plan.awaitsPeer === true && !this.isProven) return;
    const loss = this.plan.lossOf?.();
    if (loss !== undefined) {
      this.giveUp(loss);
    } else if (isStuck(this.queue)) {
      this.giveUp('The target takes no more data.');
    } else if (!this.isProven && now - firstWriteAt > PROOF_MS) {
      this.giveUp(this.words ?? `The target has not taken the stream within ${PROOF_MS / 1000} s.`);
    } else if (this.isProven && now - this.movedAt > STANDSTILL_MS && now - this.packets.lastDataAt < 1000) {
      this.giveUp('The delivery stands still.');
    }
  }

  private get words(): string | undefined {
    const { recentStderr, lastStderr } = this.child;
    return this.plan.explain?.(recentStderr) ?? deliveryReason(recentStderr, lastStderr);
  }

  private giveUp(reason: string): void {
    if (this.isOver) return;
    this.isOver = true;
    clearInterval(this.watchdog);
    this.detach();
    // The bytes in its buffers are lost anyway; a polite end would wait for the server that does not answer.
    this.child.kill('SIGKILL');
    const { recentStderr } = this.child;
    this.hooks.onDown(reason, this.plan.isFinal?.(recentStderr) === true, this.plan.isRefusal?.(recentStderr) === true);
  }

  private onGone(): void {
    const { onGone } = this.plan;
    this.plan.onGone = undefined;
    onGone?.(this.progress);
  }
}
