/** Renditions that an encoder of this product can make, checked before a start is accepted and again before any process starts. */
import { settingsIssues } from './encoding-rules.ts';
import type { RenditionSpec } from '../../shapes/broadcasts/run-spec.ts';
import type { AudioSettings } from '../../shapes/encodings/encoding.ts';
import { oddLight } from './one-light.ts';

const VIDEO = ['h264', 'hevc', 'av1', 'vp9', 'copy'];
const AUDIO = ['mp4a', 'mp3', 'opus', 'mpga', 'copy'];
/** A transport stream has no stream type for these codecs (ISO/IEC 13818-1), so they leave the encoder as fragmented MP4. */
const FRAGMENTED = ['av1', 'vp9'];

export function isFragmented(renditions: readonly Pick<RenditionSpec, 'video'>[]): boolean {
  return renditions.some(({ video }) => video !== null && FRAGMENTED.includes(video.codec));
}

/** dBTP that sound has at most before its codec: one with few bits adds more to the peaks. */
const CEILING_DB = { usual: -1, lowBitrate: -2 };
const LOW_BITRATE_KBPS = 128;
/** The filter of ffmpeg that takes the sounds apart (pan) has names for so many channels. */
const MAX_SENT_CHANNELS = 64;

export function ceilingOf({ bitrate }: AudioSettings): number {
  return bitrate < LOW_BITRATE_KBPS ? CEILING_DB.lowBitrate : CEILING_DB.usual;
}

/** So many audio tracks have room: each goes to the encoder once for every number of channels and ceiling. */
export function tracksThatFit(renditions: readonly Pick<RenditionSpec, 'audio'>[]): number {
  const sounds = renditions.flatMap(({ audio }) => (audio === null || audio.codec === 'copy' ? [] : [audio]));
  const forms = new Map(sounds.map((audio) => [`${audio.channels} ${ceilingOf(audio)}`, audio.channels]));
  const channels = [...forms.values()].reduce((sum, own) => sum + own, 0);
  return channels === 0 ? Infinity : Math.floor(MAX_SENT_CHANNELS / channels);
}

/** One sentence that names the impossible part and a possible one, or undefined. */
export function refusalOfRenditions(renditions: readonly RenditionSpec[], audioTracks = 1): string | undefined {
  if (renditions.length === 0) return 'The run has no rendition to encode.';
  for (const rendition of renditions) {
    const issue = issueOf(rendition) ?? (renditions.length > 1 ? issueInLadder(rendition, renditions) : undefined);
    if (issue !== undefined) return `Encoding "${rendition.name}" ${issue}.`;
  }
  const fitting = tracksThatFit(renditions);
  if (audioTracks <= fitting) return undefined;
  return `${audioTracks} audio tracks are more than the ${fitting} that one encoder takes in these numbers of channels; list fewer, or use Encodings with fewer channels.`;
}

function issueOf({ video, audio, fpsOfSource, sideOfSource }: RenditionSpec): string | undefined {
  if (video === null && audio === null) return 'has neither video nor audio';
  if (video !== null && !VIDEO.includes(video.codec))
    return `asks for video codec ${video.codec}, which this Device cannot encode; use h264 or hevc`;
  if (audio !== null && !AUDIO.includes(audio.codec))
    return `asks for audio codec ${audio.codec}, which this Device cannot encode; use mp4a, mp3 or opus`;
  // What is left to the source is checked when the source is known.
  const known = video && {
    ...video,
    ...(fpsOfSource === true && { fps: 0 }),
    ...(sideOfSource !== undefined && { [sideOfSource]: null }),
  };
  const [issue] = settingsIssues({ video: known, audio });
  return issue && `cannot be encoded: ${issue.field}: ${issue.message}`;
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
  const lightIssue = oddLight(
    video,
    renditions.flatMap((other) => other.video ?? []),
  );
  if (lightIssue !== undefined) return lightIssue;
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
