/** The tracks of a Destination whose media this process packs into MP4 by itself. */
import { iso639 } from '../../../domain/shapes/sources/language.ts';
import type { LadderPlan, RenditionPlan } from '../../media/ladder/ladder-plan.ts';
import type { PackedTrack } from '../stream/packet-fragments.ts';
import { tracksOf } from './rendition-tracks.ts';

/** Undefined where an ffmpeg packs from the start: of the stream of an encoder, whose codecs are not all read here. */
export function packedTracks({ copy }: LadderPlan, renditions: readonly RenditionPlan[]): PackedTrack[] | undefined {
  const { videos, audios } = tracksOf(renditions);
  const isCopied = audios.every(({ settings }) => settings.codec === 'copy');
  if (!copy || !isCopied) return undefined;
  return [
    ...videos.map(({ pid }) => ({ pid, isVideo: true })),
    ...audios.map(({ pid, track: { name, language, isDefault } }) => ({
      pid,
      isVideo: false,
      label: { name, language: iso639(language), isDefault },
    })),
  ];
}
