/**
 * Audio in the order of time, as bytes of s16le; a take may be longer or shorter than a push. A take may also be played a little faster or
 * slower: so a source whose clock goes fast or slow is followed without a break.
 */
import { samplesOf } from './samples.ts';

/** The interpolation looks at so many samples to either side. */
const REACH = 8;
const PLACES = Array.from({ length: 2 * REACH }, (_, i) => i - REACH + 1);
/** The window's angle at each place, from which that between two of them follows. */
const COS = PLACES.map((place) => Math.cos((Math.PI * place) / REACH));
const SIN = PLACES.map((place) => Math.sin((Math.PI * place) / REACH));

export class SampleQueue {
  private readonly sampleBytes: number;
  private chunks: Buffer[] = [];
  /** The samples that left last. */
  private before: Buffer = Buffer.alloc(0);
  length = 0;

  /** `sampleBytes`: bytes of one instant, all channels together. */
  constructor(sampleBytes: number) {
    this.sampleBytes = sampleBytes;
  }

  push(chunk: Buffer): void {
    this.chunks.push(chunk);
    this.length += chunk.length;
  }

  /** Takes `count` samples as so many; undefined when they have not come. */
  takeAs(count: number, samples: number): Buffer | undefined {
    const { sampleBytes, before } = this;
    if (this.length < count * sampleBytes) return undefined;
    const input = samplesOf(Buffer.concat([before, this.peek((count + REACH) * sampleBytes)]));
    this.take(count * sampleBytes);
    return stretched(input, sampleBytes / 2, before.length / sampleBytes, count, samples);
  }

  /** Leaves out up to `bytes` bytes, and returns how many. */
  skip(bytes: number): number {
    const { length } = this.take(bytes);
    this.before = Buffer.alloc(0);
    return length;
  }

  /** Nothing has left it since some was left out. */
  get isUntouched(): boolean {
    return this.before.length === 0;
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
    const taken = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
    if (taken.length > 0) this.before = taken.subarray(-REACH * this.sampleBytes);
    return taken;
  }

  /** Returns up to `bytes` bytes of what is taken next, which stays. */
  private peek(bytes: number): Buffer {
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

/**
 * Makes `samples` of the `count` that begin at sample `from` of the interleaved `input`. The first is the first; the one that would follow
 * the last is the one that follows `count`.
 */
function stretched(input: Int16Array, channels: number, from: number, count: number, samples: number): Buffer {
  const out = Buffer.alloc(samples * channels * 2);
  const written = new Int16Array(out.buffer, out.byteOffset, samples * channels);
  const weights = new Float64Array(PLACES.length);
  const last = input.length / channels - 1;
  for (let n = 0; n < samples; n += 1) {
    const position = from + (n * count) / samples;
    const base = Math.floor(position);
    weigh(weights, position - base);
    for (let channel = 0; channel < channels; channel += 1) {
      let sum = 0;
      for (let i = 0; i < weights.length; i += 1) {
        const at = Math.min(last, Math.max(0, base + PLACES[i]!));
        sum += weights[i]! * input[at * channels + channel]!;
      }
      written[n * channels + channel] = Math.max(-32_768, Math.min(32_767, Math.round(sum)));
    }
  }
  return out;
}

/** A sinc under a Hann window, whose weights together are 1. */
function weigh(weights: Float64Array, fraction: number): void {
  if (fraction === 0) {
    weights.fill(0);
    weights[REACH - 1] = 1;
    return;
  }
  const sine = Math.sin(Math.PI * fraction);
  const [cos, sin] = [Math.cos((Math.PI * fraction) / REACH), Math.sin((Math.PI * fraction) / REACH)];
  let sum = 0;
  for (let i = 0; i < weights.length; i += 1) {
    const place = PLACES[i]!;
    const sign = place % 2 === 0 ? -1 : 1;
    const window = 0.5 + 0.5 * (COS[i]! * cos + SIN[i]! * sin);
    const weight = (sign * sine * window) / (place - fraction);
    weights[i] = weight;
    sum += weight;
  }
  for (let i = 0; i < weights.length; i += 1) weights[i]! /= sum;
}
