/**
 * Tells of a key that no row of a segment has it, so that the segment need not be read: this is so for nearly every key that is looked for.
 * A fingerprint is 32 bits of the key's hash. The table of fingerprints has open addressing: 8 to 16 bytes a key, and among 50,000 keys one
 * wrong "perhaps" in 86,000. A bounded part of all tables is in memory, the others are in the file of their pool.
 */
import type { FingerprintPool } from './fingerprint-pool.ts';

const MIN_SLOTS = 1024;
/** Slots that are read at once from a table in the file: a key is mostly within the first few slots from its own. */
const SLOTS_READ = 16;

export class Fingerprints {
  private readonly pool: FingerprintPool;
  /** Undefined while the table is in the file of the pool, at the offset. */
  private slots: Uint32Array | undefined = new Uint32Array(MIN_SLOTS);
  private length = MIN_SLOTS;
  private used = 0;
  private offset = 0;

  constructor(pool: FingerprintPool) {
    this.pool = pool;
  }

  get bytes(): number {
    return this.length * Uint32Array.BYTES_PER_ELEMENT;
  }

  addAll(hashes: Iterable<number>): void {
    this.slots ??= this.pool.readAndFree(this.offset, this.length);
    for (const hash of hashes) {
      if (2 * (this.used + 1) > this.length) this.grow(this.slots);
      this.put(this.slots, fingerprintOf(hash));
    }
    this.pool.limitMemory(this);
  }

  mayHave(hash: number): boolean {
    const fingerprint = fingerprintOf(hash);
    const mask = this.length - 1;
    for (let at = fingerprint & mask; ;) {
      const [slots, from, to] = this.slotsFrom(at);
      for (let index = from; index < to; index += 1) {
        if (slots[index] === fingerprint) return true;
        if (slots[index] === 0) return false;
      }
      at = (at + to - from) & mask;
    }
  }

  /** Moves the table from memory into the pool's file. Returns false, and keeps it in memory, when the file has no room. */
  moveToFile(): boolean {
    if (this.slots === undefined) return true;
    const offset = this.pool.write(this.slots);
    if (offset === undefined) return false;
    this.offset = offset;
    this.slots = undefined;
    return true;
  }

  remove(): void {
    this.pool.forget(this);
    if (this.slots === undefined) this.pool.free(this.offset, this.length);
    // A query that began before the removal finds no key from here on.
    this.slots = new Uint32Array(MIN_SLOTS);
    this.length = MIN_SLOTS;
  }

  /** Some slots from the given one on, with their position. */
  private slotsFrom(at: number): readonly [slots: Uint32Array, from: number, to: number] {
    if (this.slots !== undefined) return [this.slots, at, this.length];
    const count = Math.min(SLOTS_READ, this.length - at);
    return [this.pool.read(this.offset, at, count), 0, count];
  }

  private put(slots: Uint32Array, fingerprint: number): void {
    const mask = this.length - 1;
    let at = fingerprint & mask;
    while (slots[at] !== 0) {
      if (slots[at] === fingerprint) return;
      at = (at + 1) & mask;
    }
    slots[at] = fingerprint;
    this.used += 1;
  }

  private grow(old: Uint32Array): void {
    this.length *= 2;
    this.slots = new Uint32Array(this.length);
    this.used = 0;
    for (const fingerprint of old) if (fingerprint !== 0) this.put(this.slots, fingerprint);
  }
}

/** 0 marks a free slot. */
function fingerprintOf(hash: number): number {
  return (hash % 2 ** 32) >>> 0 || 1;
}
