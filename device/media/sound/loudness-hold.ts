/**
 * Turns down what is louder than any programme is meant to be: noise, square waves and all that is driven far into the limiter. A codec adds
 * most to the peaks of such sound.
 */
import { SAMPLE_RATE } from '../ladder/ladder-plan.ts';
import { channelWeights, KWeighting } from './k-weighting.ts';
import { lufs } from './loudness.ts';

/** LUFS, momentary. */
const HELD_FROM = -9;
/** LUFS over the time of one picture: noise that begins is not waited for, and a beat of music is not turned down. */
const HELD_AT_ONCE_FROM = -5;
/** The part of what is above that is taken off; some is left, so that a higher gain is never quieter. */
const SHARE = 0.8;
const WINDOW_SAMPLES = 0.4 * SAMPLE_RATE;
/** It falls within a millisecond of the sound that asks for it, and rises again by so much a second. */
const FALL_SAMPLES = 0.001 * SAMPLE_RATE;
const RISE_DB = 4;

export class LoudnessHold {
  private readonly channels: number;
  private readonly weights: readonly number[];
  private readonly filters: KWeighting[];
  /** The blocks within the window. */
  private readonly blocks: { energy: number; samples: number }[] = [];
  private sum = { energy: 0, samples: 0 };
  private gainDb = 0;

  constructor(channels: number) {
    this.channels = channels;
    this.weights = channelWeights(channels);
    this.filters = this.weights.map(() => new KWeighting());
  }

  /** Takes interleaved samples, whose full scale is 1, and changes them in place. */
  process(samples: Float32Array): void {
    const { channels } = this;
    const count = samples.length / channels;
    if (count === 0) return;
    const wanted = -SHARE * this.excessOf(samples, count);
    const next = Math.min(wanted, this.gainDb + (RISE_DB * count) / SAMPLE_RATE);
    const [from, to] = [linear(this.gainDb), linear(next)];
    this.gainDb = next;
    if (from === 1 && to === 1) return;
    const changed = channels * (to < from ? Math.min(FALL_SAMPLES, count) : count);
    for (let n = 0; n < samples.length; n += channels) {
      const gain = n < changed ? from + ((to - from) * n) / changed : to;
      for (let channel = 0; channel < channels; channel += 1) samples[n + channel]! *= gain;
    }
  }

  /** LU by which the sound is too loud with these samples. */
  private excessOf(samples: Float32Array, count: number): number {
    const { blocks, sum, weights, channels } = this;
    let energy = 0;
    for (const [channel, weight] of weights.entries())
      if (weight > 0) energy += weight * this.filters[channel]!.energy(samples, channel, channels);
    blocks.push({ energy, samples: count });
    sum.energy += energy;
    sum.samples += count;
    while (blocks.length > 1 && sum.samples - blocks[0]!.samples >= WINDOW_SAMPLES) {
      const oldest = blocks.shift()!;
      sum.samples -= oldest.samples;
    }
    // A running difference would gather rounding errors over days.
    sum.energy = blocks.reduce((all, block) => all + block.energy, 0);
    const [momentary, now] = [sum.energy / sum.samples, energy / count].map((power) => lufs(power) ?? -Infinity);
    return Math.max(0, momentary! - HELD_FROM, now! - HELD_AT_ONCE_FROM);
  }
}

function linear(decibels: number): number {
  return 10 ** (decibels / 20);
}
