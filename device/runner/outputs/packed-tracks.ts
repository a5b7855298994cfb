/** The tracks of a Destination whose media this process packs into MP4 by itself. */
import { iso639 } from '../../../domain/shapes/sources/language.ts';
import type { RenditionPlan } from '../../media/ladder/ladder-plan.ts';
import { TYPES } from '../../media/units/track.ts';
import type { PackedTrack } from '../stream/packet-fragments.ts';
import { tracksOf } from './rendition-tracks.ts';

export function packedTracks(renditions: readonly RenditionPlan[]): PackedTrack[] {
  const { videos, audios } = tracksOf(renditions);
  return [
    ...videos.map(({ pid }) => ({ pid, isVideo: true })),
    ...audios.map(({ pid, track: { name, language, isDefault } }) => ({
      pid,
      isVideo: false,
      label: { name, language: iso639(language), isDefault },
    })),
  ];
}

/** The codec of sound for an ffmpeg that packs it: what is copied is AAC where `type`, its stream_type, says so. */
export function packedCodec(codec: string, type: number | undefined): string {
  return codec === 'copy' && type !== TYPES.adts ? 'other' : codec;
}
