/**
 * One connection of a copied source that is read in this process, in place of an ffmpeg. Its ingest has of it what it has of a child, so that
 * reconnects, reasons and the end of silence are the same; an error of its reader ends this connection alone.
 */
import { Writable } from 'node:stream';
import { SourceTrouble } from '../../media/ffmpeg-output/source-reason.ts';
import type { ChildEnd } from '../process/child.ts';

/** Makes a transport stream with the PIDs of the plan out of a source. */
export interface OwnReader {
  /** Its source names the codec of every unit. */
  readonly namesCodecs?: true;
  /** Takes what is written to the reading's input: media of a pusher, or of a connection of ours. */
  take?(bytes: Buffer): void;
  /** Nothing more is written to the input. */
  finish?(): void;
  /** Closes what the reader has opened by itself. */
  close?(): void;
}

/** The reading, as its reader has it. */
export interface OwnOutput {
  /** Time at which the stream goes on, in seconds. */
  nextSeconds(): number;
  /** Tells whether nobody notices when packets come a tenth of a second later. */
  mayWait(): boolean;
  /** Takes whole packets, whose bytes nobody else has. */
  packets(bytes: Buffer): void;
  /** Runs this once all packets so far have left. */
  after(run: () => void): void;
  /** The source has ended; `why` says so where it is no orderly end. */
  end(why?: SourceTrouble): void;
  /** ffmpeg has to read this source: `why` is half a sentence. */
  giveBack(why: string): void;
  /** Runs what sockets and timers of the reader call. */
  guard(run: () => void): void;
}

export type OpenReader = (out: OwnOutput) => OwnReader;

export interface OwnHooks extends Pick<OwnOutput, 'nextSeconds' | 'mayWait'> {
  /** Returns whether the packets go on air. `isNamed`: none of them is coded otherwise than its tables say. */
  take(packets: readonly Buffer[], isNamed: boolean): boolean;
  onGivenBack(why: string): void;
}

/** Nothing waits in it: a reader takes each write at once, which is a whole read of a socket. */
const INPUT_BYTES = 1 << 20;

export class OwnReading {
  /** It has none: the names are those of a child. */
  readonly pid = undefined;
  readonly lastStderr = undefined;
  readonly recentStderr = '';
  alive = true;
  /** Why it has ended. */
  trouble = new SourceTrouble('it has ended');
  isGivenBack = false;
  readonly ended: Promise<ChildEnd>;
  private readonly open: OpenReader;
  private readonly hooks: OwnHooks;
  private readonly sink: Writable;
  private reader: OwnReader | undefined;
  private onMedia: () => void = () => undefined;
  private onEnded: () => void = () => undefined;
  private ready: (Buffer | (() => void))[] = [];

  constructor(open: OpenReader, hooks: OwnHooks) {
    this.open = open;
    this.hooks = hooks;
    this.ended = new Promise((resolve) => (this.onEnded = () => resolve({ code: 0, signal: null })));
    this.sink = new Writable({
      highWaterMark: INPUT_BYTES,
      write: (bytes: Buffer, _, done) => {
        this.guard(() => this.reader?.take?.(bytes));
        done();
      },
      final: (done) => {
        this.guard(() => this.reader?.finish?.());
        this.finish();
        done();
      },
    });
    // Who writes to an end that has closed is told by its close event.
    this.sink.on('error', () => undefined);
  }

  /** `onMedia` is called whenever packets have gone on air. */
  begin(onMedia: () => void): void {
    this.onMedia = onMedia;
    const { hooks } = this;
    const out: OwnOutput = {
      nextSeconds: hooks.nextSeconds,
      mayWait: hooks.mayWait,
      packets: (bytes) => void this.ready.push(bytes),
      after: (run) => void this.ready.push(run),
      end: (why) => this.finish(why),
      giveBack: (why) => {
        this.isGivenBack = true;
        hooks.onGivenBack(why);
        this.finish();
      },
      guard: (run) => this.guard(run),
    };
    this.guard(() => (this.reader = this.open(out)));
  }

  get mayWait(): () => boolean {
    return this.hooks.mayWait;
  }

  input(): Writable {
    return this.sink;
  }

  async end(): Promise<void> {
    this.finish();
    return Promise.resolve();
  }

  /** The ingest does so when nothing has come for too long. */
  kill(): void {
    this.finish(new SourceTrouble('it gives nothing'));
  }

  /** Packets leave outside of the guard: an error of whoever takes them is none of this source. */
  private guard(run: () => void): void {
    if (!this.alive) return;
    try {
      run();
    } catch (error) {
      const { message, stack } = error as Error;
      this.finish(new SourceTrouble('it cannot be read', stack, `it cannot be read (${message})`));
    }
    this.send();
  }

  private send(): void {
    const { ready } = this;
    this.ready = [];
    let packets: Buffer[] = [];
    const leave = (): void => {
      const left = packets;
      packets = [];
      if (left.length > 0 && this.hooks.take(left, this.reader?.namesCodecs === true)) this.onMedia();
    };
    for (const one of ready) {
      if (typeof one !== 'function') {
        packets.push(one);
        continue;
      }
      leave();
      one();
    }
    leave();
  }

  private finish(trouble?: SourceTrouble): void {
    if (!this.alive) return;
    this.alive = false;
    if (trouble !== undefined) this.trouble = trouble;
    this.reader?.close?.();
    this.sink.destroy();
    this.onEnded();
  }
}
