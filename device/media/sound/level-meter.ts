/** The levels of one track: sample peak and RMS of the last second a channel, and its loudness. */
import type { TrackLevels } from '../../../domain/shapes/broadcasts/livestream-status.ts';
import { SAMPLE_RATE } from '../ladder/ladder-plan.ts';
import { SURROUND } from '../ladder/track-plan.ts';
import { channelWeights, KWeighting } from './k-weighting.ts';
import { Loudness } from './loudness.ts';

/** A level is told a tenth of a second at a time. */
const PART_SAMPLES = SAMPLE_RATE / 10;
const PARTS = 10;
const FULL_SCALE = 32_768;
/** The lowest sample of 16 bits has -90.3 dBFS: this stands for less than that. */
const LOWEST_DBFS = -100;
const CENTRE = 2;

export class LevelMeter {
  readonly track: number;
  private readonly channels: number;
  /** Channels of the programme that the source has; the others are silent or repeat it. */
  private given: readonly number[];
  private scale = 1;
  private readonly weights: readonly number[];
  private readonly filters: KWeighting[];
  private readonly loudness = new Loudness();
  /** A tenth of a second of interleaved samples, whose full scale is 1. */
  private readonly part: Float32Array;
  private filled = 0;
  private parts = 0;
  private silentParts = 0;
  private readonly peaks: Float64Array;
  private readonly squares: Float64Array;

  constructor(track: number, channels: number) {
    this.track = track;
    this.channels = channels;
    this.weights = channelWeights(channels);
    this.given = [...this.weights.keys()];
    this.filters = this.weights.map(() => new KWeighting());
    this.part = new Float32Array(PART_SAMPLES * channels);
    this.peaks = new Float64Array(PARTS * channels);
    this.squares = new Float64Array(PARTS * channels);
  }

  /**
   * Takes the number of the source's channels before its first sample; undefined stands for more than two. Mono comes as two channels of 3 dB
   * less, or as the centre of 5.1 or 7.1, and stereo as left and right.
   */
  describe(sourceChannels: 1 | 2 | undefined): void {
    const isSurround = this.channels >= SURROUND;
    if (sourceChannels === undefined) this.given = [...this.weights.keys()];
    else if (sourceChannels === 2) this.given = [0, 1];
    else this.given = [isSurround ? CENTRE : 0];
    this.scale = sourceChannels === 1 && !isSurround ? Math.SQRT2 : 1;
  }

  /** Takes interleaved samples of 16 bits; a tenth of a second is silent when nothing in it exceeds `silenceDb`, in dBFS. */
  add(samples: Int16Array, silenceDb = -Infinity): void {
    for (let at = 0; at < samples.length;) {
      const room = Math.min(this.part.length - this.filled, samples.length - at);
      for (let n = 0; n < room; n += 1) this.part[this.filled + n] = samples[at + n]! / FULL_SCALE;
      this.filled += room;
      at += room;
      if (this.filled === this.part.length) this.endPart(silenceDb);
    }
  }

  /** For so long nothing has exceeded the level of silence. */
  get silentMs(): number {
    return (this.silentParts * PART_SAMPLES * 1000) / SAMPLE_RATE;
  }

  /** Peak of the loudest channel in the last tenth of a second, in dBFS. */
  private get newestPeak(): number {
    const from = ((this.parts - 1) % PARTS) * this.channels;
    return this.decibels(Math.max(...this.peaks.subarray(from, from + this.channels)));
  }

  get levels(): TrackLevels {
    const { channels } = this;
    const counted = Math.min(this.parts, PARTS);
    const each = <T>(of: (channel: number) => T): T[] => this.given.map(of);
    const over = (values: Float64Array, channel: number, join: (a: number, b: number) => number): number => {
      let value = 0;
      for (let at = channel; at < values.length; at += channels) value = join(value, values[at]!);
      return value;
    };
    return {
      track: this.track,
      peak_dbfs: each((channel) => this.decibels(over(this.peaks, channel, Math.max))),
      rms_dbfs: each((channel) => {
        const sum = over(this.squares, channel, (a, b) => a + b);
        return this.decibels(counted === 0 ? 0 : Math.sqrt(sum / counted));
      }),
      momentary_lufs: rounded(this.loudness.momentary),
      short_term_lufs: rounded(this.loudness.shortTerm),
      integrated_lufs: rounded(this.loudness.integrated),
    };
  }

  private decibels(value: number): number {
    return decibels(value * this.scale);
  }

  private endPart(silenceDb: number): void {
    const { part, channels } = this;
    const place = (this.parts % PARTS) * channels;
    let weighted = 0;
    for (let channel = 0; channel < channels; channel += 1) {
      let [peak, sum] = [0, 0];
      for (let at = channel; at < part.length; at += channels) {
        const value = Math.abs(part[at]!);
        if (value > peak) peak = value;
        sum += value * value;
      }
      this.peaks[place + channel] = peak;
      this.squares[place + channel] = sum / PART_SAMPLES;
      const weight = this.weights[channel]!;
      if (weight > 0) weighted += weight * this.filters[channel]!.energy(part, channel, channels);
    }
    this.loudness.add(weighted / PART_SAMPLES);
    this.parts += 1;
    this.filled = 0;
    this.silentParts = this.newestPeak < silenceDb ? this.silentParts + 1 : 0;
  }
}

/** To a hundredth; the sum turns -0 into 0. */
function decibels(value: number): number {
  return value <= 0 ? LOWEST_DBFS : Math.max(LOWEST_DBFS, Math.round(2000 * Math.log10(value)) / 100 + 0);
}

function rounded(value: number | null): number | null {
  return value === null ? null : Math.max(LOWEST_DBFS, Math.round(value * 100) / 100 + 0);
}
