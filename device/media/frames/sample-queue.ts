/** Audio in the order of time, as bytes of s16le; a take may be longer or shorter than a push. */
export class SampleQueue {
  private readonly sampleBytes: number;
  private chunks: Buffer[] = [];
  length = 0;

  /** `sampleBytes`: bytes of one instant, all channels together. */
  constructor(sampleBytes: number) {
    this.sampleBytes = sampleBytes;
  }

  push(chunk: Buffer): void {
    this.chunks.push(chunk);
    this.length += chunk.length;
  }

  /** Takes up to `bytes` bytes in whole samples: a pipe is cut anywhere, and half a sample would turn all that follows into noise. */
  take(bytes: number): Buffer {
    const parts: Buffer[] = [];
    let remaining = Math.floor(Math.min(bytes, this.length) / this.sampleBytes) * this.sampleBytes;
    this.length -= remaining;
    while (remaining > 0) {
      const head = this.chunks[0]!;
      parts.push(head.subarray(0, remaining));
      if (head.length > remaining) this.chunks[0] = head.subarray(remaining);
      else this.chunks.shift();
      remaining -= parts.at(-1)!.length;
    }
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  }

  /** Returns up to `bytes` bytes of what is taken next, which stays. */
  peek(bytes: number): Buffer {
    const parts: Buffer[] = [];
    let remaining = Math.min(bytes, this.length);
    for (let n = 0; remaining > 0; n += 1) {
      const part = this.chunks[n]!.subarray(0, remaining);
      parts.push(part);
      remaining -= part.length;
    }
    return Buffer.concat(parts);
  }

  clear(): void {
    this.chunks = [];
    this.length = 0;
  }
}
