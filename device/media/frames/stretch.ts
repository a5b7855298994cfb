/** Makes a few samples more or fewer of some sound, by interpolation: a source whose clock goes fast or slow is followed without a break. */

/** The interpolation looks at so many samples to either side. */
export const REACH = 8;
const PLACES = Array.from({ length: 2 * REACH }, (_, i) => i - REACH + 1);
/** The window's angle at each place, from which that between two of them follows. */
const COS = PLACES.map((place) => Math.cos((Math.PI * place) / REACH));
const SIN = PLACES.map((place) => Math.sin((Math.PI * place) / REACH));

/**
 * Makes `samples` of the `count` that begin at sample `from` of the interleaved `input`. The first is the first; the one that would follow
 * the last is the one that follows `count`.
 */
export function stretched(input: Int16Array, channels: number, from: number, count: number, samples: number): Buffer {
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
