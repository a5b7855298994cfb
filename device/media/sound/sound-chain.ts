/** The last steps of a track on its way to the encoder: gain, mute, and a limiter that keeps the codec from clipping. */
import type { SoundOptions } from '../../../domain/sound.ts';
import { SAMPLE_RATE } from '../ladder/ladder-plan.ts';
import { Limiter } from './limiter.ts';
import { samplesOf } from '../frames/samples.ts';

const FULL_SCALE = 32_768;
/**
 * True peaks in dBFS that leave a codec room for what it adds: little to speech and music, up to 6.4 dB to sound that is dense, as noise,
 * square waves and all that is driven far into the limiter (docs/decisions/sound.md has the measurements).
 */
const CEILING_DB = { usual: -3, dense: -7 };
/** RMS in dBFS of a block, of the channel that has most; the ceiling goes down between the two. */
const DENSE_DB = { from: -10, to: -6 };
/** The ceiling goes up again by so much a second. */
const RISE_DB = 4;
/** A change of gain or mute takes this long, so that it does not click. */
const RAMP_SAMPLES = 480;

export class SoundChain {
  private readonly channels: number;
  private readonly limiter: Limiter;
  private target = 1;
  private gain = 1;
  private ceilingDb = CEILING_DB.usual;

  constructor(channels: number, options: Pick<SoundOptions, 'gain_db' | 'mute'>) {
    this.channels = channels;
    this.limiter = new Limiter(channels, linear(CEILING_DB.usual));
    this.set(options);
    this.gain = this.target;
  }

  set({ gain_db, mute }: Pick<SoundOptions, 'gain_db' | 'mute'>): void {
    this.target = mute ? 0 : linear(gain_db);
  }

  /** Takes interleaved samples of 16 bits and returns as many. */
  process(audio: Buffer): Buffer {
    const given = samplesOf(audio);
    const samples = new Float32Array(given.length);
    for (let n = 0; n < given.length; n += 1) samples[n] = given[n]! / FULL_SCALE;
    this.amplify(samples);
    this.followDensity(samples);
    this.limiter.process(samples);
    const out = Buffer.allocUnsafeSlow(audio.length);
    const written = new Int16Array(out.buffer, out.byteOffset, given.length);
    for (let n = 0; n < given.length; n += 1) {
      const value = Math.round(samples[n]! * FULL_SCALE);
      written[n] = value > 32_767 ? 32_767 : value < -32_768 ? -32_768 : value;
    }
    return out;
  }

  private followDensity(samples: Float32Array): void {
    const { channels } = this;
    let most = 0;
    for (let channel = 0; channel < channels; channel += 1) {
      let sum = 0;
      for (let at = channel; at < samples.length; at += channels) sum += samples[at]! * samples[at]!;
      if (sum > most) most = sum;
    }
    const count = samples.length / channels;
    const rms = most === 0 ? -Infinity : 10 * Math.log10(most / count);
    const share = Math.min(1, Math.max(0, (rms - DENSE_DB.from) / (DENSE_DB.to - DENSE_DB.from)));
    const wanted = CEILING_DB.usual + share * (CEILING_DB.dense - CEILING_DB.usual);
    const risen = this.ceilingDb + (RISE_DB * count) / SAMPLE_RATE;
    this.ceilingDb = Math.min(wanted, risen);
    this.limiter.ceiling = linear(this.ceilingDb);
  }

  private amplify(samples: Float32Array): void {
    if (this.gain === 1 && this.target === 1) return;
    const step = (this.target - this.gain) / RAMP_SAMPLES;
    for (let n = 0; n < samples.length; n += this.channels) {
      if (this.gain !== this.target) {
        const next = this.gain + step;
        this.gain = step === 0 || Math.abs(this.target - next) < Math.abs(step) ? this.target : next;
      }
      for (let channel = 0; channel < this.channels; channel += 1) samples[n + channel]! *= this.gain;
    }
  }
}

function linear(decibels: number): number {
  return 10 ** (decibels / 20);
}
