/** All Recordings of this Device: lists them, and makes each one file once its run is over. */
import { rm } from 'node:fs/promises';
import { anySignal } from '../../../domain/base/any-signal.ts';
import { isShortage } from '../../../domain/base/absent.ts';
import { toIso } from '../../../domain/time/clock.ts';
import { AppError } from '../../../domain/base/errors.ts';
import type { HeldRecording, RecordingKey } from '../../../domain/shapes/media/recording.ts';
import { factsName } from '../../recording-names.ts';
import type { Log } from '../../../domain/base/log.ts';
import type { SentRange } from '../../../domain/ports/device-link.ts';
import { DiskFull } from './join-ffmpeg.ts';
import { joinRecording, factsOfParts } from './join.ts';
import { sendRange } from './send-range.ts';
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
  /** Tells whether no process writes for it any more. */
  isOver: (recording: RecordingKey) => boolean;
}

/** Space may come back at any time; a look costs one stat(2) a file. */
const RETRY_MS = 30_000;
/** An ffmpeg that fails so often over the same parts will fail for ever. */
const MAX_FAILURES = 3;

const NO_MEDIA = { state: 'failed', reason: 'There is no media in it.', files: 0, size_bytes: 0 } as const;

export class Recordings {
  private readonly options: RecordingsOptions;
  private readonly listeners = new Set<(recording: HeldRecording) => void>();
  /** Recordings that could not be joined yet, with the reason and the number of failures. */
  private readonly waiting = new Map<string, { reason: string; failures: number }>();
  /** Files that are being sent, by their paths. */
  private readonly sending = new Map<string, AbortController>();
  private readonly leaving = new AbortController();
  private joining: { key: string; end: AbortController; done: Promise<void> } | undefined;
  private looking: Promise<void> | undefined;
  private isLookDue = false;
  private retry: NodeJS.Timeout | undefined;

  constructor(options: RecordingsOptions) {
    this.options = options;
  }

  /** It is called once the runs of the last agent are known. */
  async adopt(): Promise<void> {
    await sweepUnfinished(this.options.deviceDir);
    this.look();
  }

  /** The listener hears of each change of a state; the returned function ends that. */
  watch(listener: (recording: HeldRecording) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async list(): Promise<HeldRecording[]> {
    return (await listRecordings(this.options.deviceDir)).map((recording) => this.heldRecording(recording));
  }

  /** The files of a Recording in their order. Rejects with AppError not_found. */
  async files(key: RecordingKey): Promise<StoredFile[]> {
    const recording = await findStored(this.options.deviceDir, key);
    if (recording === undefined) throw new AppError('not_found', 'The Device holds no such Recording.');
    return recording.files;
  }

  /**
   * Writes a range of a file to an address and resolves with the tag of the answer. The last call for a file counts: it ends the one before.
   * Rejects with AppError not_found and upstream_failed.
   */
  async send(key: RecordingKey, { name, ...range }: SentRange, signal: AbortSignal): Promise<string> {
    const file = (await this.files(key)).find((each) => each.name === name);
    if (file === undefined || range.to > file.bytes)
      throw new AppError('not_found', 'The Recording has no such file, or not so much of it.');
    const { path } = file;
    this.sending.get(path)?.abort();
    const end = new AbortController();
    this.sending.set(path, end);
    try {
      const { from, to, url, bytesPerSecond } = range;
      return await sendRange(
        { path, from, to, url, bytesPerSecond },
        anySignal([end.signal, signal, this.leaving.signal]),
      );
    } finally {
      if (this.sending.get(path) === end) this.sending.delete(path);
    }
  }

  async remove(key: RecordingKey): Promise<void> {
    if (!this.options.isOver(key))
      throw new AppError(
        'wrong_state',
        'The Recording is still being written. End it, or stop the Live stream, first.',
      );
    // A join that goes on would bring the Recording back under its new name.
    if (this.joining?.key === factsName(key)) {
      this.joining.end.abort();
      await this.joining.done;
    }
    await removeStored(this.options.deviceDir, key);
    this.waiting.delete(factsName(key));
  }

  /** Looks for parts that can become one file. Nobody waits for it: a day of media takes minutes. */
  look(): void {
    if (this.looking !== undefined) {
      this.isLookDue = true;
      return;
    }
    clearTimeout(this.retry);
    this.looking = this.lookThrough()
      .catch((error: unknown) => this.options.log.error({ err: error }, 'The Recordings could not be looked through.'))
      .finally(() => {
        this.looking = undefined;
        if (this.leaving.signal.aborted) return;
        if (this.isLookDue) this.look();
        else if (this.waiting.size > 0) this.retry = setTimeout(() => this.look(), RETRY_MS).unref();
      });
  }

  /** Ends the work of this agent; the next one begins an unfinished join anew. */
  async leave(): Promise<void> {
    this.leaving.abort();
    clearTimeout(this.retry);
    await this.looking;
  }

  private async lookThrough(): Promise<void> {
    this.isLookDue = false;
    for (const recording of await listRecordings(this.options.deviceDir)) {
      if (this.leaving.signal.aborted) return;
      if (!this.options.isOver(recording)) continue;
      if (readFacts(recording) === undefined) {
        const end = new AbortController();
        const done = this.finish(recording, anySignal([end.signal, this.leaving.signal]));
        this.joining = { key: factsName(recording), end, done };
        await done;
        this.joining = undefined;
      }
      await Promise.all(recording.spent.map(({ path }) => rm(path, { force: true })));
    }
  }

  private async finish(recording: StoredRecording, signal: AbortSignal): Promise<void> {
    const { deviceDir, log } = this.options;
    const before = this.waiting.get(factsName(recording));
    try {
      const facts = await joinRecording(recording, signal);
      if (facts === undefined) return this.publish(recording, NO_MEDIA);
      await writeFacts(recording, facts);
    } catch (error) {
      if (signal.aborted) return;
      const failures = (before?.failures ?? 0) + (error instanceof DiskFull || isShortage(error) ? 0 : 1);
      const reason = (error as Error).message;
      log.warn({ err: error, recording: factsName(recording) }, 'A Recording could not be made one file yet.');
      this.waiting.set(factsName(recording), { reason, failures });
      if (failures < MAX_FAILURES) {
        if (before?.reason !== reason) this.publish(recording);
        return;
      }
      // Several files that can be read are better than none: nothing more is tried.
      await writeFacts(recording, await factsOfParts(recording, `Its parts stay as they are: ${reason}`));
    }
    this.waiting.delete(factsName(recording));
    const now = await findStored(deviceDir, recording);
    if (now === undefined) return;
    await Promise.all(now.spent.map(({ path }) => rm(path, { force: true })));
    this.publish(now);
  }

  private publish(recording: StoredRecording, changes: Partial<HeldRecording> = {}): void {
    const message = { ...this.heldRecording(recording), ...changes };
    for (const listener of this.listeners) listener(message);
  }

  private heldRecording(recording: StoredRecording): HeldRecording {
    const { livestreamId, runId, publishingId, container, files } = recording;
    const facts = readFacts(recording);
    const isOver = this.options.isOver(recording);
    return {
      livestreamId,
      runId,
      publishingId,
      container,
      state: !isOver ? 'recording' : (facts?.state ?? 'joining'),
      reason: facts?.reason ?? this.waiting.get(factsName(recording))?.reason ?? null,
      started_at: facts?.started_at ?? toIso(files[0]!.bornMs),
      ended_at: facts?.ended_at ?? toIso(files.at(-1)!.changedMs),
      duration_seconds: facts?.duration_seconds ?? null,
      size_bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
      files: files.length,
      tracks: facts?.tracks ?? [],
    };
  }
}
