/** Record of fragments of MP4: all tracks go into one fragmented file, which the runner writes by itself, since nothing is left to mux. */
import { createWriteStream, type WriteStream } from 'node:fs';
import { withDeadline } from '../../../../domain/time/deadline.ts';
import type { TrackInit } from '../../../media/fmp4/fmp4-parser.ts';
import { mergedFragment, mergedInit, withoutBefore } from '../../../media/fmp4/fmp4-merge.ts';
import type { EventLog } from '../../process/event-log.ts';
import type { FragmentBus, FragmentSink, TrackFragment } from '../../stream/fragment-bus.ts';
import type { PackedSink } from '../../stream/packet-fragments.ts';
import type { Attempt, AttemptHooks } from '../attempt.ts';
import { nextFile, provenSeconds, RecordingLog, recordReason, type RecordOptions } from './recording-file.ts';

/** A disk that takes nothing for so long is gone; a network disk may pause for some seconds. */
const MAX_QUEUED_BYTES = 64 << 20;
/** Units of audio before the first video frame: 20 s of them. */
const MAX_EARLY = 1000;
/** Time to write the bytes that wait. */
const GRACE_MS = 1000;

/** Gives fragments from `start` on; `end` gives the last ones, and `stop` nothing more. */
export interface RecordedFragments {
  start(): void;
  end(): void;
  stop(): void;
}

export interface RecordedTracks {
  /** The first one leads. */
  pids: readonly number[];
  /** Tells of each whether it is there. */
  isThere(pid: number): boolean;
  /** Seconds of the first track for which the file waits for the others; those that come later are not in it. */
  maxWaitSeconds: number;
}

export interface FragmentRecordParts {
  options: RecordOptions;
  tracks: RecordedTracks;
  events: EventLog;
  hooks: AttemptHooks;
  onUnfit?(why: string): void;
  open(sink: PackedSink): RecordedFragments;
}

/** The fragments of an encoder, which all have one set-up. */
export function fragmentsOf(bus: FragmentBus, sink: FragmentSink): RecordedFragments {
  const stop = (): void => bus.detach(sink);
  return { start: () => bus.attach(sink), end: stop, stop };
}

export class FragmentRecord implements Attempt, PackedSink {
  private readonly fragments: RecordedFragments;
  private readonly tracks: RecordedTracks;
  private readonly hooks: AttemptHooks;
  readonly onUnfit: (why: string) => void;
  private readonly log: RecordingLog;
  private readonly path: string;
  private readonly provenSeconds: number;
  private file: WriteStream | undefined;
  private readonly inits = new Map<number, TrackInit>();
  /** The tracks of the file, in its order. */
  private written: readonly number[] = [];
  /** Time at which the file begins: the first keyframe of the first track. */
  private originSeconds = 0;
  /** Fragments that came before the file could begin. */
  private early: TrackFragment[] = [];
  private sequence = 0;
  private seconds = 0;
  private over = false;

  /** Throws the errors of the filesystem. */
  constructor({ options, tracks, events, hooks, onUnfit, open }: FragmentRecordParts) {
    this.tracks = tracks;
    this.hooks = hooks;
    this.onUnfit = (why) => onUnfit?.(why);
    this.path = nextFile(options);
    this.log = new RecordingLog(options, this.path, events);
    this.provenSeconds = provenSeconds(options);
    this.fragments = open(this);
    this.fragments.start();
  }

  async end(): Promise<void> {
    if (!this.over) this.fragments.end();
    if (!this.over && this.first !== undefined) this.begin(this.first);
    this.over = true;
    const { file } = this;
    if (file?.destroyed === false) {
      const ended = new Promise<void>((resolve) => file.once('close', resolve));
      file.end();
      await withDeadline(ended, GRACE_MS, () => undefined);
      file.destroy();
    }
    this.log.closed(this.seconds);
  }

  init(pid: number, init: TrackInit): void {
    if (!this.tracks.pids.includes(pid)) return;
    // A file has one set-up: a different one begins the next file.
    if (this.written.includes(pid)) this.giveUp('The encoder was set up differently.');
    else this.inits.set(pid, init);
  }

  fragment(part: TrackFragment): void {
    if (this.over || !this.tracks.pids.includes(part.pid)) return;
    if (this.file !== undefined) return this.write(part, this.file);
    this.early.push(part);
    const { first } = this;
    if (first !== undefined && this.isComplete(first, part)) this.begin(first);
    else if (this.early.length > MAX_EARLY) this.early.shift();
  }

  /** The file begins with it. */
  private get first(): TrackFragment | undefined {
    return this.early.find(({ pid }) => pid === this.tracks.pids[0]);
  }

  /** Tells whether no track is waited for any more, with `newest`. */
  private isComplete(first: TrackFragment, newest: TrackFragment): boolean {
    const { pids, isThere, maxWaitSeconds } = this.tracks;
    if (pids.every((pid) => this.inits.has(pid) || !isThere(pid))) return true;
    const ticks = newest.pid === first.pid ? newest.fragment.startTime - first.fragment.startTime : 0;
    return ticks / this.inits.get(first.pid)!.timescale >= maxWaitSeconds;
  }

  /** Begins the file with the first keyframe of the first track. */
  private begin({ pid, fragment }: TrackFragment): void {
    const file = createWriteStream(this.path, { flags: 'wx', mode: 0o600 });
    file.on('error', ({ message }) =>
      this.giveUp(recordReason(message) ?? `The recording cannot be written: ${message}`),
    );
    this.file = file;
    this.written = this.tracks.pids.filter((id) => this.inits.has(id));
    this.originSeconds = fragment.startTime / this.inits.get(pid)!.timescale;
    file.write(mergedInit(this.written.map((id) => this.inits.get(id)!)));
    for (const part of this.early.splice(0)) this.write(part, file);
  }

  private write({ pid, fragment }: TrackFragment, file: WriteStream): void {
    const number = this.written.indexOf(pid) + 1;
    if (number === 0) return;
    const { timescale } = this.inits.get(pid)!;
    const originTicks = Math.round(this.originSeconds * timescale);
    // Audio that begins before the video has no place.
    const kept = withoutBefore(fragment, originTicks);
    if (kept === undefined) return;
    const bytes = mergedFragment(kept, number, ++this.sequence, originTicks);
    this.seconds = Math.max(this.seconds, (kept.startTime + kept.duration - originTicks) / timescale);
    file.write(bytes, () => this.onWritten(file));
    if (file.writableLength > MAX_QUEUED_BYTES) this.giveUp('The disk takes no more data.');
  }

  private onWritten(file: WriteStream): void {
    if (this.over || file.bytesWritten === 0 || this.seconds < this.provenSeconds) return;
    if (this.log.opened()) this.hooks.onUp();
    this.log.grown(this.seconds);
  }

  private giveUp(reason: string): void {
    if (this.over) return;
    this.over = true;
    this.fragments.stop();
    this.hooks.onDown(reason);
  }
}
