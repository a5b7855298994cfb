/**
 * Answers that a key is in no row of a file, which is so for nearly every key that is looked for. It holds 32 bits of each key's hash in a
 * table with open addressing: 8 to 16 bytes a key, and among 50,000 keys one wrong "perhaps" in 86,000. A bounded part of the tables is in
 * memory, the others are in the file of their pool.
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
    this.slots ??= this.pool.takeBack(this.offset, this.length);
    for (const hash of hashes) {
      if (2 * (this.used + 1) > this.length) this.grow(this.slots);
      this.put(this.slots, printOf(hash));
    }
    this.pool.keep(this);
  }

  mayHave(hash: number): boolean {
    const print = printOf(hash);
    const mask = this.length - 1;
    for (let at = print & mask; ;) {
      const [slots, from, to] = this.slotsFrom(at);
      for (let index = from; index < to; index += 1) {
        if (slots[index] === print) return true;
        if (slots[index] === 0) return false;
      }
      at = (at + to - from) & mask;
    }
  }

  /** Answers whether it is out of memory now. */
  leave(): boolean {
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
    // A query that had begun and still asks finds no key.
    this.slots = new Uint32Array(MIN_SLOTS);
    this.length = MIN_SLOTS;
  }

  /** Some slots from the given one on, with their position. */
  private slotsFrom(at: number): readonly [slots: Uint32Array, from: number, to: number] {
    if (this.slots !== undefined) return [this.slots, at, this.length];
    const count = Math.min(SLOTS_READ, this.length - at);
    return [this.pool.read(this.offset, at, count), 0, count];
  }

  private put(slots: Uint32Array, print: number): void {
    const mask = this.length - 1;
    let at = print & mask;
    while (slots[at] !== 0) {
      if (slots[at] === print) return;
      at = (at + 1) & mask;
    }
    slots[at] = print;
    this.used += 1;
  }

  private grow(old: Uint32Array): void {
    this.length *= 2;
    this.slots = new Uint32Array(this.length);
    this.used = 0;
    for (const print of old) if (print !== 0) this.put(this.slots, print);
  }
}

/** 0 marks a free slot. */
function printOf(hash: number): number {
  return (hash % 2 ** 32) >>> 0 || 1;
}
