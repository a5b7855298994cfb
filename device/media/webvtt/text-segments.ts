/** The text tracks of one Destination, segment by segment. What is shown at a cut is listed up to it, and goes on in the next segment. */
import type { CaptionChannel } from '../captions/cc-channels.ts';
import type { CaptionTracks } from './caption-tracks.ts';
import type { Cue } from './cue.ts';

export class TextSegments {
  private readonly tracks: CaptionTracks;
  /** Cues that were cut, because nobody knew their end, and the time of the cut. */
  private readonly cuts = new WeakMap<Cue, number>();

  constructor(tracks: CaptionTracks) {
    this.tracks = tracks;
  }

  get channels(): CaptionChannel[] {
    return this.tracks.channels;
  }

  /** Returns the cues of a segment. A cue whose end is known has its own times in every segment that shows it (RFC 8216 §3.5). */
  cues(channel: CaptionChannel, fromTicks: number, toTicks: number): Cue[] {
    return this.tracks.between(channel, fromTicks, toTicks).flatMap((cue) => {
      const startTicks = this.cuts.get(cue) ?? cue.startTicks;
      const endTicks = cue.endTicks === Infinity ? toTicks : cue.endTicks;
      if (cue.endTicks === Infinity) this.cuts.set(cue, toTicks);
      return startTicks < endTicks ? [{ ...cue, startTicks, endTicks }] : [];
    });
  }
}
