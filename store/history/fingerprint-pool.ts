/**
 * The fingerprints of all segments, of which a bounded part is in memory, however many keys a day has. The others are in a file without a
 * name: each process makes it anew from the records, so it need not be durable and goes with the process.
 */
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** The tables of 800,000 keys, which is more than a day has, unless a faulty script repeats its calls. */
const MAX_BYTES = 8 * 1024 * 1024;
const SLOT_BYTES = Uint32Array.BYTES_PER_ELEMENT;

/** A table of fingerprints that the pool may move out of memory. */
interface PooledTable {
  readonly bytes: number;
  /** Moves the table into the pool's file. Returns false, and keeps it in memory, when the file has no room. */
  moveToFile(): boolean;
}

export class FingerprintPool {
  private readonly path: string;
  /** Tables in memory, those that grew last at the end. */
  private readonly inMemory = new Set<PooledTable>();
  private fd: number | undefined;
  private end = 0;
  /** Free places of the file, by number of slots. */
  private readonly freeByLength = new Map<number, number[]>();

  constructor(dir: string) {
    this.path = join(dir, 'fingerprints.tmp');
  }

  get bytes(): number {
    let sum = 0;
    for (const { bytes } of this.inMemory) sum += bytes;
    return sum;
  }

  /** Counts a table that has grown, and moves the oldest ones to the file while all together take too much memory; on a full disk they stay. */
  limitMemory(grown: PooledTable): void {
    this.inMemory.delete(grown);
    this.inMemory.add(grown);
    let { bytes } = this;
    for (const oldest of this.inMemory) {
      if (bytes <= MAX_BYTES || oldest === grown || !oldest.moveToFile()) break;
      this.inMemory.delete(oldest);
      bytes -= oldest.bytes;
    }
  }

  forget(gone: PooledTable): void {
    this.inMemory.delete(gone);
  }

  /** Writes a table to the file and returns its offset; undefined when there is no room. */
  write(slots: Uint32Array): number | undefined {
    const places = this.freeByLength.get(slots.length);
    const offset = places?.pop() ?? this.end;
    try {
      writeAt(this.opened(), slots, offset);
    } catch {
      // On a full disk the table stays in memory.
      places?.push(offset);
      return undefined;
    }
    this.end = Math.max(this.end, offset + slots.byteLength);
    return offset;
  }

  read(offset: number, from: number, count: number): Uint32Array {
    const slots = new Uint32Array(count);
    const bytes = readSync(this.opened(), slots, 0, slots.byteLength, offset + from * SLOT_BYTES);
    if (bytes < slots.byteLength)
      throw new Error(`the file of fingerprints ends ${slots.byteLength - bytes} bytes early`);
    return slots;
  }

  /** Reads a whole table and frees its place in the file. */
  readAndFree(offset: number, length: number): Uint32Array {
    const slots = this.read(offset, 0, length);
    this.free(offset, length);
    return slots;
  }

  free(offset: number, length: number): void {
    const places = this.freeByLength.get(length);
    if (places === undefined) this.freeByLength.set(length, [offset]);
    else places.push(offset);
  }

  close(): void {
    if (this.fd !== undefined) closeSync(this.fd);
    this.fd = undefined;
  }

  private opened(): number {
    if (this.fd !== undefined) return this.fd;
    this.fd = openSync(this.path, 'w+', 0o600);
    unlinkSync(this.path);
    return this.fd;
  }
}

function writeAt(fd: number, slots: Uint32Array, offset: number): void {
  for (let done = 0; done < slots.byteLength;)
    done += writeSync(fd, slots, done, slots.byteLength - done, offset + done);
}
