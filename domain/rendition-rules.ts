/** Renditions that an encoder of this product can make, checked before a start is accepted and again before any process starts. */
import { levelExcess } from './codec-levels.ts';
import type { RenditionSpec } from './run.ts';

const VIDEO = ['h264', 'hevc', 'av1', 'vp9', 'copy'];
const AUDIO = ['mp4a', 'mp3', 'opus', 'mpga', 'copy'];
const CHANNELS = [1, 2, 6];
/** ISO/IEC 11172-3. */
const STEREO_CODECS = ['mp3', 'mpga'];
/** A transport stream has no stream type for these codecs (ISO/IEC 13818-1), so they leave the encoder as fragmented MP4. */
const FRAGMENTED = ['av1', 'vp9'];

export function isFragmented(renditions: readonly Pick<RenditionSpec, 'video'>[]): boolean {
  return renditions.some(({ video }) => video !== null && FRAGMENTED.includes(video.codec));
}

/** One sentence that names the impossible part and a possible one, or undefined. */
export function refusalOfRenditions(renditions: readonly RenditionSpec[]): string | undefined {
  if (renditions.length === 0) return 'The run has no rendition to encode.';
  for (const rendition of renditions) {
    const issue = issueOf(rendition) ?? (renditions.length > 1 ? issueInLadder(rendition, renditions) : undefined);
    if (issue !== undefined) return `Encoding "${rendition.name}" ${issue}.`;
  }
  return undefined;
}

function issueOf({ video, audio, fpsOfSource }: RenditionSpec): string | undefined {
  if (video === null && audio === null) return 'has neither video nor audio';
  if (video !== null && !VIDEO.includes(video.codec))
    return `asks for video codec ${video.codec}, which this Device cannot encode; use h264 or hevc`;
  if (audio !== null && !AUDIO.includes(audio.codec))
    return `asks for audio codec ${audio.codec}, which this Device cannot encode; use mp4a, mp3 or opus`;
  if (audio?.codec === 'copy' && video !== null && video.codec !== 'copy')
    return 'copies audio beside encoded video; set both to copy';
  if (audio !== null && audio.codec !== 'copy' && !CHANNELS.includes(audio.channels))
    return `asks for ${audio.channels} audio channels; this Device makes mono, stereo and 5.1: use 1, 2 or 6, or copy audio and video`;
  if (audio !== null && audio.channels > 2 && STEREO_CODECS.includes(audio.codec))
    return `asks for ${audio.channels} audio channels, and ${audio.codec} has two at most; use mp4a or opus`;
  if (video === null || video.codec === 'copy') return undefined;
  // The composed video has 8 bits, so an HDR label would make players show wrong colours.
  if (video.hdr_mode !== 'off')
    return `asks for ${video.hdr_mode}; this Device encodes from 8-bit pictures: use hdr_mode off, or copy, which keeps what the source has`;
  if (video.codec !== 'h264' && video.codec !== 'hevc') return undefined;
  const { level, profile } = video[video.codec];
  const { width, height, bitrate } = video;
  const fps = fpsOfSource === true ? 0 : video.fps;
  return level === null
    ? undefined
    : levelExcess(video.codec, level, { profile, bitrate, fps, size: { width, height } })?.replace(/^/u, 'cannot be: ');
}

function issueInLadder(
  { video, audio, fpsOfSource }: RenditionSpec,
  renditions: readonly RenditionSpec[],
): string | undefined {
  if (video?.codec === 'copy' || audio?.codec === 'copy')
    return 'copies the source; that works with a single Encoding only';
  if (video === null) return undefined;
  const [first] = renditions.flatMap((other) => (other.video === null ? [] : [other.video]));
  if (isFragmented([{ video }]) !== isFragmented([{ video: first! }]))
    return `has codec ${video.codec}, another one of the ladder ${first!.codec}; they cannot leave one encoder together`;
  // A rate that is left to the source is checked when the source is known.
  const resolved = renditions.filter(({ fpsOfSource: open }) => open !== true);
  const rates = resolved.flatMap((other) => (other.video === null ? [] : [other.video.fps]));
  const highest = Math.max(...rates);
  return fpsOfSource === true || oddRate([video.fps], highest) === undefined
    ? undefined
    : `has ${video.fps} frames a second, which do not divide the ${highest} of the ladder's fastest; ${RATE_REMEDY}`;
}

export const RATE_REMEDY = 'use that rate, or the half or a third of it, so that frames are left out evenly';

/** The first rate that is no whole part of the highest: frames would be left out unevenly, and keyframes would not meet. */
export function oddRate(rates: readonly number[], highest = Math.max(...rates)): number | undefined {
  return rates.find((rate) => {
    const times = highest / rate;
    return Math.abs(times - Math.round(times)) > 0.0005;
  });
}
