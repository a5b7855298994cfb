/** Record: all renditions into one file, a new one after each interruption. */
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { RunEvent } from '../../domain/run.ts';
import type { AudioStreamPlan, RenditionPlan, VideoStreamPlan } from '../media/ladder-plan.ts';
import { recordArgs } from '../media/publisher-args.ts';
import { parseRecordingFile, partName } from '../recording-names.ts';
import type { Attempt, AttemptHooks } from './destination-path.ts';
import type { EventLog } from './event-log.ts';
import type { FanOut } from './fan-out.ts';
import type { Nursery } from './nursery.ts';
import { Publisher } from './publisher.ts';

export interface RecordOptions {
  name: string;
  publishingId: number;
  dir: string;
  runId: string;
  container: 'mp4' | 'ts';
  renditions: RenditionPlan[];
}

function bytesOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
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

/** Sounds that are shared are one track. */
export function tracksOf(renditions: readonly RenditionPlan[]): {
  videos: VideoStreamPlan[];
  audios: AudioStreamPlan[];
} {
  const videos = renditions.flatMap(({ video }) => (video === undefined ? [] : [video]));
  const audios = [...new Set(renditions.flatMap(({ audio }) => (audio === undefined ? [] : [audio])))];
  return { videos, audios };
}

/** What the event log says of one file. */
export class RecordingLog {
  private readonly publishingId: number;
  private readonly path: string;
  private readonly events: EventLog;
  private isOpen = false;
  private isClosed = false;

  constructor(publishingId: number, path: string, events: EventLog) {
    this.publishingId = publishingId;
    this.path = path;
    this.events = events;
  }

  /** Media is in it. The first call is told, and answered with true. */
  opened(): boolean {
    if (this.isOpen) return false;
    this.isOpen = true;
    this.events.add('recording_opened', 'info', `Recording ${basename(this.path)} has begun.`, this.facts(0));
    return true;
  }

  closed(seconds: number): void {
    if (!this.isOpen || this.isClosed) return;
    this.isClosed = true;
    const message = `Recording ${basename(this.path)} is closed after ${seconds.toFixed(1)} s.`;
    this.events.add('recording_closed', 'info', message, this.facts(Number(seconds.toFixed(3))));
  }

  private facts(seconds: number): Record<string, unknown> {
    const { publishingId, path } = this;
    return { publishingId, file: basename(path), bytes: bytesOf(path), seconds };
  }
}

/** Throws what the filesystem says. */
export function beginRecord(
  options: RecordOptions,
  nursery: Nursery,
  fanOut: FanOut,
  events: EventLog,
  hooks: AttemptHooks,
): Attempt {
  const { publishingId, renditions, container, name } = options;
  const path = nextFile(options);
  const log = new RecordingLog(publishingId, path, events);
  const { videos, audios } = tracksOf(renditions);
  const format = {
    container,
    video: videos.map(({ settings }) => settings.codec),
    audio: audios.map(({ settings }) => settings.codec),
  };
  // The header alone (a few hundred bytes) is no recording: media has come when the file has grown since it was first seen.
  let headerBytes: number | undefined;
  return new Publisher(
    {
      name,
      args: recordArgs(format, path),
      streams: { videos: videos.map(({ pid }) => pid), audios: audios.map(({ pid }) => pid) },
      isProven() {
        const bytes = bytesOf(path);
        if (bytes > 0) headerBytes ??= bytes;
        return headerBytes !== undefined && bytes > headerBytes;
      },
      onUp: () => void log.opened(),
      onGone: (progress) => log.closed(progress?.outSeconds ?? 0),
    },
    nursery,
    fanOut,
    hooks,
  );
}

/** Files that a killed runner left open are whole up to their last fragment; their end is told by the file's own time. */
export function closeInterrupted(earlier: readonly RunEvent[], dir: string, events: EventLog): void {
  const closed = new Set(earlier.filter(({ kind }) => kind === 'recording_closed').map(({ data }) => data.file));
  for (const { kind, at, data } of earlier) {
    if (kind !== 'recording_opened' || typeof data.file !== 'string' || closed.has(data.file)) continue;
    const path = join(dir, basename(data.file));
    const bytes = bytesOf(path);
    const endMs = bytes === 0 ? Date.parse(at) : statSync(path).mtimeMs;
    const seconds = Math.max(0, Math.round(endMs - Date.parse(at)) / 1000);
    const facts = { publishingId: data.publishingId, file: data.file, bytes, seconds, interrupted: true };
    events.add(
      'recording_closed',
      'warning',
      `Recording ${data.file} was interrupted with the runner; it is kept.`,
      facts,
    );
  }
}
