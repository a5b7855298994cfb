/**
 * Says of a key that is in no row of a file that it is not there, which is so for nearly every key that is looked for. 32 bits of each
 * key's hash in a table with open addressing: 8 to 16 bytes a key, and among 50,000 keys one wrong "perhaps" in 86,000.
 */
const LEAST_SLOTS = 1024;

export class Fingerprints {
  #slots = new Uint32Array(LEAST_SLOTS);
  #used = 0;

  add(hash: number): void {
    if (2 * (this.#used + 1) > this.#slots.length) this.#grow();
    this.#put(printOf(hash));
  }

  mayHave(hash: number): boolean {
    const print = printOf(hash);
    const mask = this.#slots.length - 1;
    for (let at = print & mask; this.#slots[at] !== 0; at = (at + 1) & mask) if (this.#slots[at] === print) return true;
    return false;
  }

  #put(print: number): void {
    const mask = this.#slots.length - 1;
    let at = print & mask;
    while (this.#slots[at] !== 0) {
      if (this.#slots[at] === print) return;
      at = (at + 1) & mask;
    }
    this.#slots[at] = print;
    this.#used += 1;
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Uint32Array(2 * old.length);
    this.#used = 0;
    for (const print of old) if (print !== 0) this.#put(print);
  }
}

/** 0 marks a free slot. */
function printOf(hash: number): number {
  return (hash % 2 ** 32) >>> 0 || 1;
}
