/**
 * The playlists of an HLS Destination. One audio track is in the segments of its video, as players without alternative audio want it; of
 * several each has a playlist of its own, or viewers would load all to hear one.
 */
import type { AudioStreamPlan, RenditionPlan } from '../../../media/ladder/ladder-plan.ts';
import type { CutTracks } from './segment-cutter.ts';

export interface HlsPart {
  folder: string;
  tracks: CutTracks;
  /** It is one of several audio tracks. */
  isTrack: boolean;
}

export function hlsParts(renditions: readonly RenditionPlan[]): HlsPart[] {
  const own = renditions.flatMap((rendition): HlsPart[] => {
    const { encodingId, video, audios } = rendition;
    const folder = String(encodingId);
    if (audioGroup(rendition) === undefined) return [{ folder, tracks: { video, audios }, isTrack: false }];
    return video === undefined ? [] : [{ folder, tracks: { video, audios: [] }, isTrack: false }];
  });
  const grouped = renditions.flatMap((rendition) => (audioGroup(rendition) === undefined ? [] : rendition.audios));
  const tracks = [...new Set(grouped)].map((stream): HlsPart => {
    return { folder: audioFolder(stream), tracks: { video: undefined, audios: [stream] }, isTrack: true };
  });
  return [...own, ...tracks];
}

/** Returns the name of the group in which viewers find the audio of a rendition; undefined when there is nothing to choose. */
export function audioGroup({ audios }: RenditionPlan): string | undefined {
  return audios.length > 1 ? `sound-${audios[0]!.pid}` : undefined;
}

/** An Encoding's folder has its id, a number. */
export function audioFolder({ pid }: AudioStreamPlan): string {
  return `sound-${pid}`;
}
