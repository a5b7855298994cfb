/** The gst-launch-1.0 that plays out by a DeckLink card: what it is given by a pipe, what it has shown, and why it ended. */
import { closeSync } from 'node:fs';
import { cardNodes, GSTREAMER, lastOf, whatIsMissing } from '../../feeder/card-equipment.ts';
import { shownSeconds } from '../../media/arguments/sdi-args.ts';
import { LineSplitter } from '../../media/ffmpeg-output/line-splitter.ts';
import type { ChildProcesses } from './child-processes.ts';
import type { Child } from './child.ts';

/** Time for what waits in its queues. */
const GRACE_MS = 1000;

export class CardPlayer {
  private readonly child: Child;
  private readonly output: number;
  private readonly writeEnd: number;
  private shown = 0;

  /** `output` is that of the pipeline. Throws the errors of the filesystem. */
  constructor(children: ChildProcesses, name: string, pipeline: readonly string[], output: number) {
    this.output = output;
    const { readEnd, writeEnd } = children.openPipe();
    this.writeEnd = writeEnd;
    this.child = children.spawn(name, pipeline, { program: GSTREAMER, handed: new Map([[0, readEnd]]) });
    closeSync(readEnd);
    const lines = new LineSplitter((line) => (this.shown = shownSeconds(line) ?? this.shown));
    this.child.output(1)?.on('data', (chunk: Buffer) => lines.push(chunk));
  }

  /** `start` starts the process that writes to this descriptor. Called once. */
  handOver<T>(start: (stdout: number) => T): T {
    try {
      return start(this.writeEnd);
    } finally {
      closeSync(this.writeEnd);
    }
  }

  /** Frames have been on the output of the card. */
  get hasShown(): boolean {
    return this.shown > 0;
  }

  /** This Device lacks something, and another try would not help. */
  get isUnfit(): boolean {
    return !this.child.alive && !this.hasShown && whatIsMissing(this.child.recentStderr) !== undefined;
  }

  /** Why it plays nothing any more; undefined while it does. */
  get loss(): string | undefined {
    const { alive, recentStderr } = this.child;
    if (alive) return undefined;
    const missing = this.hasShown ? undefined : whatIsMissing(recentStderr);
    const what = this.hasShown ? 'The card has stopped' : `Output ${this.output} of the card cannot be opened`;
    return missing ?? `${what}: ${lastOf(recentStderr)}`;
  }

  async end(): Promise<void> {
    await this.child.end(GRACE_MS);
  }
}

/** Connectors of the cards of this machine; 1 where none is found, so that the program says what is missing. */
export function cardOutputs(): number {
  return Math.max(1, cardNodes().length);
}
