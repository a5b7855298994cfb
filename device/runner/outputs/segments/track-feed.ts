/** Where CMAF and DASH get their fragments from: a packager's ffmpeg over the transport stream, or straight from the fragment bus. */
import { Fmp4Parser, type MediaFragment, type TrackInit } from '../../../media/fmp4/fmp4-parser.ts';
import { packagerArgs, type PackagerTrack } from '../../../media/arguments/packager-args.ts';
import { quotable } from '../../../media/ffmpeg-output/source-reason.ts';
import type { Child } from '../../process/child.ts';
import type { FanOut } from '../../stream/fan-out.ts';
import type { FragmentBus, FragmentBusSink, TrackFragment } from '../../stream/fragment-bus.ts';
import type { ChildProcesses } from '../../process/child-processes.ts';
import { PipeQueue } from '../../process/pipe-queue.ts';
import { ProgramView } from '../../stream/program-view.ts';

export interface TrackHooks {
  /** `id` is the track's number as text. Both may throw RangeError for what cannot be used. */
  onInit(id: string, init: TrackInit): void;
  onFragment(id: string, fragment: MediaFragment): void;
  /** Nothing comes any more. */
  onFailed(reason: string): void;
}

export interface TrackFeed {
  /** Apart from the constructor: what was kept for a joiner is given at once. */
  start(): void;
  /** Gives out what it holds, within about 2 s. */
  end(): Promise<void>;
  /** At once; nothing is given any more. */
  kill(): void;
}

/** As for a publisher: a packager that takes no data is stuck, however slow the machine. */
const WAITING_MS = 3000;
const MAX_QUEUED_BYTES = 16 << 20;
/** To write what is in its buffers: a fragment a track. */
const GRACE_MS = 1000;

export class PackagerFeed implements TrackFeed {
  private readonly fanOut: FanOut;
  private readonly hooks: TrackHooks;
  private readonly standstillMs: number;
  private readonly child: Child;
  private readonly queue: PipeQueue;
  private readonly view: ProgramView;
  private readonly watchdog: NodeJS.Timeout;
  private movedAt = performance.now();
  private over = false;
  private ending = false;

  /** `standstillMs`: how long the packager may give nothing while it is fed. */
  constructor(
    { name, tracks, standstillMs }: { name: string; tracks: readonly PackagerTrack[]; standstillMs: number },
    children: ChildProcesses,
    fanOut: FanOut,
    hooks: TrackHooks,
  ) {
    this.fanOut = fanOut;
    this.hooks = hooks;
    this.standstillMs = standstillMs;
    this.child = children.spawn(name, packagerArgs(tracks), { feed: true, fds: 3 + tracks.length });
    this.child.output(1)?.resume();
    tracks.forEach(({ pid }, i) => this.listen(String(pid), 3 + i));
    this.queue = new PipeQueue(this.child.input(0));
    const pids = (kind: PackagerTrack['kind']): number[] =>
      tracks.filter((one) => one.kind === kind).map(({ pid }) => pid);
    const streams = { videos: pids('video'), audios: pids('audio') };
    this.view = new ProgramView(streams, fanOut.streams, (bytes) => this.queue.write(bytes));
    this.watchdog = setInterval(() => this.watch(), 250);
    void this.child.ended.then(({ code, signal }) => {
      if (!this.ending) this.fail(this.words('ended') ?? `The packager ended (${signal ?? `exit code ${code}`}).`);
    });
  }

  start(): void {
    this.fanOut.attach(this.view);
  }

  async end(): Promise<void> {
    this.ending = true;
    clearInterval(this.watchdog);
    this.fanOut.detach(this.view);
    this.queue.end();
    await this.child.end(this.over ? 0 : GRACE_MS);
  }

  kill(): void {
    this.over = true;
    clearInterval(this.watchdog);
    this.fanOut.detach(this.view);
    this.child.kill('SIGKILL');
  }

  private listen(id: string, fd: number): void {
    // An attempt may begin after days: ffmpeg then tells a time that has wrapped.
    const parser = new Fmp4Parser(this.fanOut.nextSeconds);
    this.child.output(fd)?.on('data', (chunk: Buffer) => {
      if (this.over) return;
      this.movedAt = performance.now();
      try {
        for (const { init, fragment } of parser.push(chunk)) {
          if (init === undefined) this.hooks.onFragment(id, fragment);
          else this.hooks.onInit(id, init);
        }
      } catch (error) {
        this.fail(`The packager's output cannot be read: ${(error as Error).message}`);
      }
    });
  }

  private watch(): void {
    const { firstWriteAt, waitingMs, queuedBytes } = this.queue;
    if (firstWriteAt === undefined || this.over) return;
    const now = performance.now();
    const isFed = now - this.fanOut.lastDataAt < 1000;
    if (waitingMs > WAITING_MS || queuedBytes > MAX_QUEUED_BYTES) this.fail('The packager takes no more data.');
    else if (isFed && now - Math.max(this.movedAt, firstWriteAt) > this.standstillMs)
      this.fail(this.words('stands still') ?? 'The packager stands still.');
  }

  private words(what: string): string | undefined {
    const { lastStderr } = this.child;
    return lastStderr === undefined ? undefined : `The packager ${what} (ffmpeg: ${quotable(lastStderr)}).`;
  }

  private fail(reason: string): void {
    if (!this.over) this.hooks.onFailed(reason);
  }
}

export class BusFeed implements TrackFeed, FragmentBusSink {
  private readonly bus: FragmentBus;
  private readonly pids: readonly number[];
  private readonly hooks: TrackHooks;
  private readonly known = new Set<number>();

  constructor(bus: FragmentBus, tracks: readonly PackagerTrack[], hooks: TrackHooks) {
    this.bus = bus;
    this.pids = tracks.map(({ pid }) => pid);
    this.hooks = hooks;
  }

  start(): void {
    this.bus.attachTracks(this);
  }

  async end(): Promise<void> {
    this.kill();
  }

  kill(): void {
    this.bus.detachTracks(this);
  }

  init(pid: number, init: TrackInit): void {
    if (!this.pids.includes(pid)) return;
    // Another attempt begins a period of its own, with the new set-up.
    if (this.known.has(pid)) return this.hooks.onFailed('The encoder was set up differently.');
    this.known.add(pid);
    this.attempt(() => this.hooks.onInit(String(pid), init));
  }

  fragment({ pid, fragment }: TrackFragment): void {
    if (this.known.has(pid)) this.attempt(() => this.hooks.onFragment(String(pid), fragment));
  }

  private attempt(task: () => void): void {
    try {
      task();
    } catch (error) {
      this.hooks.onFailed(`The encoder's fragments cannot be used: ${(error as Error).message}`);
    }
  }
}
