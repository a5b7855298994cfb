/**
 * Group commit: all commits that queued while the last batch was being written go out as the next, with one write and one fdatasync, and
 * each caller hears of its own batch. One loop makes every change to the files, so a rotation waits for at most one batch, never for an
 * idle moment. A write for which the disk has no room is taken back and refused, and the next is tried. Any other failure is final: after a
 * failed fdatasync nobody knows the contents of the disk, and a second one may succeed without having written them.
 */
import { open, rm, type FileHandle } from 'node:fs/promises';
import { isShortage } from '../../domain/base/absent.ts';
import { AppError } from '../../domain/base/errors.ts';
import type { Shortage } from '../../domain/ports/store.ts';
import { NoRoom } from '../files/disk-full.ts';
import { pathOf } from '../files/files.ts';
import { JournalFile } from './journal-file.ts';
import type { JournalRoom } from './journal-room.ts';
import { lineOf } from '../files/lines.ts';
import type { JournalEntry } from './recovery.ts';
import { messageOf, refusal, roomRefusal, shortageRefusal } from '../tables/refusal.ts';
import type { Commit } from '../tables/tables.ts';

export interface JournalOwner {
  /** Called with each batch, in order, before its callers hear of it. */
  acknowledged(commits: readonly Commit[], bytes: number): void;
  /** Called with all waiting commits, oldest first: they never happened. */
  refused(commits: readonly Commit[]): void;
  /** Answers why this process must not write any more; undefined when it may. Called before each write. */
  forbidden(): Promise<string | undefined> | undefined;
}

interface Batch {
  readonly commits: Commit[];
  readonly settled: Deferred<void>;
}

/** A new journal has begun; all earlier commits are in older ones. */
export interface Rotation {
  readonly number: number;
  /** Position of the last commit before it. */
  readonly after: number;
}

/** `others` are the bytes that the disk must have room for beside the new journal. */
type WantedRotation = Deferred<Rotation> & { readonly others: number };

export interface JournalOptions {
  dir: string;
  schemaVersion: number;
  file: JournalFile;
  room: JournalRoom;
  /** Position of the last durable commit. */
  seq: number;
  owner: JournalOwner;
}

export class Journal {
  private readonly dir: string;
  private readonly schemaVersion: number;
  private readonly owner: JournalOwner;
  private readonly room: JournalRoom;
  private file: JournalFile;
  private seq: number;
  private waiting: Batch | undefined;
  private writing: Batch | undefined;
  private rotation: WantedRotation | undefined;
  /** Times that commits were refused for want of room and taken back from memory. */
  private refusalCount = 0;
  private running = false;
  private currentProblem: string | null = null;

  constructor({ dir, schemaVersion, file, room, seq, owner }: JournalOptions) {
    this.dir = dir;
    this.schemaVersion = schemaVersion;
    this.file = file;
    this.room = room;
    this.seq = seq;
    this.owner = owner;
  }

  get problem(): string | null {
    return this.currentProblem;
  }

  get refusals(): number {
    return this.refusalCount;
  }

  get shortage(): Shortage | undefined {
    return this.room.shortage;
  }

  append(commits: readonly Commit[]): Promise<void> {
    this.waiting ??= { commits: [], settled: deferred() };
    for (const commit of commits) this.waiting.commits.push(commit);
    this.start();
    return this.waiting.settled.promise;
  }

  /** The outcome of the youngest batch; undefined when none is under way. */
  pending(): Promise<void> | undefined {
    return (this.waiting ?? this.writing)?.settled.promise;
  }

  /** Throws AppError unavailable when the journal has failed. */
  async settle(): Promise<void> {
    await this.pending();
    this.assertSound();
  }

  /**
   * Begins the next journal between two batches. When it cannot be made, or when the disk has no room for it and for `others` bytes beside
   * it, the present one goes on.
   */
  async rotate(others: number): Promise<Rotation> {
    this.assertSound();
    this.rotation ??= { ...deferred<Rotation>(), others };
    this.start();
    return this.rotation.promise;
  }

  async close(): Promise<void> {
    await this.room.close();
    await this.file.close();
  }

  private assertSound(): void {
    if (this.currentProblem !== null) throw refusal(this.currentProblem);
  }

  private start(): void {
    if (this.running) return;
    this.running = true;
    void this.run();
  }

  private async run(): Promise<void> {
    for (;;) {
      // One turn of the event loop lets callers that were just acknowledged join the next batch.
      await new Promise((resolve) => setImmediate(resolve));
      if (this.rotation !== undefined) await this.turn(this.rotation);
      const batch = this.waiting;
      if (batch === undefined) break;
      this.waiting = undefined;
      this.writing = batch;
      await this.write(batch);
      this.writing = undefined;
    }
    this.running = false;
  }

  private async write({ commits, settled }: Batch): Promise<void> {
    const first = commits[0]!.seq;
    let bytes: Buffer;
    try {
      const problem = await this.owner.forbidden();
      if (problem !== undefined) throw new AppError('unavailable', problem);
      const lines = commits.map(({ seq, body }) =>
        lineOf(JSON.stringify({ seq, batch: first, ...body } satisfies JournalEntry)),
      );
      bytes = Buffer.from(lines.join(''));
      const room = this.room.admit(bytes.length);
      if (room !== undefined) await room;
      await this.file.append(bytes);
    } catch (cause) {
      if (cause instanceof NoRoom) await this.putOff(roomRefusal(cause));
      // Nothing was written: what is asked before a write takes a descriptor, the write itself takes none.
      else if (isShortage(cause) && !this.file.isTorn) await this.putOff(shortageRefusal(cause));
      else await this.fail(`writing ${this.file.path} failed (${messageOf(cause)})`, cause);
      return;
    }
    this.seq = commits.at(-1)!.seq;
    this.room.written(bytes.length);
    this.owner.acknowledged(commits, bytes.length);
    settled.resolve();
  }

  private async turn(rotation: WantedRotation): Promise<void> {
    this.rotation = undefined;
    if (this.currentProblem !== null) {
      rotation.reject(refusal(this.currentProblem));
      return;
    }
    const old = this.file;
    const number = old.number + 1;
    let next: JournalFile | undefined;
    let folder: FileHandle | undefined;
    try {
      // It is open before anything is made: what is half made can be unmade then, also where no further descriptor is free.
      folder = await open(this.dir, 'r');
      next = await JournalFile.create(this.dir, number, { schemaVersion: this.schemaVersion, after: this.seq });
      await this.room.move(next, rotation.others);
      this.file = next;
    } catch (cause) {
      await next?.close();
      if (folder !== undefined) await this.unmake(number, folder);
      rotation.reject(cause);
      return;
    } finally {
      await folder?.close();
    }
    rotation.resolve({ number, after: this.seq });
    // All of it is on disk, so an error of close says nothing about the commits.
    await old
      .giveBack()
      .finally(() => old.close())
      .catch(() => undefined);
  }

  /** A half-made new journal would be the last one, and a torn end of the one in use before it would look like damage. */
  private async unmake(number: number, folder: FileHandle): Promise<void> {
    const path = pathOf(this.dir, 'journal', number);
    try {
      await rm(path, { force: true });
      await folder.sync();
    } catch (cause) {
      await this.fail(`removing ${path} failed (${messageOf(cause)})`, cause);
    }
  }

  private async fail(problem: string, cause: unknown): Promise<void> {
    this.currentProblem = problem;
    const batches = this.takeBack();
    try {
      await this.file.cutBack();
    } catch {
      // The disk refuses that too. The next start cuts a torn line; it replays a whole one, and then a write that was answered with
      // "unavailable" did happen after all, which that answer allows.
    }
    const error = refusal(problem, cause);
    for (const { settled } of batches) settled.reject(error);
  }

  /** The waiting commits are refused with it, because they were planned over the refused ones. */
  private async putOff(error: AppError): Promise<void> {
    this.refusalCount += 1;
    const batches = this.takeBack();
    try {
      if (await this.file.restore()) this.room.lost();
    } catch (failure) {
      const problem = `what a full disk left of a write in ${this.file.path} could not be cut off (${messageOf(failure)})`;
      for (const { settled } of batches) settled.reject(refusal(problem, failure));
      await this.fail(problem, failure);
      return;
    }
    for (const { settled } of batches) settled.reject(error);
  }

  /** When this returns, memory is the acknowledged state; the waiting callers have yet to hear of it. */
  private takeBack(): Batch[] {
    const batches = [this.writing, this.waiting].filter((batch) => batch !== undefined);
    this.writing = undefined;
    this.waiting = undefined;
    this.owner.refused(batches.flatMap(({ commits }) => commits));
    return batches;
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
