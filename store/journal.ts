/**
 * Group commit: all that queued while the last batch was on its way goes out as the next, with one write and one fdatasync, and
 * each caller hears of its own batch. One loop does everything to the files, so a rotation waits for at most one batch, never
 * for an idle moment. The first failure is final: after a failed fdatasync nobody knows what the disk holds, and a second one
 * may succeed without having written it.
 */
import { rm } from 'node:fs/promises';
import { AppError } from '../domain/errors.ts';
import { pathOf, syncFolder } from './files.ts';
import { JournalFile } from './journal-file.ts';
import { lineOf } from './lines.ts';
import type { JournalEntry } from './recovery.ts';
import { messageOf, refusal } from './refusal.ts';
import type { Commit } from './tables.ts';

export interface JournalOwner {
  /** With each batch, in order, before its callers hear of it. */
  acknowledged(commits: readonly Commit[], bytes: number): void;
  /** Once, with all that waited, oldest first: these commits never happened. */
  refused(commits: readonly Commit[]): void;
  /** Says why this process must not write any more; undefined when it may. Asked before each write. */
  forbidden(): Promise<string | undefined> | undefined;
}

interface Batch {
  readonly commits: Commit[];
  readonly settled: Deferred<void>;
}

/** A new journal has begun; all before it is in older ones. */
export interface Rotation {
  readonly number: number;
  /** Position of the last commit before it. */
  readonly after: number;
}

export class Journal {
  readonly #dir: string;
  readonly #schemaVersion: number;
  readonly #owner: JournalOwner;
  #file: JournalFile;
  /** Of the last commit that is durable. */
  #seq: number;
  #waiting: Batch | undefined;
  #writing: Batch | undefined;
  #rotation: Deferred<Rotation> | undefined;
  #running = false;
  #problem: string | null = null;

  constructor(dir: string, schemaVersion: number, file: JournalFile, seq: number, owner: JournalOwner) {
    this.#dir = dir;
    this.#schemaVersion = schemaVersion;
    this.#file = file;
    this.#seq = seq;
    this.#owner = owner;
  }

  get problem(): string | null {
    return this.#problem;
  }

  append(commits: readonly Commit[]): Promise<void> {
    this.#waiting ??= { commits: [], settled: deferred() };
    for (const commit of commits) this.#waiting.commits.push(commit);
    this.#start();
    return this.#waiting.settled.promise;
  }

  /** The outcome of the youngest batch; undefined when there is none under way. */
  pending(): Promise<void> | undefined {
    return (this.#waiting ?? this.#writing)?.settled.promise;
  }

  /** Throws AppError unavailable when the journal has failed. */
  async settle(): Promise<void> {
    await this.pending();
    this.#assertSound();
  }

  /** Begins the next journal between two batches. When it cannot be made, the present one goes on. */
  async rotate(): Promise<Rotation> {
    this.#assertSound();
    this.#rotation ??= deferred();
    this.#start();
    return this.#rotation.promise;
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  #assertSound(): void {
    if (this.#problem !== null) throw refusal(this.#problem);
  }

  #start(): void {
    if (this.#running) return;
    this.#running = true;
    void this.#run();
  }

  async #run(): Promise<void> {
    for (;;) {
      // One turn of the event loop: whoever was just acknowledged joins the next batch with what it does next.
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#rotation !== undefined) await this.#turn(this.#rotation);
      const batch = this.#waiting;
      if (batch === undefined) break;
      this.#waiting = undefined;
      this.#writing = batch;
      await this.#write(batch);
      this.#writing = undefined;
    }
    this.#running = false;
  }

  async #write({ commits, settled }: Batch): Promise<void> {
    const first = commits[0]!.seq;
    let bytes: number;
    try {
      const problem = await this.#owner.forbidden();
      if (problem !== undefined) throw new AppError('unavailable', problem);
      bytes = await this.#file.append(
        commits
          .map(({ seq, body }) => lineOf(JSON.stringify({ seq, batch: first, ...body } satisfies JournalEntry)))
          .join(''),
      );
    } catch (cause) {
      await this.#fail(`writing ${this.#file.path} failed (${messageOf(cause)})`, cause);
      return;
    }
    this.#seq = commits.at(-1)!.seq;
    this.#owner.acknowledged(commits, bytes);
    settled.resolve();
  }

  async #turn(rotation: Deferred<Rotation>): Promise<void> {
    this.#rotation = undefined;
    if (this.#problem !== null) {
      rotation.reject(refusal(this.#problem));
      return;
    }
    const old = this.#file;
    const number = old.number + 1;
    try {
      this.#file = await JournalFile.create(this.#dir, number, {
        schemaVersion: this.#schemaVersion,
        after: this.#seq,
      });
    } catch (cause) {
      await this.#unmake(number);
      rotation.reject(cause);
      return;
    }
    rotation.resolve({ number, after: this.#seq });
    // All of it is on disk: an error of close says nothing about the commits.
    await old.close().catch(() => undefined);
  }

  /** A new journal that stayed behind half made would be the last one, and the one in use before it could not be torn any more. */
  async #unmake(number: number): Promise<void> {
    const path = pathOf(this.#dir, 'journal', number);
    try {
      await rm(path, { force: true });
      await syncFolder(this.#dir);
    } catch (cause) {
      await this.#fail(`removing ${path} failed (${messageOf(cause)})`, cause);
    }
  }

  async #fail(problem: string, cause: unknown): Promise<void> {
    this.#problem = problem;
    const batches = [this.#writing, this.#waiting].filter((batch) => batch !== undefined);
    this.#waiting = undefined;
    this.#owner.refused(batches.flatMap(({ commits }) => commits));
    try {
      await this.#file.cutBack();
    } catch {
      // The disk refuses that too. The next start cuts a torn line; a whole one it replays, and then a write that was answered
      // with "unavailable" did happen after all, which that answer allows.
    }
    const error = refusal(problem, cause);
    for (const { settled } of batches) settled.reject(error);
  }
}

interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(reason: unknown): void;
}

function deferred<T>(): Deferred<T> {
  let settle!: Pick<Deferred<T>, 'resolve' | 'reject'>;
  const promise = new Promise<T>((resolve, reject) => (settle = { resolve, reject }));
  return { promise, ...settle };
}
