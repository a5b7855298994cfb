/** The bounded queue in front of one Destination's process. Nobody waits for it: a process that does not keep up is noticed by its size. */
import type { Writable } from 'node:stream';

export class PipeQueue {
  private readonly pipe: Writable;
  private pending: number[] = [];
  private bytes = 0;
  /** Instant of the first write, on the monotonic clock. */
  firstWriteAt: number | undefined;

  constructor(pipe: Writable) {
    this.pipe = pipe;
  }

  /** `onOut` is called when the bytes have left, or never will. */
  write(data: Buffer, onOut?: () => void): void {
    if (this.pipe.destroyed || this.pipe.writableEnded) return;
    const now = performance.now();
    this.firstWriteAt ??= now;
    this.pending.push(now);
    this.bytes += data.length;
    this.pipe.write(data, () => {
      this.pending.shift();
      this.bytes -= data.length;
      onOut?.();
    });
  }

  end(): void {
    if (!this.pipe.destroyed) this.pipe.end();
  }

  get queuedBytes(): number {
    return this.bytes;
  }

  /** How long the oldest bytes have been waiting, in milliseconds. */
  get waitingMs(): number {
    return this.pending.length === 0 ? 0 : performance.now() - this.pending[0]!;
  }
}
