/**
 * Raw frames by reference count. A 1080p frame is 3 MB: left to the garbage collector, 30 of them a second are 90 MB/s of memory that lives
 * outside its heap and that it therefore notices late.
 */
export interface Frame {
  readonly bytes: Buffer;
  retain(): void;
  release(): void;
}

export interface SourceFrame {
  /** It is undefined when the source gives no video. */
  frame: Frame | undefined;
  /** It may be shorter than was asked for: the rest is silence. */
  audio: Buffer;
  /** So long it has been there, with its sound, beyond what the delay of the sound asks for. */
  waitedMs: number;
}

export interface WaitingFrame {
  frame: Frame;
  /** When its sound had come as well; undefined before. */
  wholeAt: number | undefined;
}

/** Free frames that are kept for the next use; a queue and a pipe never have more at a time, so others go to the garbage collector. */
const MAX_FREE = 16;

export class FramePool {
  private readonly free: Buffer[] = [];
  readonly size: number;

  constructor(size: number) {
    this.size = size;
  }

  /** Returns a frame with undefined content and a count of one reference, which is the caller's. */
  acquire(): Frame {
    const bytes = this.free.pop() ?? Buffer.allocUnsafeSlow(this.size);
    let references = 1;
    const { free } = this;
    return {
      bytes,
      retain() {
        references += 1;
      },
      release() {
        references -= 1;
        if (references === 0 && free.length < MAX_FREE) free.push(bytes);
      },
    };
  }

  /** A frame that is never reused, e.g. the slate. */
  static fixed(bytes: Buffer): Frame {
    return { bytes, retain: () => undefined, release: () => undefined };
  }
}
