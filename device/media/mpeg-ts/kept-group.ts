/**
 * The bytes of the last group of pictures, with which whoever joins begins. They lie in memory of their own, which the next group gets again: the
 * units that they are copied from are garbage soon, and V8 collects what is young for next to nothing.
 */

const MIN_BYTES = 128 << 10;

export class KeptGroup {
  private memory: Buffer = Buffer.alloc(0);
  length = 0;

  add(bytes: Buffer): void {
    const end = this.length + bytes.length;
    if (end > this.memory.length) this.move(Math.max(MIN_BYTES, Math.ceil(end * 1.25)));
    this.memory.set(bytes, this.length);
    this.length = end;
  }

  /** Another group begins. One that was very long leaves no memory behind. */
  clear(): void {
    if (this.length < this.memory.length / 4) this.memory = Buffer.alloc(0);
    this.length = 0;
  }

  /** Bytes of whoever asks. */
  copy(): Buffer {
    return Buffer.from(this.memory.subarray(0, this.length));
  }

  private move(bytes: number): void {
    const memory = Buffer.allocUnsafeSlow(bytes);
    this.memory.copy(memory, 0, 0, this.length);
    this.memory = memory;
  }
}
