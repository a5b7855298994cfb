/** The last steps of the sound on its way to the encoder: gain, mute, and a limiter that leaves the codec room for what it adds. */
import type { SoundOptions } from '../../../domain/shapes/broadcasts/sound.ts';
import { Limiter } from './limiter.ts';
import { LoudnessHold } from './loudness-hold.ts';

/** A change of gain or mute takes this long, so that it does not click. */
const RAMP_SAMPLES = 480;

export class SoundChain {
  private readonly channels: number;
  private readonly limiter: Limiter;
  private readonly hold: LoudnessHold;
  private target = 1;
  private gain = 1;

  constructor(channels: number, ceilingDb: number, options: Pick<SoundOptions, 'gain_db' | 'mute'>) {
    this.channels = channels;
    this.limiter = new Limiter(channels, linear(ceilingDb));
    this.hold = new LoudnessHold(channels);
    this.set(options);
    this.gain = this.target;
  }

  set({ gain_db, mute }: Pick<SoundOptions, 'gain_db' | 'mute'>): void {
    this.target = mute ? 0 : linear(gain_db);
  }

  /** Takes interleaved samples, whose full scale is 1, and replaces them by as many. */
  process(samples: Float32Array): void {
    this.amplify(samples);
    this.limiter.process(samples);
    this.hold.process(samples);
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
