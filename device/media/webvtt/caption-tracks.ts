/**
 * Tracks of text made of the captions in a video: each channel of line 21 that was seen, and the first service of CEA-708 where line 21
 * says nothing.
 */
import { CaptionChannels, type CaptionChannel } from '../captions/cc-channels.ts';
import { FIELD_1, FIELD_2, PAIR_BYTES } from '../captions/cc-data.ts';
import { Line21Decoder } from '../captions/line21-decoder.ts';
import { ServiceDecoder } from '../captions/service-decoder.ts';
import { ServicePackets } from '../captions/service-packets.ts';
import { CueTrack, type Cue } from './cue.ts';

const LINE_21 = [
  ['CC1', 'CC2'],
  ['CC3', 'CC4'],
] as const;
const SERVICE: CaptionChannel = 'SERVICE1';

export class CaptionTracks {
  private readonly tracks = new Map<CaptionChannel, CueTrack>();
  private readonly seen = new CaptionChannels();
  private readonly fields: readonly [Line21Decoder, Line21Decoder];
  private readonly packets = new ServicePackets(1);
  private readonly service = new ServiceDecoder();
  private ticks = 0;

  constructor() {
    const field = (index: 0 | 1): Line21Decoder =>
      new Line21Decoder({
        onShown: (channel, blocks, isGrowing) =>
          this.track(LINE_21[index][channel]).show(this.ticks, blocks, isGrowing),
      });
    this.fields = [field(0), field(1)];
  }

  /** Channels with a track, in the order of their numbers; one that has a track keeps it. */
  get channels(): CaptionChannel[] {
    const hasText = (name: CaptionChannel): boolean => this.tracks.get(name)?.isEmpty === false;
    const line21 = this.seen.all.filter((name) => name.startsWith('CC'));
    const isService = this.hasService || line21.length === 0 || !line21.some(hasText);
    if (isService && hasText(SERVICE)) this.hasService = true;
    return this.hasService ? [...line21, SERVICE] : line21;
  }

  private hasService = false;

  /** Takes the pairs of the frame at `ticks` of the stream; frames come in the order in which they are shown. */
  push(ticks: number, pairs: Buffer): void {
    this.ticks = ticks;
    this.seen.note(pairs);
    for (let at = 0; at + PAIR_BYTES <= pairs.length; at += PAIR_BYTES) {
      const [type, a, b] = [pairs[at]!, pairs[at + 1]!, pairs[at + 2]!];
      if (type === FIELD_1 || type === FIELD_2) this.fields[type].push(a, b);
      else
        for (const block of this.packets.push(type, a, b)) {
          const { blocks, isGrowing } = this.service.push(block);
          this.track(SERVICE).show(ticks, blocks, isGrowing);
        }
    }
    for (const track of this.tracks.values()) track.alive(ticks);
  }

  /** Nothing is shown from `ticks` on: the source is gone, or not to be heard. */
  erase(ticks: number): void {
    for (const field of this.fields) field.reset();
    this.packets.reset();
    this.service.reset();
    for (const track of this.tracks.values()) track.show(ticks, [], false);
  }

  between(channel: CaptionChannel, fromTicks: number, toTicks: number): readonly Cue[] {
    return this.tracks.get(channel)?.between(fromTicks, toTicks) ?? [];
  }

  private track(channel: CaptionChannel): CueTrack {
    const track = this.tracks.get(channel) ?? new CueTrack();
    this.tracks.set(channel, track);
    return track;
  }
}
