/** Record: all renditions go into one file, and into a new one after each interruption. */
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { toIso, type Clock } from '../../../domain/time/clock.ts';
import { isTake } from '../../../domain/shapes/media/recording.ts';
import type { RunEvent } from '../../../domain/shapes/broadcasts/run.ts';
import type { RenditionPlan } from '../../media/ladder/ladder-plan.ts';
import { recordArgs } from '../../media/arguments/publisher-args.ts';
import { parseRecordingFile, partName } from '../../recording-names.ts';
import type { ChildProcesses } from '../process/child-processes.ts';
import type { EventLog } from '../process/event-log.ts';
import type { FanOut, PacketSink } from '../stream/fan-out.ts';
import type { Attempt, AttemptHooks } from './attempt.ts';
import { Publisher } from './publisher.ts';
import type { RecordingTotals } from './recording-totals.ts';
import { tracksOf } from './rendition-tracks.ts';

export interface RecordOptions {
  name: string;
  publishingId: number;
  dir: string;
  runId: string;
  container: 'mp4' | 'ts';
  renditions: RenditionPlan[];
  totals: RecordingTotals;
  clock: Clock;
}

/**
 * A run is on air with the first Destination that is up: after this time the folders that viewers watch have their first segment, so their
 * addresses are good. With a longer time, a Recording that a crash cuts short would be known only by its file.
 */
const PROVEN_SECONDS = 2;
/** Somebody waits for the beginning of a recording on air. */
const PROVEN_ON_AIR_SECONDS = 0.2;

function bytesOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    // ffmpeg has not made the file yet.
    return 0;
  }
}

/** The instant at which the file was made, which is that of its first media: it is proven only seconds later. */
function bornAt(path: string, clock: Clock): string {
  try {
    return statSync(path).birthtime.toISOString();
  } catch {
    // Somebody has removed the file; the present instant is seconds later than its first media.
    return toIso(clock.now());
  }
}

/** The next part of the run's Recording for this Destination. */
export function nextFile(options: RecordOptions): string {
  const { dir, runId, publishingId } = options;
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const used = readdirSync(dir)
    .flatMap((name) => parseRecordingFile(name) ?? [])
    .filter((file) => file.runId === runId && file.publishingId === publishingId)
    .map(({ upTo }) => upTo);
  return join(dir, partName(options, Math.max(0, ...used) + 1));
}

/** Reports one file to the event log and to the run's totals. */
export class RecordingLog {
  private readonly publishingId: number;
  private readonly totals: RecordingTotals;
  private readonly path: string;
  private readonly events: EventLog;
  private readonly clock: Clock;
  private isOpen = false;
  private isClosed = false;

  constructor({ publishingId, totals, clock }: RecordOptions, path: string, events: EventLog) {
    this.publishingId = publishingId;
    this.totals = totals;
    this.path = path;
    this.events = events;
    this.clock = clock;
  }

  /** Media is in the file. Only the first call is reported, and returns true. */
  opened(): boolean {
    if (this.isOpen) return false;
    this.isOpen = true;
    const facts = { ...this.facts(0), started_at: bornAt(this.path, this.clock) };
    this.events.add('recording_opened', 'info', `Recording ${basename(this.path)} has begun.`, facts);
    return true;
  }

  grown(seconds: number): void {
    if (this.isOpen && !this.isClosed) this.totals.grown(this.publishingId, seconds, this.path);
  }

  closed(seconds: number): void {
    if (!this.isOpen || this.isClosed) return;
    this.isClosed = true;
    this.totals.closed(this.publishingId, seconds, bytesOf(this.path));
    const message = `Recording ${basename(this.path)} is closed after ${seconds.toFixed(1)} s.`;
    this.events.add('recording_closed', 'info', message, this.facts(Number(seconds.toFixed(3))));
  }

  private facts(seconds: number): Record<string, unknown> {
    const { publishingId, path } = this;
    return { publishingId, file: basename(path), bytes: bytesOf(path), seconds };
  }
}

/** Puts ffmpeg's words about a file that it cannot write into a reason without the file's path. */
function recordReason(words: string): string | undefined {
  if (/already exists/u.test(words))
    return 'A file of this part of the Recording is there already; the next part begins.';
  if (/No space left on device/u.test(words)) return 'The disk for Recordings is full.';
  if (/Permission denied|Read-only file system/u.test(words))
    return 'The folder of the Recordings cannot be written to.';
  return undefined;
}

/** A file has one set-up of its tracks: what is coded in another way is the next part. */
class RecordedParts implements Attempt, PacketSink {
  private readonly packets: FanOut;
  private readonly open: () => Attempt;
  private readonly hooks: AttemptHooks;
  private part: Attempt;
  private former: Promise<unknown> = Promise.resolve();
  readonly toleratesDelay = true;

  /** Throws what `open` throws. */
  constructor(packets: FanOut, open: () => Attempt, hooks: AttemptHooks) {
    this.packets = packets;
    this.open = open;
    this.hooks = hooks;
    this.part = open();
    packets.attach(this);
  }

  write(): void {
    // Each part has a view of its own.
  }

  flush(): void {
    // The same.
  }

  begins(): void {
    this.former = Promise.all([this.former, this.part.end()]);
    try {
      this.part = this.open();
    } catch (error) {
      this.packets.detach(this);
      this.hooks.onDown((error as Error).message);
    }
  }

  async end(): Promise<void> {
    this.packets.detach(this);
    await Promise.all([this.former, this.part.end()]);
  }
}

/** Throws the errors of the filesystem. */
export function beginRecord(
  options: RecordOptions,
  children: ChildProcesses,
  packets: FanOut,
  events: EventLog,
  hooks: AttemptHooks,
): Attempt {
  return new RecordedParts(packets, () => beginPart(options, children, packets, events, hooks), hooks);
}

function beginPart(
  options: RecordOptions,
  children: ChildProcesses,
  packets: FanOut,
  events: EventLog,
  hooks: AttemptHooks,
): Attempt {
  const { renditions, container, name } = options;
  const provenSeconds = isTake(options) ? PROVEN_ON_AIR_SECONDS : PROVEN_SECONDS;
  const path = nextFile(options);
  const log = new RecordingLog(options, path, events);
  const { videos, audios } = tracksOf(renditions);
  const format = {
    container,
    video: videos.map(({ settings }) => settings.codec),
    audio: audios.map(({ settings }) => settings.codec),
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
      isProven: ({ outSeconds }) => bytesOf(path) > 0 && outSeconds >= provenSeconds,
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
