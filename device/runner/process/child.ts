/** One child process with its pipes, its stderr and its end. */
import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { withDeadline } from '../../../domain/time/deadline.ts';
import { LineSplitter } from '../../media/ffmpeg-output/line-splitter.ts';
import type { Redact } from '../../media/ffmpeg-output/redact.ts';
import { SRT_REFUSAL } from '../../media/ffmpeg-output/source-reason.ts';
import type { PacedPipe } from './paced-pipe.ts';
import type { RunLog } from './run-log.ts';

export interface ChildEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** An ffmpeg that complains with every packet must not push all else out of the log: a child may write so many lines in ten seconds. */
const LINES_PER_WINDOW = 30;
const WINDOW_MS = 10_000;
/** After its exit a child's pipes may hold its last output; they close at once unless something else holds them. */
const DRAIN_MS = 100;

export class Child {
  readonly name: string;
  readonly pid: number | undefined;
  private readonly process: ChildProcess;
  private readonly paced: PacedPipe | undefined;
  private readonly lines: string[] = [];
  /** Resolves after the exit, when the last output has been read. Never rejects. */
  readonly ended: Promise<ChildEnd>;
  alive = true;
  /** Takes the lines of stderr as they are. */
  onLine: ((line: string) => void) | undefined;

  /** `paced` stands for the pipe of descriptor 1. */
  constructor(name: string, process: ChildProcess, redact: Redact, log: RunLog, paced?: PacedPipe) {
    this.name = name;
    this.process = process;
    this.paced = paced;
    this.pid = process.pid;
    // EPIPE and ECONNRESET tell of an end that `ended` reports; unhandled they would end this process.
    for (const pipe of process.stdio) pipe?.on('error', () => undefined);
    this.listen(redact, log);
    this.ended = new Promise((resolve) => {
      const end: ChildEnd = { code: null, signal: null };
      const finish = (): void => {
        this.alive = false;
        paced?.close();
        resolve(end);
      };
      process.once('error', (error) => {
        this.lines.push(redact(error.message));
        finish();
      });
      process.once('exit', (code, signal) => {
        Object.assign(end, { code, signal });
        this.alive = false;
        paced?.finish();
        setTimeout(finish, DRAIN_MS).unref();
      });
      process.once('close', () => void (paced?.ended ?? Promise.resolve()).then(finish));
    });
  }

  /** Reads the lines beside their readers before. */
  alsoRead(read: (line: string) => void): void {
    const previous = this.onLine;
    this.onLine = (line) => {
      previous?.(line);
      read(line);
    };
  }

  input(fd: number): Writable {
    return this.process.stdio[fd] as Writable;
  }

  output(fd: number): Readable {
    return this.process.stdio[fd] as Readable;
  }

  /** Reads descriptor 1. While `mayWait` answers true, a child that was started for it is read some times a second. */
  read(onChunk: (chunk: Buffer) => void, mayWait: () => boolean): void {
    if (this.paced === undefined) this.output(1)?.on('data', onChunk);
    else this.paced.read(onChunk, mayWait);
  }

  /**
   * The reason that the child gave, without secrets; undefined when it gave none. It joins the last errors, because ffmpeg says first what
   * is wrong and then, less clearly, what could not be done because of it.
   */
  get lastStderr(): string | undefined {
    const errors = this.lines.filter((line) => /\[(?:error|fatal)\]/u.test(line));
    const refusals = this.lines.flatMap((line) => SRT_REFUSAL.exec(line)?.[1] ?? []);
    const lines =
      refusals.length > 0
        ? [`The SRT connection was refused: ${refusals.at(-1)}.`, ...errors.slice(-1)]
        : errors.length > 0
          ? [...new Set(errors.slice(-3))]
          : this.lines.slice(-1);
    if (lines.length === 0) return undefined;
    return lines
      .map((line) => line.replaceAll(/\[(?:error|fatal|warning|panic)\] ?/gu, '').trim())
      .join(' ')
      .slice(0, 400);
  }

  /** The last 20 lines, for a search of certain sentences. */
  get recentStderr(): string {
    return this.lines.join('\n');
  }

  kill(signal: NodeJS.Signals): void {
    if (this.alive) this.process.kill(signal);
  }

  /**
   * Ends the child for certain, in graceMs + 300 ms at most. The caller has ended its input; SIGTERM follows twice, because a blocked
   * ffmpeg only counts the first, then SIGKILL, which also ends a stopped process.
   */
  async end(graceMs: number): Promise<void> {
    if (await this.endsWithin(graceMs)) return;
    this.kill('SIGTERM');
    await delay(50);
    this.kill('SIGTERM');
    if (await this.endsWithin(250)) return;
    this.kill('SIGKILL');
    // A process in an uninterruptible wait (a dead network disk) ends when it can; nobody waits for that.
    await this.endsWithin(500);
  }

  private async endsWithin(ms: number): Promise<boolean> {
    return withDeadline(
      this.ended.then(() => true),
      ms,
      () => false,
    );
  }

  private listen(redact: Redact, log: RunLog): void {
    const window = { from: 0, lines: 0 };
    const lines = new LineSplitter((raw) => {
      this.onLine?.(raw);
      // Neither tells of trouble.
      if (/^(?:\[[^\]]* @ 0x[0-9a-f]+\] )?(?:\[info\]|\[verbose\]|\[warning\] New \w+ stream)/u.test(raw)) return;
      // A header of H.264 in an MP4 that is longer than the filter reads is no reason why a source ends.
      if (/^\[filter_units @ 0x[0-9a-f]+\] \[warning\]/u.test(raw)) return;
      const line = redact(raw.replaceAll(/\[([\w:,#/ -]+) @ 0x[0-9a-f]+\] ?/gu, ''));
      this.lines.push(line);
      if (this.lines.length > 20) this.lines.shift();
      const now = performance.now();
      if (now - window.from > WINDOW_MS) Object.assign(window, { from: now, lines: 0 });
      window.lines += 1;
      if (window.lines <= LINES_PER_WINDOW) log.warn(line, { child: this.name, pid: this.pid });
    });
    (this.process.stdio[2] as Readable | null)?.on('data', (chunk: Buffer) => lines.push(chunk));
  }
}
