/** A ladder has one light beside SDR: all its renditions are made of one programme. */
import type { VideoSettings } from '../../shapes/encodings/encoding.ts';
import { lightOf } from '../../shapes/encodings/light.ts';

type LightSettings = Pick<VideoSettings, 'codec' | 'hdr_mode'>;

/** Half a sentence on `video` where others of its ladder have another light, or undefined. */
export function oddLight(video: LightSettings, ladder: readonly LightSettings[]): string | undefined {
  if (lightOf(video) === 'sdr') return undefined;
  const [first] = ladder.filter((other) => lightOf(other) !== 'sdr');
  if (first === undefined || lightOf(first) === lightOf(video)) return undefined;
  return `has hdr_mode ${video.hdr_mode}, and another one of the ladder ${first.hdr_mode}; use one of them, and off beside it`;
}
