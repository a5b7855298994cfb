/**
 * Room for the journal, taken before it is needed: on a disk that somebody else has filled a stop, a deletion and a sign-in are still
 * written. While the disk gives no more, the store says which calls have to wait (domain/ports/store.ts, Shortage), and looks again each second.
 */
import type { Shortage } from '../../domain/ports/store.ts';
import { allot, diskSpaceOf, megabytes, type DiskSpace } from '../../linux/disk-space.ts';
import { NoRoom } from '../files/disk-full.ts';
import type { JournalFile } from './journal-file.ts';

/** Room for more than ten thousand deletions of about 1 KB each; twice the journal at which a snapshot is written. */
const MAX_AHEAD_BYTES = 16 * 1024 * 1024;
/** On a small disk the journal takes no larger share than this ahead. */
const AHEAD_SHARE = 1 / 16;
/** Stays free for other files of a broadcast's end (orders, events, logs); segments leave the same free (disk-guard.ts). */
const MAX_KEPT_FREE_BYTES = 128 * 1024 * 1024;
const KEPT_FREE_SHARE = 1 / 80;
/** Below these shares of the wanted room, calls that create have to wait, and those that update. */
const LOW = 1 / 2;
const VERY_LOW = 1 / 8;
const LOOK_MS = 1000;

export class JournalRoom {
  private readonly dir: string;
  private readonly warn: (message: string) => void;
  private file: JournalFile;
  /** End of the file's blocks, where the file system allots them. */
  private allottedTo: number;
  /** When false, free space is only counted. */
  private allots = true;
  private wanted = MAX_AHEAD_BYTES;
  private free = Infinity;
  private keptFree = 0;
  private lookedAt = 0;
  private looking: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private refusedAt = -Infinity;
  private closed = false;
  private currentShortage: Shortage | undefined;

  private constructor(dir: string, file: JournalFile, allottedTo: number, warn: (message: string) => void) {
    this.dir = dir;
    this.file = file;
    this.allottedTo = allottedTo;
    this.warn = warn;
  }

  /** Begins to take room; the first write that needs it waits for it. */
  static async of(dir: string, file: JournalFile, warn: (message: string) => void): Promise<JournalRoom> {
    const room = new JournalRoom(dir, file, await file.endOfBlocks(), warn);
    void room.look();
    return room;
  }

  get shortage(): Shortage | undefined {
    return this.currentShortage;
  }

  /** Call before a write of this many bytes; undefined when there is room. Rejects with NoRoom; nothing was written then. */
  admit(bytes: number): Promise<void> | undefined {
    return this.fits(bytes) ? undefined : this.make(bytes);
  }

  /** Call after a write. */
  written(bytes: number): void {
    this.free -= bytes;
    this.refusedAt = -Infinity;
    if (this.currentShortage !== undefined) this.updateShortage();
    else if (this.ahead < this.wanted * LOW || (!this.allots && performance.now() - this.lookedAt > LOOK_MS))
      void this.look();
  }

  /** Call after a write that found no room and was cut off: the blocks beyond the end are gone with it. */
  lost(): void {
    this.allottedTo = this.file.bytes;
    this.free = 0;
    this.refusedAt = performance.now();
    this.updateShortage();
  }

  /**
   * Continues with the next journal, for which `others` bytes beside it must be free too. Rejects with NoRoom; everything stays as it was
   * then.
   */
  async move(next: JournalFile, others: number): Promise<void> {
    await this.looking;
    this.looking = this.moveNow(next, others).finally(() => (this.looking = undefined));
    await this.looking;
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    // The caller of the move gets its error; here only the end of the look matters.
    await this.looking?.catch(() => undefined);
  }

  /** Bytes that can be written for certain or, where blocks are not allotted, probably. */
  private get ahead(): number {
    return this.allots ? this.allottedTo - this.file.bytes : this.free - this.keptFree;
  }

  private fits(bytes: number): boolean {
    return !this.allots || this.file.bytes + bytes <= this.allottedTo;
  }

  private async make(bytes: number): Promise<void> {
    await this.look();
    if (this.fits(bytes)) return;
    // The last of the disk is for calls that cannot wait. Each try costs a process.
    if (performance.now() - this.refusedAt > LOOK_MS && !(await this.allot(this.file, bytes))) return;
    if (this.fits(bytes)) return;
    this.refusedAt = performance.now();
    this.updateShortage();
    throw new NoRoom('ENOSPC: no room for a write of the journal');
  }

  /** Joins a look that is under way. */
  private look(): Promise<void> {
    this.looking ??= this.lookNow().finally(() => (this.looking = undefined));
    return this.looking;
  }

  private async lookNow(): Promise<void> {
    await this.measure();
    const missing = this.file.bytes + this.wanted - this.allottedTo;
    if (this.allots && missing > 0 && this.free - missing >= this.keptFree) {
      await this.allot(this.file, this.wanted);
      this.free -= missing;
    }
    this.updateShortage();
  }

  private async moveNow(next: JournalFile, others: number): Promise<void> {
    await this.measure();
    const needed = this.wanted + others + this.keptFree;
    if (this.free < needed) throw noRoom(this.free, needed);
    const before = { file: this.file, allottedTo: this.allottedTo };
    this.file = next;
    this.allottedTo = next.bytes;
    const isAsked = await this.allot(next, this.wanted);
    if (!isAsked || (this.allots && this.ahead < this.wanted)) {
      this.file = before.file;
      this.allottedTo = before.allottedTo;
      throw isAsked ? noRoom(this.free, needed) : new Error('no descriptor is free to ask for its room');
    }
    this.updateShortage();
  }

  /** False: nobody could ask. Then a write is tried without, and says by itself when the disk is full. */
  private async allot(file: JournalFile, bytes: number): Promise<boolean> {
    if (!this.allots) return true;
    const from = file.bytes;
    const allotment = await allot(file.path, from, bytes);
    if (allotment.outcome === 'later') return false;
    if (allotment.outcome === 'done') this.allottedTo = Math.max(this.allottedTo, from + bytes);
    else if (allotment.outcome === 'full') this.allottedTo = Math.max(this.allottedTo, await file.endOfBlocks());
    else {
      this.allots = false;
      this.warn(
        `No room can be kept for the journal in ${this.dir} (${allotment.reason}): keep its disk from running full.`,
      );
    }
    return true;
  }

  private async measure(): Promise<void> {
    this.lookedAt = performance.now();
    // A disk that cannot tell its space fails its writes by itself, so the journal is not held up for that.
    const space = await diskSpaceOf(this.dir).catch((): DiskSpace => ({ free_bytes: Infinity, size_bytes: Infinity }));
    this.free = space.free_bytes;
    this.wanted = Math.floor(Math.min(MAX_AHEAD_BYTES, space.size_bytes * AHEAD_SHARE));
    this.keptFree = Math.floor(Math.min(MAX_KEPT_FREE_BYTES, space.size_bytes * KEPT_FREE_SHARE));
  }

  private updateShortage(): void {
    const before = this.currentShortage;
    const level = this.level();
    if (level === undefined) {
      this.currentShortage = undefined;
      if (before !== undefined) this.warn('The disk of the data folder has room again; everything is taken as before.');
      return;
    }
    const message = `the disk of the data folder is nearly full (${megabytes(Math.max(0, this.free))} free)`;
    this.currentShortage = { level, message };
    if (before === undefined) this.warn(`${message}; what can wait is refused until there is room.`);
    if (this.closed) return;
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      void this.look();
    }, LOOK_MS).unref();
  }

  private level(): Shortage['level'] | undefined {
    const part = this.ahead / this.wanted;
    if (part >= LOW) return undefined;
    if (performance.now() - this.refusedAt <= 2 * LOOK_MS) return 'none';
    return part < VERY_LOW ? 'very_low' : 'low';
  }
}

function noRoom(free: number, needed: number): NoRoom {
  return new NoRoom(`ENOSPC: ${megabytes(free)} free of the ${megabytes(needed)} that it takes`);
}
