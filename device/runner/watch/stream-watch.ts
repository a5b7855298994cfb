/**
 * Notices that the ffmpeg of a connection does not take what its source gives by now: a stream that has appeared since it was opened, one
 * that has moved, one that is coded in another way, or a clock that has begun anew. ffmpeg itself says so in its log.
 */
import type { Child } from '../process/child.ts';

export type StreamKind = 'picture' | 'sound';

export interface Misfit {
  stream: StreamKind;
  /** `clock`: its times have jumped, and ffmpeg does not follow. `quiet`: it has paused, or is of a codec of which nothing comes out. */
  change: 'begun' | 'moved' | 'coded' | 'clock' | 'quiet';
  /** Its connection goes on with the stream by itself. */
  isFollowed?: true;
}

/**
 * Streams that are wanted of a source, and whether its connection takes all of that. One that `mayBeAny` is taken whenever there is one,
 * whatever its number.
 */
export type Taken = Record<StreamKind, { isWanted: boolean; isTaken: boolean; mayBeAny: boolean }>;

/** The streams of a source that has changed appear together. */
const TOGETHER_MS = 300;
/** Sound may come in pieces of 0.35 s. */
const QUIET_MS = 800;
/** A stream that has moved is silent at its old place within this. */
const MOVES_MS = 5000;
/** Damage on the line makes errors, too, for a moment. */
const UNDECODED_MS = 1200;
const LOOK_MS = 200;
const NEW_STREAM = /New (audio|video) stream/u;
/** It appeared while ffmpeg analysed a source whose arguments had been chosen before. */
const DESCRIBED = /Stream #0:\d+.*?: (Audio|Video): (?!.*attached pic)/u;
const FAULT = /\[(?:error|fatal)\]/u;
const KINDS: readonly StreamKind[] = ['picture', 'sound'];

export class StreamWatch {
  private readonly taken: Taken;
  private readonly onMisfit: (misfit: Misfit) => void;
  private readonly lastAt: Partial<Record<StreamKind, number>> = {};
  private readonly newAt: Partial<Record<StreamKind, number>> = {};
  private faultAt = -Infinity;
  private isDone = false;

  /** `onMisfit` is called once. */
  constructor(taken: Taken, onMisfit: (misfit: Misfit) => void) {
    this.taken = taken;
    this.onMisfit = onMisfit;
  }

  /** Watches until the child has ended; `format` notices when the times of the pictures jump. */
  read(child: Child, format?: { onJump: (() => void) | undefined }): void {
    if (format !== undefined) format.onJump = () => this.tell({ stream: 'picture', change: 'clock' });
    child.alsoRead((line) => this.line(line, performance.now()));
    const timer = setInterval(() => this.look(performance.now()), LOOK_MS);
    void child.ended.then(() => clearInterval(timer));
  }

  /** Something has come out of ffmpeg. */
  came(stream: StreamKind, now = performance.now()): void {
    this.lastAt[stream] = now;
  }

  line(line: string, now: number): void {
    const [, kind] = NEW_STREAM.exec(line) ?? [];
    if (kind !== undefined) this.newAt[kind === 'audio' ? 'sound' : 'picture'] = now;
    const [, described] = DESCRIBED.exec(line) ?? [];
    const stream = described === 'Audio' ? 'sound' : 'picture';
    const { isTaken, mayBeAny } = this.taken[stream];
    if (described !== undefined && !isTaken && mayBeAny) this.newAt[stream] ??= now;
    if (FAULT.test(line)) this.faultAt = now;
  }

  /** It is called some times a second. */
  look(now: number): void {
    for (const stream of KINDS) {
      const change = this.changeOf(stream, now);
      if (change !== undefined && this.taken[stream].isWanted) this.tell({ stream, change });
    }
  }

  private changeOf(stream: StreamKind, now: number): Misfit['change'] | undefined {
    const { [stream]: newAt = Infinity } = this.newAt;
    const { [stream]: lastAt } = this.lastAt;
    if (!this.taken[stream].isTaken) return now - newAt >= TOGETHER_MS ? 'begun' : undefined;
    if (lastAt === undefined) return undefined;
    const isNew = now - newAt >= TOGETHER_MS && now - newAt < MOVES_MS;
    if (isNew && now - lastAt > QUIET_MS) return 'moved';
    return now - lastAt > UNDECODED_MS && now - this.faultAt < UNDECODED_MS ? 'coded' : undefined;
  }

  private tell(misfit: Misfit): void {
    if (this.isDone) return;
    this.isDone = true;
    this.onMisfit(misfit);
  }
}
