/** Fills in what renditions leave to their source: the frame rate, and the side that follows its shape. */
import { evenPixels } from '../../../domain/rules/encodings/ladder.ts';
import type { RenditionSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import type { VideoFacts } from '../ffmpeg-output/source-facts.ts';

export function areOpen(renditions: readonly RenditionSpec[]): boolean {
  return renditions.some(({ fpsOfSource, sideOfSource }) => fpsOfSource === true || sideOfSource !== undefined);
}

/** Width over height of the picture as it is shown: pixels may be oblong, and a player may have to turn it. */
export function shownAspect({
  width,
  height,
  pixelAspect = 1,
  rotation = 0,
}: Pick<VideoFacts, 'width' | 'height' | 'pixelAspect' | 'rotation'>): number {
  const aspect = (width * pixelAspect) / height;
  return rotation % 180 === 0 ? aspect : 1 / aspect;
}

/** Returns the renditions without an open value. */
export function closed(
  renditions: readonly RenditionSpec[],
  { fps, aspect }: { fps: number; aspect: number },
): RenditionSpec[] {
  return renditions.map(({ fpsOfSource, sideOfSource, ...rendition }) => {
    const { video } = rendition;
    if (video === null) return rendition;
    const rate = fpsOfSource === true ? { fps } : {};
    const width = sideOfSource === 'width' ? { width: evenPixels(video.height * aspect) } : {};
    const height = sideOfSource === 'height' ? { height: evenPixels(video.width / aspect) } : {};
    return { ...rendition, video: { ...video, ...rate, ...width, ...height } };
  });
}
