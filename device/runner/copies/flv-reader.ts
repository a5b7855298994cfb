/** Reads FLV of a source that is copied: of a pusher, or of a connection that this process has. */
import { SourceTrouble } from '../../media/ffmpeg-output/source-reason.ts';
import { TICKS_PER_SECOND } from '../../media/mpeg-ts/mpeg-ts.ts';
import { FlvTags } from '../../media/rtmp/flv-tags.ts';
import { FlvTransport, type FlvTracks } from '../../media/units/flv-transport.ts';
import { NotRead } from '../../media/units/track.ts';
import type { OwnOutput, OwnReader } from './own-reading.ts';

const NO_MEDIA = 'what it sends cannot be read as media';
const MISSING = {
  picture: 'it has no picture that could be copied',
  sound: 'it has no sound that could be copied',
  configuration: NO_MEDIA,
};

export function flvReader(tracks: FlvTracks, out: OwnOutput): OwnReader {
  const transport = new FlvTransport(tracks, () => Math.round(out.nextSeconds() * TICKS_PER_SECOND));
  const tags = new FlvTags((message) => {
    for (const packets of transport.take(message)) out.packets(packets);
  });
  return {
    namesCodecs: true,
    take(bytes) {
      try {
        tags.push(bytes);
      } catch (error) {
        if (error instanceof NotRead) return out.giveBack(halfSentence(error.message));
        if (!(error instanceof RangeError || error instanceof TypeError)) throw error;
        return out.end(new SourceTrouble(NO_MEDIA, error.message));
      }
      const { missing } = transport;
      if (missing !== undefined) out.end(new SourceTrouble(MISSING[missing]));
    },
  };
}

function halfSentence(text: string): string {
  return `${text[0]!.toLowerCase()}${text.slice(1)}`.replace(/\.$/u, '');
}
