/**
 * A true-peak limiter with look-ahead: all channels of a track are turned down together, before a peak comes and as little as it needs.
 * Sound that needs no limiting leaves as it came, later by the look-ahead.
 */
import { SAMPLE_RATE } from '../ladder/ladder-plan.ts';
import { SlidingMinimum } from './sliding-minimum.ts';
import { TAPS, truePeakAt } from './true-peak.ts';

/** The gain reaches what a peak needs within this time, and stays there as long. */
const LOOK_AHEAD = Math.round(SAMPLE_RATE * 0.0015);
const RELEASE_SECONDS = 0.08;
/** The filter of the true peak looks at six samples to either side. */
const MARGIN = TAPS / 2;
/** Two samples that are lower than this part of the ceiling have no higher peak between them in sound that a codec keeps. */
const LOOKED_AT = 0.5;
const SETTLED = 0.9999;

export class Limiter {
  private readonly channels: number;
  /** Linear, 1 for full scale. */
  private readonly ceiling: number;
  private readonly release = 1 - Math.exp(-1 / (SAMPLE_RATE * RELEASE_SECONDS));
  /** The samples that have not left, and those before them that the filter looks at. */
  private held: Float32Array;
  private readonly lowest = new SlidingMinimum(LOOK_AHEAD);
  /** The last gains of the sliding minimum, whose mean is the gain in force. */
  private readonly recent = new Float64Array(LOOK_AHEAD).fill(1);
  private place = 0;
  private sum = LOOK_AHEAD;
  private released = 1;
  /** So many samples have needed nothing: once all that is held did, the sound passes as it is. */
  private idle = 2 * LOOK_AHEAD;

  constructor(channels: number, ceiling: number) {
    this.channels = channels;
    this.ceiling = ceiling;
    this.held = new Float32Array((LOOK_AHEAD + 2 * MARGIN) * channels);
  }

  /** Interleaved samples go in, and as many that came before leave in their place. */
  process(samples: Float32Array): void {
    const { channels, held } = this;
    const all = new Float32Array(held.length + samples.length);
    all.set(held);
    all.set(samples, held.length);
    const count = samples.length / channels;
    for (let n = 0; n < count; n += 1) {
      const gain = this.gainFor(this.need(all, (LOOK_AHEAD + n) * channels));
      const from = (MARGIN + n) * channels;
      for (let channel = 0; channel < channels; channel += 1) {
        const sample = all[from + channel]!;
        samples[n * channels + channel] = gain === 1 ? sample : sample * gain;
      }
    }
    this.held = all.slice(all.length - held.length);
  }

  /** The gain that the newest instant needs at most. It stands `MARGIN` behind `at`, where the filter begins. */
  private need(all: Float32Array, at: number): number {
    const { channels, ceiling } = this;
    const limit = ceiling * LOOKED_AT;
    let peak = 0;
    for (let channel = 0; channel < channels; channel += 1) {
      const here = at + MARGIN * channels + channel;
      const sample = Math.abs(all[here]!);
      if (sample > peak) peak = sample;
      if (sample > limit || Math.abs(all[here + channels]!) > limit)
        peak = Math.max(peak, truePeakAt(all, at + channels + channel, channels));
    }
    return peak > ceiling ? ceiling / peak : 1;
  }

  /** The mean of the lowest needs goes down in a straight line that is there when the peak is, and up slowly. */
  private gainFor(need: number): number {
    this.released = Math.min(need, this.released + (1 - this.released) * this.release);
    if (this.released > SETTLED) this.released = 1;
    if (this.released === 1 && this.idle >= 2 * LOOK_AHEAD) return 1;
    this.idle = this.released === 1 ? this.idle + 1 : 0;
    const lowest = this.lowest.next(this.released);
    this.sum += lowest - this.recent[this.place]!;
    this.recent[this.place] = lowest;
    this.place = (this.place + 1) % LOOK_AHEAD;
    if (this.idle >= 2 * LOOK_AHEAD) this.sum = LOOK_AHEAD;
    return Math.min(1, this.sum / LOOK_AHEAD);
  }
}
