/** Starts a feeder (device/feeder/) and waits until its source gives something: the ffmpeg that reads it is started then, and not before. */
import { closeSync } from 'node:fs';
import { feedLine, type FeedLine } from '../../feeder/feed-lines.ts';
import type { InputFeeder } from '../../media/arguments/input-feed.ts';
import { LineSplitter } from '../../media/ffmpeg-output/line-splitter.ts';
import { SourceTrouble } from '../../media/ffmpeg-output/source-reason.ts';
import { selfCommand } from '../../self-command.ts';
import type { ChildProcesses } from './child-processes.ts';
import type { Child } from './child.ts';

/** This Device lacks what the feeder needs. */
export class FeederUnavailable extends Error {}

/** It looks for 3 s and waits 5 s for the first frame; the rest is its own start on a busy machine. */
const OPEN_MS = 20_000;
const MEDIA_FD = 3;

/** Rejects with FeederUnavailable where this Device lacks something, and with SourceTrouble where the source gives nothing. */
export async function openFeeder(children: ChildProcesses, order: object, signal: AbortSignal): Promise<InputFeeder> {
  const { readEnd, writeEnd } = children.openPipe();
  const [program, args] = selfCommand('feeder', JSON.stringify(order));
  const child = children.spawn('feeder', args, { program, handed: new Map([[MEDIA_FD, writeEnd]]) });
  closeSync(writeEnd);
  const feeder = new Feeder(child, readEnd);
  const failure = await feeder.begun(signal, OPEN_MS);
  if (failure === undefined) return feeder;
  feeder.close();
  throw failure;
}

class Feeder implements InputFeeder {
  private readonly child: Child;
  private end: number | undefined;
  private first: ((failure: Error | undefined) => void) | undefined;
  trouble: SourceTrouble | undefined;

  constructor(child: Child, readEnd: number) {
    this.child = child;
    this.end = readEnd;
    const lines = new LineSplitter((text) => this.read(feedLine(text)));
    child.output(1)?.on('data', (chunk: Buffer) => lines.push(chunk));
    void child.ended.then(() =>
      this.first?.(this.trouble ?? new SourceTrouble(child.lastStderr ?? 'the feeder has ended')),
    );
  }

  /** Answers why nothing comes. */
  async begun(signal: AbortSignal, ms: number): Promise<Error | undefined> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.first?.(new SourceTrouble('the source gives nothing')), ms);
      const onAbort = (): void => this.first?.(new SourceTrouble('the source was not waited for'));
      signal.addEventListener('abort', onAbort);
      this.first = (failure) => {
        this.first = undefined;
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        resolve(failure);
      };
      if (signal.aborted) onAbort();
    });
  }

  /** The reader has the pipe from then on. */
  handOver<T>(start: (stdin: number) => T): T {
    const end = this.end!;
    this.end = undefined;
    try {
      return start(end);
    } finally {
      closeSync(end);
    }
  }

  close(): void {
    if (this.end !== undefined) closeSync(this.end);
    this.end = undefined;
    void this.child.end(0);
  }

  private read(line: FeedLine | undefined): void {
    if (line === undefined) return;
    if ('format' in line) return this.first?.(undefined);
    if ('signal' in line) {
      this.trouble = line.signal ? undefined : new SourceTrouble('the source sends nothing');
      return;
    }
    this.trouble = new SourceTrouble(line.error);
    this.first?.(line.isFinal === true ? new FeederUnavailable(line.error) : this.trouble);
  }
}
