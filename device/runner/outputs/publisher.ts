/** A publisher: one ffmpeg that takes a view of the fan-out to one place, judged by what it reports. */
import type { FileAccess } from '../../ffmpeg/launch.ts';
import type { Child } from '../process/child.ts';
import { Acknowledged } from './acknowledged.ts';
import { unacknowledgedBytes } from '../process/child-sockets.ts';
import type { Attempt, AttemptHooks } from './destination-path.ts';
import type { FanOut, FragmentSink } from '../stream/fan-out.ts';
import type { ChildProcesses } from '../process/child-processes.ts';
import { PipeQueue } from '../process/pipe-queue.ts';
import { ProgramView, type ViewStreams } from '../stream/program-view.ts';
import { deliveryReason } from '../../media/ffmpeg-output/source-reason.ts';
import { ProgressReader, type Progress } from '../../media/ffmpeg-output/progress.ts';

/** A stalled server fills its socket's buffer first (0.5-1 s); then our bytes wait. Twice a usual keyframe burst. */
const WAITING_MS = 3000;
/** Against a queue that fills faster than it ages: 4 s at 30 Mbit/s. */
const MAX_QUEUED_BYTES = 16 << 20;
/** From the first byte to the first proof: DNS, TLS and a distant server's handshakes take up to 5 s. */
const PROOF_MS = 12_000;
/** Progress comes four times a second; standing still for so long while bytes are given is a stall. */
const STANDSTILL_MS = 6000;
/** Bytes on their way that nobody acknowledges: three lost packets in a row on a line across the world are made up for in less. */
const UNACKNOWLEDGED_MS = 3000;
/** To write what is in its buffers, and a file's last fragment. */
const GRACE_MS = 1000;

/** `finish` writes what is held back, `close` ends what would write later. */
type PublisherView = FragmentSink & { finish?(): void; close?(): void };

export interface PublisherPlan {
  name: string;
  args: string[];
  /** Files of the Destination; left out: none. */
  access?: FileAccess;
  /** It plays out by a driver of this machine. */
  usesDrivers?: true;
  streams: ViewStreams;
  /** What is given to the process; left out: the streams as a transport stream. */
  openView?(out: (bytes: Buffer) => void): PublisherView;
  /** Opens the process's input. The media follows only once the Destination is proven, and so begins with the present, not with what waited. */
  primer?: Buffer;
  /** Whether the Destination has taken media, asked at each report until it says yes. */
  isProven(progress: Progress): boolean;
  /** Puts what the process said into a plainer reason, or undefined. */
  explain?(words: string): string | undefined;
  /** Whether what the process said rules out that another attempt helps. */
  isFinal?(words: string): boolean;
  /** Whether the other end has said no, as to a wrong key: it will say so again. */
  isRefusal?(words: string): boolean;
  /** What it holds is written to the end even when this process is killed. */
  drains?: boolean;
  /** Nobody need be there yet, as for a listener: the wait for a peer is no failure. */
  awaitsPeer?: boolean;
  /** By TCP: a peer that takes nothing more is known by what it does not acknowledge, long before our bytes have to wait. */
  isTcp?: boolean;
  onUp?(): void;
  onProgress?(progress: Progress): void;
  /** Called once, when the process is gone or given up; `progress` is its last report. */
  onGone?: ((progress: Progress | undefined) => void) | undefined;
}

export class Publisher implements Attempt {
  private readonly plan: PublisherPlan;
  private readonly fanOut: FanOut;
  private readonly hooks: AttemptHooks;
  private readonly child: Child;
  private readonly queue: PipeQueue;
  private readonly watchdog: NodeJS.Timeout;
  private view: PublisherView | undefined;
  private progress: Progress | undefined;
  private movedAt = 0;
  private readonly acknowledged = new Acknowledged();
  private looking = false;
  private proven = false;
  private over = false;
  private ending = false;

  constructor(plan: PublisherPlan, children: ChildProcesses, fanOut: FanOut, hooks: AttemptHooks) {
    this.plan = plan;
    this.fanOut = fanOut;
    this.hooks = hooks;
    const { access, usesDrivers, drains = false } = plan;
    this.child = children.spawn(plan.name, plan.args, { feed: true, fds: 4, drains, access, usesDrivers });
    this.queue = new PipeQueue(this.child.input(0));
    const reader = new ProgressReader((progress) => this.onProgress(progress));
    this.child.output(3)?.on('data', (chunk: Buffer) => reader.push(chunk));
    this.child.output(1)?.resume();
    this.watchdog = setInterval(() => this.watch(), 250);
    void this.child.ended.then(({ code, signal }) => {
      if (!this.ending) this.giveUp(this.words ?? `The publisher ended (${signal ?? `exit code ${code}`}).`);
      else this.gone();
    });
    if (plan.primer === undefined) this.feed();
    else this.queue.write(plan.primer);
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  async end(): Promise<void> {
    this.ending = true;
    clearInterval(this.watchdog);
    this.detach();
    if (!this.over) this.view?.finish?.();
    this.queue.end();
    await this.child.end(this.over ? 0 : GRACE_MS);
    this.gone();
  }

  private feed(): void {
    const out = (bytes: Buffer): void => this.queue.write(bytes);
    this.view = this.plan.openView?.(out) ?? new ProgramView(this.plan.streams, this.fanOut.streams, out);
    this.fanOut.attach(this.view);
  }

  private detach(): void {
    if (this.view === undefined) return;
    this.fanOut.detach(this.view);
    this.view.close?.();
  }

  private onProgress(progress: Progress): void {
    const before = this.progress;
    this.progress = progress;
    const moved =
      before === undefined || progress.outSeconds > before.outSeconds || progress.totalBytes > before.totalBytes;
    if (moved) this.movedAt = performance.now();
    this.plan.onProgress?.(progress);
    if (this.proven || this.over || this.ending || !this.plan.isProven(progress)) return;
    this.proven = true;
    if (this.view === undefined) this.feed();
    this.plan.onUp?.();
    this.hooks.onUp();
  }

  private watch(): void {
    const now = performance.now();
    const { firstWriteAt } = this.queue;
    if (firstWriteAt === undefined || this.over) return;
    if (this.plan.awaitsPeer === true && !this.proven) return;
    if (this.queue.waitingMs > WAITING_MS || this.queue.queuedBytes > MAX_QUEUED_BYTES) {
      this.giveUp('The target takes no more data.');
    } else if (!this.proven && now - firstWriteAt > PROOF_MS) {
      this.giveUp(this.words ?? `The target has not taken the stream within ${PROOF_MS / 1000} s.`);
    } else if (this.proven && now - this.movedAt > STANDSTILL_MS && now - this.fanOut.lastDataAt < 1000) {
      this.giveUp('The delivery stands still.');
    } else if (this.proven && this.plan.isTcp === true && !this.looking) void this.lookAtConnection();
  }

  private async lookAtConnection(): Promise<void> {
    if (this.child.pid === undefined) return;
    this.looking = true;
    const unacknowledged = await unacknowledgedBytes(this.child.pid);
    this.looking = false;
    const written = this.progress?.totalBytes ?? 0;
    const standsForMs = this.acknowledged.standsForMs(written, unacknowledged, performance.now());
    if (standsForMs > UNACKNOWLEDGED_MS && !this.ending)
      this.giveUp(`The target takes no more data: ${unacknowledged} bytes are not acknowledged.`);
  }

  private get words(): string | undefined {
    const { recentStderr, lastStderr } = this.child;
    return this.plan.explain?.(recentStderr) ?? deliveryReason(recentStderr, lastStderr);
  }

  private giveUp(reason: string): void {
    if (this.over) return;
    this.over = true;
    clearInterval(this.watchdog);
    this.detach();
    // What is in its buffers is lost anyway; a polite end would wait for the server that does not answer.
    this.child.kill('SIGKILL');
    const { recentStderr } = this.child;
    this.hooks.onDown(reason, this.plan.isFinal?.(recentStderr) === true, this.plan.isRefusal?.(recentStderr) === true);
  }

  private gone(): void {
    const tell = this.plan.onGone;
    this.plan.onGone = undefined;
    tell?.(this.progress);
  }
}
