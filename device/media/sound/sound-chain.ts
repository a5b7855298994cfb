/** What is done to a track on its way to the encoder: gain, mute, and a limiter that keeps the codec from clipping. */
import type { SoundOptions } from '../../../domain/sound.ts';
import { Limiter } from './limiter.ts';
import { samplesOf } from './samples.ts';

const FULL_SCALE = 32_768;
/**
 * True peaks in dBFS behind which a codec has room for what it adds: up to 2.5 dB where sound passes as it came, up to 4 dB where it is
 * driven into the limiter (docs/decisions/sound.md has the measurements).
 */
const CEILING_DB = { asItIs: -3, amplified: -4.5 };
/** A change of gain or mute takes this long, so that it does not click. */
const RAMP_SAMPLES = 480;

export class SoundChain {
  private readonly channels: number;
  private readonly limiter: Limiter;
  private target = 1;
  private gain = 1;

  constructor(channels: number, options: Pick<SoundOptions, 'gain_db' | 'mute'>) {
    this.channels = channels;
    this.limiter = new Limiter(channels, 1);
    this.set(options);
    this.gain = this.target;
  }

  set({ gain_db, mute }: Pick<SoundOptions, 'gain_db' | 'mute'>): void {
    this.target = mute ? 0 : linear(gain_db);
    this.limiter.ceiling = linear(gain_db > 0 ? CEILING_DB.amplified : CEILING_DB.asItIs);
  }

  /** Takes interleaved samples of 16 bits and returns as many. */
  process(audio: Buffer): Buffer {
    const given = samplesOf(audio);
    const samples = new Float32Array(given.length);
    for (let n = 0; n < given.length; n += 1) samples[n] = given[n]! / FULL_SCALE;
    this.amplify(samples);
    this.limiter.process(samples);
    const out = Buffer.allocUnsafeSlow(audio.length);
    const written = new Int16Array(out.buffer, out.byteOffset, given.length);
    for (let n = 0; n < given.length; n += 1) {
      const value = Math.round(samples[n]! * FULL_SCALE);
      written[n] = value > 32_767 ? 32_767 : value < -32_768 ? -32_768 : value;
    }
    return out;
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
