/**
 * Record: all renditions go into one file, and into a new one after each interruption. MP4 is written by this process; MPEG-TS, and what is
 * not read here, by an ffmpeg.
 */
import { statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { RunEvent } from '../../../../domain/shapes/broadcasts/run.ts';
import { recordArgs } from '../../../media/arguments/publisher-args.ts';
import type { ChildProcesses } from '../../process/child-processes.ts';
import type { EventLog } from '../../process/event-log.ts';
import type { FanOut, PacketSink } from '../../stream/fan-out.ts';
import { PacketFragments, type PackedTrack } from '../../stream/packet-fragments.ts';
import type { Attempt, AttemptHooks } from '../attempt.ts';
import { Publisher } from '../publisher.ts';
import { packedCodec } from '../packed-tracks.ts';
import { tracksOf } from '../rendition-tracks.ts';
import { FragmentRecord } from './fragment-record.ts';
import { bytesOf, nextFile, provenSeconds, RecordingLog, recordReason, type RecordOptions } from './recording-file.ts';

/** A process that is killed loses so much. Shorter fragments cost a header of some 100 bytes a track each. */
const FRAGMENT_SECONDS = 0.5;
/** Sound that is announced and does not come for so long is not in the file. */
const MAX_WAIT_SECONDS = 3;

export interface RecordParts {
  options: RecordOptions;
  packed: readonly PackedTrack[];
  children: ChildProcesses;
  packets: FanOut;
  events: EventLog;
  hooks: AttemptHooks;
  /** ffmpeg packs in place of this process; `why` is half a sentence. */
  onUnfit(why: string): void;
}

/** A file has one set-up of its tracks: what is coded in another way is the next part. */
class RecordedParts implements Attempt, PacketSink {
  private readonly parts: RecordParts;
  private part: Attempt;
  private former: Promise<unknown> = Promise.resolve();
  private isOver = false;
  readonly toleratesDelay = true;

  /** Throws the errors of the filesystem. */
  constructor(parts: RecordParts) {
    this.parts = parts;
    this.part = this.open();
    parts.packets.attach(this);
  }

  write(): void {
    // Each part has a view of its own.
  }

  flush(): void {
    // The same.
  }

  begins(): void {
    this.next(() => this.open());
  }

  async end(): Promise<void> {
    this.isOver = true;
    this.parts.packets.detach(this);
    await Promise.all([this.former, this.part.end()]);
  }

  private next(open: () => Attempt): void {
    if (this.isOver) return;
    this.former = Promise.all([this.former, this.part.end()]);
    try {
      this.part = open();
    } catch (error) {
      this.parts.packets.detach(this);
      this.parts.hooks.onDown((error as Error).message);
    }
  }

  private open(): Attempt {
    const { parts } = this;
    if (parts.options.container !== 'mp4') return beginByFfmpeg(parts);
    return packedPart(parts, parts.packed, (why) => {
      parts.onUnfit(why);
      // The part that gives up may still be opening.
      queueMicrotask(() => this.next(() => beginByFfmpeg(parts)));
    });
  }
}

/** Throws the errors of the filesystem. */
export function beginRecord(parts: RecordParts): Attempt {
  return new RecordedParts(parts);
}

function packedPart(
  { options, packets, events, hooks }: RecordParts,
  tracks: readonly PackedTrack[],
  onUnfit: (why: string) => void,
): Attempt {
  const form = { videoSeconds: FRAGMENT_SECONDS, audioSeconds: FRAGMENT_SECONDS, toleratesDelay: true };
  return new FragmentRecord({
    options,
    tracks: {
      pids: tracks.map(({ pid }) => pid),
      isThere: (pid) => packets.streams.has(pid),
      maxWaitSeconds: MAX_WAIT_SECONDS,
    },
    events,
    hooks,
    onUnfit,
    open: (sink) => new PacketFragments(tracks, form, packets, sink),
  });
}

function beginByFfmpeg({ options, children, packets, events, hooks }: RecordParts): Attempt {
  const { renditions, container, name } = options;
  const proven = provenSeconds(options);
  const path = nextFile(options);
  const log = new RecordingLog(options, path, events);
  const { videos, audios } = tracksOf(renditions);
  const format = {
    container,
    video: videos.map(({ settings }) => settings.codec),
    audio: audios.map(({ pid, settings }) => packedCodec(settings.codec, packets.streams.get(pid)?.type)),
    labels: audios.map(({ track }) => track),
  };
  return new Publisher(
    {
      name,
      args: recordArgs(format, path),
      access: { makesIn: [options.dir] },
      drains: true,
      toleratesDelay: true,
      explain: recordReason,
      streams: { videos: videos.map(({ pid }) => pid), audios: audios.map(({ pid }) => pid) },
      // The header is written with the first media.
      isProven: ({ outSeconds }) => bytesOf(path) > 0 && outSeconds >= proven,
      onUp: () => void log.opened(),
      onProgress: ({ outSeconds }) => log.grown(outSeconds),
      onGone: (progress) => log.closed(progress?.outSeconds ?? 0),
    },
    children,
    packets,
    hooks,
  );
}

/** Files that a killed runner left open are whole up to their last fragment; their end is the file's own time. */
export function closeInterrupted(earlier: readonly RunEvent[], dir: string, events: EventLog): RunEvent[] {
  const closed = new Set(earlier.filter(({ kind }) => kind === 'recording_closed').map(({ data }) => data.file));
  return earlier.flatMap(({ kind, at, data }) => {
    if (kind !== 'recording_opened' || typeof data.file !== 'string' || closed.has(data.file)) return [];
    const path = join(dir, basename(data.file));
    const bytes = bytesOf(path);
    const endMs = bytes === 0 ? Date.parse(at) : statSync(path).mtimeMs;
    const seconds = Math.max(0, Math.round(endMs - Date.parse(at)) / 1000);
    const facts = { publishingId: data.publishingId, file: data.file, bytes, seconds, interrupted: true };
    const message = `Recording ${data.file} was interrupted with the runner; it is kept.`;
    return [events.add('recording_closed', 'warning', message, facts)];
  });
}
