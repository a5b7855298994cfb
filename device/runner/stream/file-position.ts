/**
 * How far a file has been played: an ffmpeg that is started again goes on there, and so does the successor of a killed runner, which reads
 * it from the disk.
 */
import { join } from 'node:path';
import type { SourceSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { readCached, writeAtomic } from '../../atomic-file.ts';
import { playsAsset } from '../../../domain/types/channel-questions.ts';

/** A successor shows so much of the file a second time at most. */
const KEEP_SECONDS = 0.5;
/** So near its end a file that loops begins anew; another one shows its last pictures again, and ends. */
const END_SECONDS = 0.5;

/** Undefined for a source that is no file. */
export function filePosition(runDir: string, source: SourceSpec): FilePosition | undefined {
  return playsAsset(source) ? new FilePosition(join(runDir, 'file.json'), source) : undefined;
}

export class FilePosition {
  private readonly file: string;
  private readonly path: string | null;
  private readonly duration: number | undefined;
  private readonly loops: boolean;
  /** Seconds of the file before the present connection. */
  private base = 0;
  private seconds: number;
  private kept = 0;

  /** `file` is where the position is kept. */
  constructor(file: string, { path, durationSeconds, settings }: SourceSpec) {
    this.file = file;
    this.path = path;
    this.duration = durationSeconds;
    this.loops = settings.loop !== false;
    const earlier = readCached(file) as { path?: unknown; seconds?: unknown } | undefined;
    this.seconds = earlier?.path === path && typeof earlier.seconds === 'number' ? earlier.seconds : 0;
  }

  /** Returns the seconds of the file at which a connection begins now. */
  begin(): number {
    this.base = this.next();
    return this.base;
  }

  /** So many seconds of the present connection have been shown. */
  shown(seconds: number): void {
    this.seconds = this.base + seconds;
    if (Math.abs(this.seconds - this.kept) < KEEP_SECONDS) return;
    this.kept = this.seconds;
    try {
      writeAtomic(this.file, JSON.stringify({ path: this.path, seconds: this.seconds }));
    } catch {
      // On a full disk only a successor misses it, and begins a little earlier.
    }
  }

  private next(): number {
    const { duration, loops, seconds } = this;
    if (duration === undefined || duration <= 2 * END_SECONDS) return 0;
    const within = loops ? seconds % duration : Math.min(seconds, duration - END_SECONDS);
    const isAtEnd = loops && within > duration - END_SECONDS;
    return isAtEnd || within < KEEP_SECONDS ? 0 : Number(within.toFixed(3));
  }
}
