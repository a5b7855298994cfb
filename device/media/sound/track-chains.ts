/** The chains of all forms of the sound: each is limited by itself, or a loud language would turn down the others. */
import type { SoundOptions } from '../../../domain/shapes/broadcasts/sound.ts';
import type { LadderPlan } from '../ladder/ladder-plan.ts';
import type { SoundForm } from '../ladder/sound-forms.ts';
import { samplesOf } from '../frames/samples.ts';
import { channelMix, type ChannelMix } from './channel-mix.ts';
import { SoundChain } from './sound-chain.ts';

const FULL_SCALE = 32_768;

interface FormChain {
  chain: SoundChain;
  form: SoundForm;
  mix: ChannelMix | undefined;
}

export class TrackChains {
  private readonly chains: FormChain[];
  private readonly taken: number;
  private readonly sent: number;

  constructor(plan: Pick<LadderPlan, 'forms' | 'sampleBytes' | 'sentBytes'>, options: SoundOptions) {
    this.taken = plan.sampleBytes / 2;
    this.sent = plan.sentBytes / 2;
    this.chains = plan.forms.map((form) => {
      const { track, channels, ceilingDb } = form;
      return { chain: new SoundChain(channels, ceilingDb, options), form, mix: channelMix(track.channels, channels) };
    });
  }

  set(options: SoundOptions): void {
    for (const { chain } of this.chains) chain.set(options);
  }

  /** Takes the interleaved samples of the programme and returns those that the encoder gets. */
  process(audio: Buffer): Buffer {
    const given = samplesOf(audio);
    const count = given.length / this.taken;
    const out = Buffer.allocUnsafeSlow(count * this.sent * 2);
    const written = new Int16Array(out.buffer, out.byteOffset, count * this.sent);
    for (const { chain, form, mix } of this.chains) {
      const { channels, offset, track } = form;
      const own = new Float32Array(count * channels);
      for (let channel = 0; channel < channels; channel += 1)
        this.take(given, own, { channel, channels, from: track.offset, shares: mix?.[channel] });
      chain.process(own);
      for (let channel = 0; channel < channels; channel += 1)
        for (let at = channel, to = offset + channel; at < own.length; at += channels, to += this.sent)
          written[to] = rounded(own[at]!);
    }
    return out;
  }

  private take(given: Int16Array, own: Float32Array, { channel, channels, from, shares }: Taking): void {
    const parts =
      shares === undefined
        ? [[from + channel, 1] as const]
        : shares.flatMap((share, i) => (share === 0 ? [] : [[from + i, share] as const]));
    for (const [first, share] of parts)
      for (let at = channel, n = first; at < own.length; at += channels, n += this.taken)
        own[at]! += (share * given[n]!) / FULL_SCALE;
  }
}

interface Taking {
  /** Number of the channel among those of the form. */
  channel: number;
  channels: number;
  /** Number of the track's first channel in the programme. */
  from: number;
  /** One a channel of the track; undefined: the channel is taken as it is. */
  shares: readonly number[] | undefined;
}

function rounded(sample: number): number {
  const value = Math.round(sample * FULL_SCALE);
  return value > 32_767 ? 32_767 : value < -32_768 ? -32_768 : value;
}
