/** The ladder that carries a picture as it comes. */
import type { LadderId } from '../domain/shapes/encodings/preset-ids.ts';

/** The rate of a picture that names none is most often this. */
const USUAL_FPS = 30;
/** A measured rate is not a whole number. */
const MARGIN = 1;

/** No rendition of it is larger than the picture, or has many more pictures a second; a small picture gets the smallest ladder. */
export function ladderFor({ width, height, fps }: { width: number; height: number; fps: number | null }): LadderId {
  if (height > width) return 'vertical';
  if (height < 480) return 'low-bandwidth';
  if (height < 720) return '480p';
  if (height < 1080) return '720p';
  const rate = fps ?? USUAL_FPS;
  if (rate > 50 + MARGIN) return '1080p60';
  if (rate > USUAL_FPS + MARGIN) return '1080p50';
  return rate > 25 + MARGIN ? '1080p30' : '1080p25';
}
