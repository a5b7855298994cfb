/** The files of a Recording: a new one after each interruption, and what the event log and the run's totals hear of them. */
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { toIso, type Clock } from '../../../../domain/time/clock.ts';
import { isTake } from '../../../../domain/shapes/media/recording.ts';
import type { RenditionPlan } from '../../../media/ladder/ladder-plan.ts';
import { parseRecordingFile, partName } from '../../../recording-names.ts';
import type { EventLog } from '../../process/event-log.ts';
import type { RecordingTotals } from './recording-totals.ts';

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

/** So many seconds in a file show that it is written. */
export function provenSeconds(options: RecordOptions): number {
  return isTake(options) ? PROVEN_ON_AIR_SECONDS : PROVEN_SECONDS;
}

export function bytesOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    // It has not been made yet.
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

/** Puts the words of ffmpeg, or of the filesystem, about a file that cannot be written into a reason without the file's path. */
export function recordReason(words: string): string | undefined {
  if (/already exists/iu.test(words))
    return 'A file of this part of the Recording is there already; the next part begins.';
  if (/no space left on device/iu.test(words)) return 'The disk for Recordings is full.';
  if (/permission denied|read-only file system/iu.test(words))
    return 'The folder of the Recordings cannot be written to.';
  return undefined;
}
