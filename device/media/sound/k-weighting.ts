/** The K-weighting of loudness (ITU-R BS.1770-5, annex 1, tables 1 and 2) at 48 kHz, as the energy of one channel. */

const PRE_FILTER = {
  b0: 1.53512485958697,
  b1: -2.69169618940638,
  b2: 1.19839281085285,
  a1: -1.69065929318241,
  a2: 0.73248077421585,
};
const HIGH_PASS = { a1: -1.99004745483398, a2: 0.99007225036621 };

/**
 * Weights of L, R, C, LFE and what is around, by number of channels (ITU-R BS.1770-5, annex 3): loudspeakers beside a listener, as the two of
 * 5.1 are, count more than those behind, and the low-frequency channel does not count.
 */
const WEIGHTS: Readonly<Record<number, readonly number[]>> = {
  6: [1, 1, 1, 0, 1.41, 1.41],
  8: [1, 1, 1, 0, 1, 1, 1.41, 1.41],
};

/** Returns the weight of each channel's energy in the loudness. */
export function channelWeights(channels: number): readonly number[] {
  return WEIGHTS[channels] ?? Array.from({ length: channels }, () => 1);
}

export class KWeighting {
  /** The last two values of each filter, in direct form II transposed. */
  private s1 = 0;
  private s2 = 0;
  private h1 = 0;
  private h2 = 0;

  /** Returns the sum of the squared weighted samples of one channel of `samples`, whose full scale is 1. */
  energy(samples: Float32Array, channel: number, channels: number): number {
    let { s1, s2, h1, h2 } = this;
    let sum = 0;
    for (let at = channel; at < samples.length; at += channels) {
      const x = samples[at]!;
      const y = PRE_FILTER.b0 * x + s1;
      s1 = PRE_FILTER.b1 * x - PRE_FILTER.a1 * y + s2;
      s2 = PRE_FILTER.b2 * x - PRE_FILTER.a2 * y;
      const z = y + h1;
      h1 = -2 * y - HIGH_PASS.a1 * z + h2;
      h2 = y - HIGH_PASS.a2 * z;
      sum += z * z;
    }
    // Values that fade out for ever would become denormal, which costs a hundred times as much.
    this.s1 = Math.abs(s1) < 1e-15 ? 0 : s1;
    this.s2 = Math.abs(s2) < 1e-15 ? 0 : s2;
    this.h1 = Math.abs(h1) < 1e-15 ? 0 : h1;
    this.h2 = Math.abs(h2) < 1e-15 ? 0 : h2;
    return sum;
  }
}
