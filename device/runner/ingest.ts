/** Keeps a source coming in: starts its ffmpeg, finds out what the source has, reconnects with growing pauses. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { retryDelayMs } from '../../domain/back-off.ts';
import { LIST_FILE, type IngestInput, type Shape } from '../media/ingest-args.ts';
import type { Child } from './child.ts';
import type { Nursery } from './nursery.ts';

/** How an ingest's ffmpeg is called and read: raw frames, or a transport stream. */
export interface IngestKind {
  fds: number;
  args(input: IngestInput, shape: Shape): string[];
  /** Reads the child's output; calls `onMedia` whenever some has come. */
  connect(child: Child, shape: Shape, onMedia: () => void): void;
  firstShape: Shape;
}

export interface IngestHooks {
  /** The first media of a connection. */
  onFlow(): void;
  onDown(reason: string): void;
}

/** A source in trouble is asked again after half a second, and every 10 s in the end: a source that returns is soon seen. */
const BACK_OFF = { max_attempts: Number.MAX_SAFE_INTEGER, initial_delay_ms: 500, max_delay_ms: 10_000 };
/** ffmpeg's own limits end most silences after 5 s; this ends those that it does not see, e.g. a frozen ffmpeg. */
const SILENT_MS = 10_000;
/** Connect, handshakes and analysis of a slow RTMP server take up to 8 s. */
const FIRST_MEDIA_MS = 20_000;
/** A connection that lasted so long was a good one: the next failure starts with a short pause again. */
const HEALTHY_MS = 10_000;

export class Ingest {
  private readonly nursery: Nursery;
  private readonly dir: string;
  private readonly name: string;
  private readonly openInput: () => IngestInput;
  private input: IngestInput | undefined;
  private readonly kind: IngestKind;
  private readonly hooks: IngestHooks;
  /** Whether an orderly end is the end of the source, as with a file that does not loop. */
  private readonly finite: boolean;
  private shape: Shape;
  private shapeTries = 0;
  private child: Child | undefined;
  private timer: NodeJS.Timeout | undefined;
  private watchdog: NodeJS.Timeout | undefined;
  private attempts = 0;
  private spawnedAt = 0;
  private lastMediaAt = 0;
  private flowing = false;
  private stopped = true;
  /** Why the last connection ended, without secrets. */
  lastError: string | undefined;

  constructor(
    nursery: Nursery,
    dir: string,
    name: string,
    input: () => IngestInput,
    kind: IngestKind,
    finite: boolean,
    hooks: IngestHooks,
  ) {
    this.nursery = nursery;
    this.dir = dir;
    this.name = name;
    this.openInput = input;
    this.kind = kind;
    this.finite = finite;
    this.hooks = hooks;
    this.shape = kind.firstShape;
  }

  get pid(): number | undefined {
    return this.child?.alive === true ? this.child.pid : undefined;
  }

  get lastWords(): string | undefined {
    return this.child?.lastWords ?? this.lastError;
  }

  start(): void {
    if (!this.stopped) return;
    this.stopped = false;
    this.watchdog = setInterval(() => this.watch(), 500);
    this.connect();
  }

  /** At once: a source has nothing that must be saved. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    clearInterval(this.watchdog);
    this.child?.kill('SIGKILL');
    await this.child?.end(500);
    this.removeList();
  }

  private connect(): void {
    let args: string[];
    try {
      args = this.prepare();
    } catch (error) {
      // A full disk for the list: the same as a source that does not answer.
      return this.down((error as Error).message);
    }
    const child = this.nursery.spawn(this.name, args, { fds: this.kind.fds });
    this.child = child;
    this.flowing = false;
    this.spawnedAt = performance.now();
    this.lastMediaAt = this.spawnedAt;
    this.kind.connect(child, this.shape, () => this.onMedia(child));
    void child.ended.then(({ code }) => this.onEnded(child, code));
  }

  private prepare(): string[] {
    const input = (this.input ??= this.openInput());
    const list = join(this.dir, `${this.name}.ffconcat`);
    if (input.list !== undefined) writeFileSync(list, input.list, { mode: 0o600 });
    return this.kind.args(input, this.shape).map((argument) => (argument === LIST_FILE ? list : argument));
  }

  private onMedia(child: Child): void {
    if (child !== this.child || this.stopped) return;
    this.lastMediaAt = performance.now();
    if (this.flowing) return;
    this.flowing = true;
    this.removeList();
    this.hooks.onFlow();
  }

  private onEnded(child: Child, code: number | null): void {
    this.removeList();
    if (this.stopped) return;
    if (!this.flowing && this.shapeTries < 2) {
      const shape = otherShape(child.recentWords, this.shape);
      if (shape !== undefined) {
        this.shapeTries += 1;
        this.shape = shape;
        return this.connect();
      }
    }
    const finished = this.finite && this.flowing && code === 0;
    const reason = finished ? 'The file has ended.' : (child.lastWords ?? `The source ended (exit code ${code}).`);
    if (this.flowing && performance.now() - this.spawnedAt > HEALTHY_MS) this.attempts = 0;
    this.down(reason, finished);
  }

  private down(reason: string, finished = false): void {
    this.lastError = reason;
    this.hooks.onDown(reason);
    if (finished || this.stopped) return;
    this.attempts += 1;
    this.timer = setTimeout(() => this.connect(), retryDelayMs(BACK_OFF, this.attempts, Math.random()));
  }

  private watch(): void {
    const silentMs = performance.now() - this.lastMediaAt;
    if (silentMs > (this.flowing ? SILENT_MS : FIRST_MEDIA_MS)) this.child?.kill('SIGKILL');
  }

  private removeList(): void {
    if (this.input?.list !== undefined) rmSync(join(this.dir, `${this.name}.ffconcat`), { force: true });
  }
}

/**
 * ffmpeg ends when a stream that is asked for is not in the source, and says so in one of two sentences. A probe before every
 * start would cost each source a second connection and 100-300 ms; this costs only those that lack a stream.
 */
export function otherShape(words: string, shape: Shape): Shape | undefined {
  if (shape !== 'both') return undefined;
  const selector = /Stream map '([^']*)' matches no streams/u.exec(words)?.[1];
  const output = /Output file #(\d) does not contain any stream/u.exec(words)?.[1];
  if (selector !== undefined) return /a(?::|$)/u.test(selector) ? 'video' : 'audio';
  if (output !== undefined) return output === '0' ? 'audio' : 'video';
  return undefined;
}
