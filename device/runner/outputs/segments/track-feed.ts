/** Two sources of fragments for CMAF and DASH: the fragments of the encoder itself, and an ffmpeg that packs what this process does not. */
import { Fmp4Parser, type MediaFragment, type TrackInit } from '../../../media/fmp4/fmp4-parser.ts';
import { packagerArgs, type PackagerTrack } from '../../../media/arguments/packager-args.ts';
import { quotable } from '../../../media/ffmpeg-output/source-reason.ts';
import type { Child } from '../../process/child.ts';
import type { ChildProcesses } from '../../process/child-processes.ts';
import { PipeQueue } from '../../process/pipe-queue.ts';
import type { FanOut, PacketRun, PacketSink } from '../../stream/fan-out.ts';
import type { FragmentBus, FragmentSink, TrackFragment } from '../../stream/fragment-bus.ts';
import { ProgramView } from '../../stream/program-view.ts';
import { packedCodec } from '../packed-tracks.ts';
import { isStuck } from '../publisher.ts';

export interface TrackHooks {
  /** `id` is the track's number as text. Both may throw RangeError for media that cannot be used. */
  onInit(id: string, init: TrackInit): void;
  onFragment(id: string, fragment: MediaFragment): void;
  /** All has come of the format that ends; inits of another follow. */
  onFormatEnd(): void;
  /** Nothing comes any more after this. */
  onFailed(reason: string): void;
}

export interface TrackFeed {
  /** Calls hooks at once with the media that is kept for a joiner, so it is apart from the constructor. */
  start(): void;
  /** Hands out the last fragments, within about 2 s. */
  end(): Promise<void>;
  /** Ends at once and calls no hook any more. */
  kill(): void;
}

/** Time to write the bytes in its buffers: a fragment a track. */
const GRACE_MS = 1000;

export interface PackagerFeedOptions {
  name: string;
  tracks: readonly PackagerTrack[];
  /** Video comes frame by frame. */
  lowLatency: boolean;
  /** How long the packager may write nothing while it gets packets. */
  standstillMs: number;
}

export class PackagerFeed implements TrackFeed, PacketSink {
  private readonly options: PackagerFeedOptions;
  private readonly children: ChildProcesses;
  private readonly packets: FanOut;
  private readonly hooks: TrackHooks;
  private child: Child;
  private queue: PipeQueue;
  private readonly view: ProgramView;
  /** Resolves when the packagers of former formats have written all. */
  private former = Promise.resolve();
  private readonly watchdog: NodeJS.Timeout;
  private movedAt = performance.now();
  private isOver = false;
  private isEnding = false;

  constructor(options: PackagerFeedOptions, children: ChildProcesses, packets: FanOut, hooks: TrackHooks) {
    this.options = options;
    this.children = children;
    this.packets = packets;
    this.hooks = hooks;
    this.child = this.spawn();
    this.queue = new PipeQueue(this.child.input(0));
    this.listen(this.child);
    const { tracks, lowLatency } = options;
    const pids = (kind: PackagerTrack['kind']): number[] =>
      tracks.filter((one) => one.kind === kind).map(({ pid }) => pid);
    const streams = { videos: pids('video'), audios: pids('audio') };
    this.view = new ProgramView(streams, packets.streams, (bytes) => this.queue.write(bytes), !lowLatency);
    this.watchdog = setInterval(() => this.watch(), 250);
  }

  start(): void {
    this.packets.attach(this);
  }

  get toleratesDelay(): boolean {
    return this.view.toleratesDelay;
  }

  write(run: PacketRun): void {
    this.view.write(run);
  }

  flush(): void {
    this.view.flush();
  }

  /** A packager writes one initialisation segment a track: another one gets what follows, and is read behind it. */
  begins(): void {
    if (this.isOver || this.isEnding) return;
    this.view.flush();
    const { child, former } = this;
    this.queue.end();
    this.child = this.spawn();
    this.queue = new PipeQueue(this.child.input(0));
    const next = this.child;
    this.former = former.then(async () => {
      await child.end(GRACE_MS);
      if (this.isOver) return;
      this.movedAt = performance.now();
      this.hooks.onFormatEnd();
      this.listen(next);
    });
  }

  async end(): Promise<void> {
    this.isEnding = true;
    clearInterval(this.watchdog);
    this.packets.detach(this);
    this.view.flush();
    this.queue.end();
    if (!this.isOver) await this.former;
    await this.child.end(this.isOver ? 0 : GRACE_MS);
  }

  kill(): void {
    this.isOver = true;
    clearInterval(this.watchdog);
    this.packets.detach(this);
    this.child.kill('SIGKILL');
  }

  private spawn(): Child {
    const { name, tracks, lowLatency } = this.options;
    const packed = tracks.map(({ pid, kind, codec }) => {
      const type = this.packets.streams.get(pid)?.type;
      return { pid, kind, codec: kind === 'audio' ? packedCodec(codec, type) : codec };
    });
    const child = this.children.spawn(name, packagerArgs(packed, lowLatency), { feed: true, fds: 3 + tracks.length });
    child.output(1)?.resume();
    void child.ended.then(({ code, signal }) => {
      if (this.isEnding || child !== this.child) return;
      this.fail(this.words('ended') ?? `The packager ended (${signal ?? `exit code ${code}`}).`);
    });
    return child;
  }

  private listen(child: Child): void {
    this.options.tracks.forEach(({ pid }, i) => this.listenTo(child, String(pid), 3 + i));
  }

  private listenTo(child: Child, id: string, fd: number): void {
    // An attempt may begin after days: ffmpeg then writes a time that has wrapped.
    const parser = new Fmp4Parser(this.packets.nextSeconds);
    child.output(fd)?.on('data', (chunk: Buffer) => {
      if (this.isOver) return;
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
    const { firstWriteAt } = this.queue;
    if (firstWriteAt === undefined || this.isOver) return;
    const now = performance.now();
    const hasInput = now - this.packets.lastDataAt < 1000;
    if (isStuck(this.queue)) this.fail('The packager takes no more data.');
    else if (hasInput && now - Math.max(this.movedAt, firstWriteAt) > this.options.standstillMs)
      this.fail(this.words('stands still') ?? 'The packager stands still.');
  }

  private words(what: string): string | undefined {
    const { lastStderr } = this.child;
    return lastStderr === undefined ? undefined : `The packager ${what} (ffmpeg: ${quotable(lastStderr)}).`;
  }

  private fail(reason: string): void {
    if (!this.isOver) this.hooks.onFailed(reason);
  }
}

export class EncoderFeed implements TrackFeed, FragmentSink {
  private readonly fragments: FragmentBus;
  private readonly pids: readonly number[];
  private readonly lowLatency: boolean;
  private readonly hooks: TrackHooks;
  private readonly known = new Set<number>();

  /** `lowLatency`: video comes frame by frame. */
  constructor(fragments: FragmentBus, tracks: readonly PackagerTrack[], lowLatency: boolean, hooks: TrackHooks) {
    this.lowLatency = lowLatency;
    this.fragments = fragments;
    this.pids = tracks.map(({ pid }) => pid);
    this.hooks = hooks;
  }

  start(): void {
    this.fragments.attach(this, this.lowLatency);
  }

  async end(): Promise<void> {
    this.kill();
  }

  kill(): void {
    this.fragments.detach(this);
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
