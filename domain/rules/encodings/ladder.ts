/** Resolves Encodings for the encoder: sizes become even pixels, renditions are in ladder order. */
import { DEFAULT_HEIGHT, type Encoding } from '../../shapes/encodings/encoding.ts';
import type { RenditionSpec } from '../../shapes/broadcasts/run-spec.ts';

const DEFAULT_ASPECT = 16 / 9;
const DEFAULT_FPS = 30;

/** Chroma has half of each side. */
export function evenPixels(pixels: number): number {
  return Math.max(16, Math.round(pixels / 2) * 2);
}

/** Without a shape of its own the picture has that of the source. */
export function sizeOf(
  video: Encoding['settings_video'],
  sourceAspect: number = DEFAULT_ASPECT,
): { width: number; height: number } {
  const [x, y] = video.aspect_ratio?.split(':').map(Number) ?? [];
  const aspect = x && y ? x / y : sourceAspect;
  const height = video.height ?? (video.width === null ? DEFAULT_HEIGHT : evenPixels(video.width / aspect));
  return { width: video.width ?? evenPixels(height * aspect), height };
}

/** A side that is left out follows the shape of the source, unless the Encoding has a shape of its own. */
function openSide({
  width,
  height,
  aspect_ratio: aspect,
}: Encoding['settings_video']): Pick<RenditionSpec, 'sideOfSource'> {
  if (aspect !== null || (width !== null && height !== null)) return {};
  return { sideOfSource: width === null ? 'width' : 'height' };
}

/** `source` is the probe of the Channel; 16:9 at 30 frames a second when left out. */
export function renditionOf(encoding: Encoding, source: { aspect?: number; fps?: number } = {}): RenditionSpec {
  const { settings_video: video, settings_audio: audio } = encoding;
  return {
    encodingId: encoding.id,
    name: encoding.name,
    video: video.active
      ? { ...video, ...sizeOf(video, source.aspect ?? DEFAULT_ASPECT), fps: video.fps || source.fps || DEFAULT_FPS }
      : null,
    audio: audio.active ? audio : null,
    ...(video.active && video.fps === 0 && source.fps === undefined && { fpsOfSource: true as const }),
    ...(video.active && openSide(video)),
  };
}

/** Sorts by bitrate; `desc` puts the best first. */
export function orderLadder(encodings: readonly Encoding[], order: 'asc' | 'desc'): Encoding[] {
  const rate = (encoding: Encoding): number =>
    encoding.settings_video.active ? encoding.settings_video.bitrate : encoding.settings_audio.bitrate;
  const sign = order === 'asc' ? 1 : -1;
  return [...encodings].sort((a, b) => sign * (rate(a) - rate(b)) || a.id - b.id);
}
