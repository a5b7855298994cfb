/**
 * The samples of a source's audio tracks, each at its own place in time, taken together as the interleaved samples of the programme. A
 * track that gives nothing is silent; the others go on.
 */
import { SAMPLE_RATE, type LadderPlan } from '../ladder/ladder-plan.ts';
import { SampleQueue } from './sample-queue.ts';

/**
 * Audio may be so far from its frame before it is brought back, and so far before that is done at once and heard as a break: what viewers
 * notice begins at 45 ms (ITU-R BT.1359).
 */
const OFF = { soft: Math.round(0.01 * SAMPLE_RATE), hard: Math.round(0.045 * SAMPLE_RATE) };
/** It is brought back by so much of its speed, a twelfth of a semitone, which nobody hears. */
const SPEED = 0.005;
/** A track that is so far behind the others is not waited for: sound in a second language may pause while nobody speaks. */
const MAX_BEHIND = SAMPLE_RATE / 2;
/** So much may be on its way from filters that have just given way to others, because the form of the sound has changed. */
const MAX_ON_ITS_WAY = SAMPLE_RATE / 4;
/** The words of 32 bits that two channels fill. */
const WORD_BYTES = 4;

interface Track {
  queue: SampleQueue;
  sampleBytes: number;
  /** Samples that have come, and that have left, dropped ones included. */
  received: number;
  out: number;
  /** It is being brought back to its frames. */
  isSoft: boolean;
}

export class SourceAudio {
  private readonly tracks: Track[];
  private readonly sampleBytes: number;
  /** Each track of the programme takes its samples from the source's track with this number among `tracks`; undefined: it is silent. */
  private readonly places: { from: number | undefined; words: number; firstWord: number }[];
  private readonly isPlain: boolean;
  /** Samples of a source without pictures that are still to be left out. */
  private excess = 0;

  /** `sources` has for each track of the programme the number of the source's track that is heard in it; -1 for none. */
  constructor(plan: Pick<LadderPlan, 'tracks' | 'sampleBytes'>, sources: readonly number[]) {
    this.sampleBytes = plan.sampleBytes;
    const bytesOf = (i: number): number => 2 * (plan.tracks[sources.indexOf(i)] ?? plan.tracks[0]!).channels;
    this.tracks = Array.from({ length: Math.max(0, ...sources) + 1 }, (_, i) => {
      return {
        queue: new SampleQueue(bytesOf(i)),
        sampleBytes: bytesOf(i),
        received: 0,
        out: 0,
        isSoft: false,
      };
    });
    this.places = plan.tracks.map(({ channels, offset }, i) => {
      const from = sources[i];
      return { from: from === -1 ? undefined : from, words: channels / 2, firstWord: offset / 2 };
    });
    this.isPlain = this.places.length === 1 && this.places[0]!.from !== undefined;
  }

  /** Seconds of the first track that have come. */
  get received(): number {
    return this.tracks[0]!.received / SAMPLE_RATE;
  }

  /** Seconds of the first track that have come and not left. */
  get queuedSeconds(): number {
    const { queue, sampleBytes } = this.tracks[0]!;
    return queue.length / sampleBytes / SAMPLE_RATE;
  }

  push(chunk: Buffer, i: number, maxSeconds: number): void {
    const track = this.tracks[i]!;
    track.queue.push(chunk);
    track.received += chunk.length / track.sampleBytes;
    const excess = track.queue.length - maxSeconds * SAMPLE_RATE * track.sampleBytes;
    if (excess > 0) this.drop(track, excess);
  }

  /** The next samples belong to this second of the source: what has not come before them is silence. */
  goOnAt(seconds: number, i: number, maxSeconds: number): void {
    const track = this.tracks[i]!;
    const missing = Math.round(seconds * SAMPLE_RATE) - track.received;
    if (missing < (track.received === 0 ? 1 : MAX_ON_ITS_WAY)) return;
    const past = Math.max(0, missing - maxSeconds * SAMPLE_RATE);
    if (past > 0) this.drop(track, track.queue.length);
    track.received += past;
    track.out += past;
    this.push(Buffer.alloc((missing - past) * track.sampleBytes), i, maxSeconds);
  }

  /** Tells whether every track that is waited for has so many samples. */
  has(samples: number): boolean {
    const furthest = Math.max(...this.tracks.map(({ received }) => received));
    return this.tracks.every(({ queue, sampleBytes, received }) => {
      return queue.length >= samples * sampleBytes || received < furthest - MAX_BEHIND;
    });
  }

  /** Tells whether every track that is waited for has come up to this sample of the source. */
  reaches(end: number): boolean {
    const furthest = Math.max(...this.tracks.map(({ received }) => received));
    return this.tracks.every(({ queue, sampleBytes, received, out }) => {
      return out + queue.length / sampleBytes >= end || received < furthest - MAX_BEHIND;
    });
  }

  /**
   * Takes up to so many samples of the first track, and those of the others that belong to them. They are made of a few fewer while the
   * source is late, and of a few more while some are to be left out.
   */
  takeFirst(samples: number, isLate: boolean): Buffer {
    const { queue, sampleBytes, out } = this.tracks[0]!;
    const most = Math.round(samples * SPEED);
    const more = isLate ? -most : Math.min(most, this.excess);
    this.excess -= Math.max(0, more);
    if (queue.length >= (samples + more) * sampleBytes) return this.takeEach(samples, out + samples, () => more);
    const count = Math.min(samples, Math.floor(queue.length / sampleBytes));
    return this.takeEach(count, out + count, () => 0);
  }

  /** So many samples of a source without pictures are left out, little by little. */
  leaveOut(samples: number): void {
    this.excess += samples;
  }

  /**
   * Takes the audio up to the sample `end` of the source, where `samples` are due. It may be shorter; the rest is silence. So many samples
   * as `reserve` are to be kept for a frame that does not come.
   */
  take(samples: number, end: number, reserve = 0): Buffer {
    return this.takeEach(samples, end, (track, late) => softStep(track, late - reserve, samples));
  }

  /** Takes so many samples where they are there beyond those up to the sample `end` of the source; undefined where not. */
  takeReserve(samples: number, end: number): Buffer | undefined {
    const { out, queue, sampleBytes } = this.tracks[0]!;
    if (end - out < samples || queue.length < samples * sampleBytes) return undefined;
    return this.takeEach(samples, out + samples, () => 0);
  }

  private takeEach(samples: number, end: number, more: (track: Track, late: number) => number): Buffer {
    const parts = this.tracks.map((track) => this.takeOf(track, samples, end, more));
    return this.isPlain ? parts[0]! : this.interleaved(parts, samples);
  }

  clear(): void {
    for (const { queue } of this.tracks) queue.clear();
  }

  private takeOf(track: Track, samples: number, end: number, more: (track: Track, late: number) => number): Buffer {
    const { queue, sampleBytes } = track;
    // What has not begun has nothing that could break.
    const most = queue.isUntouched ? OFF.soft : OFF.hard;
    const late = end - track.out - samples;
    if (late > most) this.drop(track, late * sampleBytes);
    if (late < -most) return Buffer.alloc(0);
    const count = samples + more(track, Math.min(late, end - track.out - samples));
    const made = count === samples ? undefined : queue.takeAs(count, samples);
    const bytes = made ?? queue.take(samples * sampleBytes);
    track.out += made === undefined ? bytes.length / sampleBytes : count;
    return bytes;
  }

  private drop(track: Track, bytes: number): void {
    track.out += track.queue.skip(bytes) / track.sampleBytes;
  }

  private interleaved(parts: readonly Buffer[], samples: number): Buffer {
    const bytes = Buffer.alloc(samples * this.sampleBytes);
    const step = this.sampleBytes / WORD_BYTES;
    const target = new Uint32Array(bytes.buffer, bytes.byteOffset, samples * step);
    for (const { from, words, firstWord } of this.places) {
      if (from === undefined) continue;
      const source = wordsOf(parts[from]!);
      for (let word = 0; word < words; word += 1)
        for (let at = word, to = firstWord + word; at < source.length; at += words, to += step)
          target[to] = source[at]!;
    }
    return bytes;
  }
}

/** Returns how many samples more than are due bring the track nearer to where it belongs; `late` is how far behind it is. */
function softStep(track: Track, late: number, samples: number): number {
  if (Math.abs(late) > OFF.soft) track.isSoft = true;
  else if (late === 0) track.isSoft = false;
  if (!track.isSoft) return 0;
  const most = Math.round(samples * SPEED);
  return Math.max(-most, Math.min(most, late));
}

/** A pipe is cut anywhere, and words can be read in place from every fourth address only. */
function wordsOf(bytes: Buffer): Uint32Array {
  const { buffer, byteOffset, length } = bytes;
  return byteOffset % WORD_BYTES === 0
    ? new Uint32Array(buffer, byteOffset, length / WORD_BYTES)
    : new Uint32Array(buffer.slice(byteOffset, byteOffset + length));
}
