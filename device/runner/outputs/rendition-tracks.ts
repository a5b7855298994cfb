/** Choices among the renditions of a ladder, and their tracks. */
import type { AudioStreamPlan, RenditionPlan, VideoStreamPlan } from '../../media/ladder/ladder-plan.ts';

/** Renditions with the same audio share its track. */
export function tracksOf(renditions: readonly RenditionPlan[]): {
  videos: VideoStreamPlan[];
  audios: AudioStreamPlan[];
} {
  const videos = renditions.flatMap(({ video }) => (video === undefined ? [] : [video]));
  const audios = [...new Set(renditions.flatMap((rendition) => rendition.audios))];
  return { videos, audios };
}

/** Returns the rendition of the highest rate, video first: a ladder may be in ascending order. */
export function bestRendition(renditions: readonly RenditionPlan[]): RenditionPlan {
  const rate = ({ video, audio }: RenditionPlan): number =>
    (video?.settings.bitrate ?? 0) * 1000 + (audio?.settings.bitrate ?? 0);
  return [...renditions].sort((a, b) => rate(b) - rate(a))[0]!;
}
