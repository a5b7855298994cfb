/**
 * Raw frames by reference count. A 1080p frame is 3 MB: left to the garbage collector, 30 of them a second are 90 MB/s of memory that lives
 * outside its heap and that it therefore notices late.
 */
export interface Frame {
  readonly bytes: Buffer;
  retain(): void;
  release(): void;
}

/** So many free frames are kept for the next use; more than a queue and a pipe hold are given back. */
const MAX_FREE = 16;

export class FramePool {
  private readonly free: Buffer[] = [];
  readonly size: number;

  constructor(size: number) {
    this.size = size;
  }

  /** Returns a frame with undefined content, held once. */
  acquire(): Frame {
    const bytes = this.free.pop() ?? Buffer.allocUnsafeSlow(this.size);
    let holders = 1;
    const { free } = this;
    return {
      bytes,
      retain() {
        holders += 1;
      },
      release() {
        holders -= 1;
        if (holders === 0 && free.length < MAX_FREE) free.push(bytes);
      },
    };
  }

  /** A frame that is never reused, e.g. the slate. */
  static fixed(bytes: Buffer): Frame {
    return { bytes, retain: () => undefined, release: () => undefined };
  }
}
