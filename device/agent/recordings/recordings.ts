/** All Recordings of this Device: what lies there, and how it becomes one file each once its run is over. */
import { rm } from 'node:fs/promises';
import { toIso } from '../../../domain/clock.ts';
import { AppError } from '../../../domain/errors.ts';
import type { HeldRecording, RecordingKey } from '../../../domain/recording.ts';
import { factsName } from '../../recording-names.ts';
import type { Log } from '../../../domain/log.ts';
import { DiskFull } from './join-ffmpeg.ts';
import { joinRecording, keptAsParts } from './join.ts';
import {
  findStored,
  listRecordings,
  readFacts,
  removeStored,
  sweepUnfinished,
  writeFacts,
  type StoredRecording,
  type StoredFile,
} from './stored-recordings.ts';

export interface RecordingsOptions {
  deviceDir: string;
  log: Log;
  /** Whether nothing writes for this run any more. */
  isOver: (runId: string) => boolean;
}

/** Room may come back at any time; a look costs one stat(2) a file. */
const RETRY_MS = 30_000;
/** An ffmpeg that fails so often over the same parts will fail for ever. */
const MAX_FAILURES = 3;

const NO_MEDIA = { state: 'failed', reason: 'There is no media in it.', files: 0, size_bytes: 0 } as const;

export class Recordings {
  private readonly options: RecordingsOptions;
  private readonly listeners = new Set<(recording: HeldRecording) => void>();
  /** Why a Recording is not one file yet, and how often that was tried in vain. */
  private readonly waiting = new Map<string, { reason: string; failures: number }>();
  private readonly left = new AbortController();
  private joining: { key: string; end: AbortController; done: Promise<void> } | undefined;
  private looking: Promise<void> | undefined;
  private again = false;
  private retry: NodeJS.Timeout | undefined;

  constructor(options: RecordingsOptions) {
    this.options = options;
  }

  /** Call once the runs of the last agent are known. */
  async adopt(): Promise<void> {
    await sweepUnfinished(this.options.deviceDir);
    this.look();
  }

  /** Told of each change of a state; the answer ends it. */
  watch(listener: (recording: HeldRecording) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async list(): Promise<HeldRecording[]> {
    return (await listRecordings(this.options.deviceDir)).map((stored) => this.held(stored));
  }

  /** Its files in their order. Rejects with AppError not_found. */
  async files(key: RecordingKey): Promise<StoredFile[]> {
    const stored = await findStored(this.options.deviceDir, key);
    if (stored === undefined) throw new AppError('not_found', 'The Device holds no such Recording.');
    return stored.files;
  }

  async remove(key: RecordingKey): Promise<void> {
    if (!this.options.isOver(key.runId))
      throw new AppError('wrong_state', 'The Recording is still being written. Stop the Live stream first.');
    // It would come back under its new name.
    if (this.joining?.key === factsName(key)) {
      this.joining.end.abort();
      await this.joining.done;
    }
    await removeStored(this.options.deviceDir, key);
    this.waiting.delete(factsName(key));
  }

  /** Looks for parts that can become one file. Not waited for: a day of media takes minutes. */
  look(): void {
    if (this.looking !== undefined) {
      this.again = true;
      return;
    }
    clearTimeout(this.retry);
    this.looking = this.lookThrough()
      .catch((error: unknown) => this.options.log.error({ err: error }, 'The Recordings could not be looked through.'))
      .finally(() => {
        this.looking = undefined;
        if (this.left.signal.aborted) return;
        if (this.again) this.look();
        else if (this.waiting.size > 0) this.retry = setTimeout(() => this.look(), RETRY_MS).unref();
      });
  }

  /** The agent goes; what is half joined is begun anew by the next one. */
  async leave(): Promise<void> {
    this.left.abort();
    clearTimeout(this.retry);
    await this.looking;
  }

  private async lookThrough(): Promise<void> {
    this.again = false;
    for (const stored of await listRecordings(this.options.deviceDir)) {
      if (this.left.signal.aborted) return;
      if (!this.options.isOver(stored.runId)) continue;
      if (readFacts(stored) === undefined) {
        const end = new AbortController();
        const done = this.finish(stored, AbortSignal.any([end.signal, this.left.signal]));
        this.joining = { key: factsName(stored), end, done };
        await done;
        this.joining = undefined;
      }
      await Promise.all(stored.spent.map(({ path }) => rm(path, { force: true })));
    }
  }

  private async finish(stored: StoredRecording, signal: AbortSignal): Promise<void> {
    const { deviceDir, log } = this.options;
    const before = this.waiting.get(factsName(stored));
    try {
      const facts = await joinRecording(stored, signal);
      if (facts === undefined) return this.tell(stored, NO_MEDIA);
      await writeFacts(stored, facts);
    } catch (error) {
      if (signal.aborted) return;
      const failures = (before?.failures ?? 0) + (error instanceof DiskFull ? 0 : 1);
      const reason = (error as Error).message;
      log.warn({ err: error, recording: factsName(stored) }, 'A Recording could not be made one file yet.');
      this.waiting.set(factsName(stored), { reason, failures });
      if (failures < MAX_FAILURES) {
        if (before?.reason !== reason) this.tell(stored);
        return;
      }
      // Better several files that can be read than none: nothing more is tried.
      await writeFacts(stored, await keptAsParts(stored, `Its parts stay as they are: ${reason}`));
    }
    this.waiting.delete(factsName(stored));
    const now = await findStored(deviceDir, stored);
    if (now === undefined) return;
    await Promise.all(now.spent.map(({ path }) => rm(path, { force: true })));
    this.tell(now);
  }

  private tell(stored: StoredRecording, changes: Partial<HeldRecording> = {}): void {
    const recording = { ...this.held(stored), ...changes };
    for (const listener of this.listeners) listener(recording);
  }

  private held(stored: StoredRecording): HeldRecording {
    const { livestreamId, runId, publishingId, container, files } = stored;
    const facts = readFacts(stored);
    const isOver = this.options.isOver(runId);
    return {
      livestreamId,
      runId,
      publishingId,
      container,
      state: !isOver ? 'recording' : (facts?.state ?? 'joining'),
      reason: facts?.reason ?? this.waiting.get(factsName(stored))?.reason ?? null,
      started_at: facts?.started_at ?? toIso(files[0]!.bornMs),
      ended_at: facts?.ended_at ?? toIso(files.at(-1)!.changedMs),
      duration_seconds: facts?.duration_seconds ?? null,
      size_bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
      files: files.length,
      tracks: facts?.tracks ?? [],
    };
  }
}
