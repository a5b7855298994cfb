/** The chains of all tracks of the raw programme: each is limited by itself, or a loud language would turn down the others. */
import type { SoundOptions } from '../../../domain/sound.ts';
import type { LadderPlan } from '../ladder/ladder-plan.ts';
import { samplesOf } from '../frames/samples.ts';
import { SoundChain } from './sound-chain.ts';

export class TrackChains {
  private readonly chains: { chain: SoundChain; channels: number; offset: number }[];
  private readonly stride: number;

  constructor(plan: Pick<LadderPlan, 'tracks' | 'sampleBytes'>, options: SoundOptions) {
    this.stride = plan.sampleBytes / 2;
    this.chains = plan.tracks.map(({ channels, offset }) => {
      return { chain: new SoundChain(channels, options), channels, offset };
    });
  }

  set(options: SoundOptions): void {
    for (const { chain } of this.chains) chain.set(options);
  }

  /** Takes the interleaved samples of the programme and returns as many. */
  process(audio: Buffer): Buffer {
    const [only, ...others] = this.chains;
    if (only !== undefined && others.length === 0) return only.chain.process(audio);
    const given = samplesOf(audio);
    const count = given.length / this.stride;
    const out = Buffer.allocUnsafeSlow(audio.length);
    const written = new Int16Array(out.buffer, out.byteOffset, given.length);
    for (const { chain, channels, offset } of this.chains) {
      const own = new Int16Array(count * channels);
      for (let channel = 0; channel < channels; channel += 1)
        for (let at = channel, from = offset + channel; at < own.length; at += channels, from += this.stride)
          own[at] = given[from]!;
      const made = samplesOf(chain.process(Buffer.from(own.buffer)));
      for (let channel = 0; channel < channels; channel += 1)
        for (let at = channel, to = offset + channel; at < made.length; at += channels, to += this.stride)
          written[to] = made[at]!;
    }
    return out;
  }
}
