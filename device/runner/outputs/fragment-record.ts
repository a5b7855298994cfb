/** Record of a stream of fragments: all renditions as tracks of one fragmented MP4, written by the runner, since nothing is left to mux. */
import { createWriteStream, type WriteStream } from 'node:fs';
import { withDeadline } from '../../../domain/time/deadline.ts';
import type { TrackInit } from '../../media/fmp4/fmp4-parser.ts';
import { mergedFragment, mergedInit } from '../../media/fmp4/fmp4-merge.ts';
import type { EventLog } from '../process/event-log.ts';
import type { FragmentBus, FragmentSink, TrackFragment } from '../stream/fragment-bus.ts';
import type { Attempt, AttemptHooks } from './attempt.ts';
import { nextFile, RecordingLog, type RecordOptions } from './record-output.ts';
import { tracksOf } from './rendition-tracks.ts';

/** A disk that takes nothing for so long is gone; a network disk may pause for some seconds. */
const MAX_QUEUED_BYTES = 64 << 20;
/** Units of audio before the first video frame: 20 s of them. */
const MAX_EARLY = 1000;
/** Time to write the bytes that wait. */
const GRACE_MS = 1000;

export class FragmentRecord implements Attempt, FragmentSink {
  private readonly fragments: FragmentBus;
  private readonly hooks: AttemptHooks;
  private readonly log: RecordingLog;
  private readonly file: WriteStream;
  private readonly pids: number[];
  private readonly inits = new Map<number, TrackInit>();
  /** Time at which the file begins: the first keyframe of the first track. */
  private originSeconds: number | undefined;
  /** Fragments that came before that: its audio, since video waits for its next keyframe. */
  private early: TrackFragment[] = [];
  private sequence = 0;
  private seconds = 0;
  private over = false;

  /** Throws the errors of the filesystem. */
  constructor(options: RecordOptions, fragments: FragmentBus, events: EventLog, hooks: AttemptHooks) {
    this.fragments = fragments;
    this.hooks = hooks;
    const path = nextFile(options);
    this.log = new RecordingLog(options, path, events);
    const { videos, audios } = tracksOf(options.renditions);
    this.pids = [...videos, ...audios].map(({ pid }) => pid);
    this.file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
    this.file.on('error', (error) => this.giveUp(`The recording cannot be written: ${error.message}`));
    fragments.attach(this);
  }

  async end(): Promise<void> {
    this.fragments.detach(this);
    this.over = true;
    if (!this.file.destroyed) {
      const ended = new Promise<void>((resolve) => this.file.once('close', resolve));
      this.file.end();
      await withDeadline(ended, GRACE_MS, () => undefined);
      this.file.destroy();
    }
    this.log.closed(this.seconds);
  }

  init(pid: number, init: TrackInit): void {
    if (!this.pids.includes(pid)) return;
    // A file has one set-up: a different one begins the next file.
    if (this.inits.has(pid)) this.giveUp('The encoder was set up differently.');
    else this.inits.set(pid, init);
  }

  fragment(part: TrackFragment): void {
    if (this.over || !this.pids.includes(part.pid)) return;
    if (this.originSeconds !== undefined) return this.write(part);
    this.early.push(part);
    if (part.pid === this.pids[0] && this.inits.size === this.pids.length) this.begin(part);
    else if (this.early.length > MAX_EARLY) this.early.shift();
  }

  /** Begins the file with the first keyframe of the first track. */
  private begin({ pid, fragment }: TrackFragment): void {
    this.originSeconds = fragment.startTime / this.inits.get(pid)!.timescale;
    this.file.write(mergedInit(this.pids.map((id) => this.inits.get(id)!)));
    for (const part of this.early.splice(0)) this.write(part);
  }

  private write({ pid, fragment }: TrackFragment): void {
    const { timescale } = this.inits.get(pid)!;
    const originTicks = Math.round(this.originSeconds! * timescale);
    // Audio that begins before the video has no place.
    if (fragment.decodeTime < originTicks) return;
    const bytes = mergedFragment(fragment, this.pids.indexOf(pid) + 1, ++this.sequence, originTicks);
    this.seconds = Math.max(this.seconds, (fragment.startTime + fragment.duration - originTicks) / timescale);
    this.file.write(bytes, () => this.onWritten());
    if (this.file.writableLength > MAX_QUEUED_BYTES) this.giveUp('The disk takes no more data.');
  }

  private onWritten(): void {
    if (this.over || this.file.bytesWritten === 0) return;
    if (this.log.opened()) this.hooks.onUp();
    this.log.grown(this.seconds);
  }

  private giveUp(reason: string): void {
    if (this.over) return;
    this.over = true;
    this.fragments.detach(this);
    this.hooks.onDown(reason);
  }
}
