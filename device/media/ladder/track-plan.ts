/** Plans the audio tracks of the raw programme: where each lies among the interleaved samples, and what viewers are told of it. */
import { UNKNOWN_LANGUAGE, type AudioTrack } from '../../../domain/shapes/sources/audio-tracks.ts';
import { languageName } from '../../../domain/shapes/sources/language.ts';
import type { RenditionSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';

export interface TrackPlan {
  /** Number of the source's track, from 0; undefined leaves the choice to the Channel's settings or to ffmpeg. */
  number: number | undefined;
  /** Language tag, und when nobody has stated one. */
  language: string;
  /** No two tracks have the same. */
  name: string;
  /** One track is. */
  isDefault: boolean;
  /** Channels in the raw programme, and the number of the first of them there. */
  channels: number;
  offset: number;
}

const STEREO = 2;
/** 5.1, in the order left, right, centre, low frequencies, back left, back right. */
export const SURROUND = 6;
/** 7.1: behind those of 5.1, side left and side right. */
export const WIDE_SURROUND = 8;
/** Layouts by their number of channels, as ffmpeg calls them. */
const LAYOUTS: Readonly<Record<number, string>> = { 1: 'mono', [SURROUND]: '5.1', [WIDE_SURROUND]: '7.1' };

export function layoutOf(channels: number): string {
  return LAYOUTS[channels] ?? 'stereo';
}

/** The raw programme has 5.1 or 7.1 when an Encoding asks for it; the others are mixed from the most that one asks for. */
export function rawChannels(renditions: readonly RenditionSpec[]): number {
  const most = Math.max(...renditions.map(({ audio }) => audio?.channels ?? STEREO));
  return most > SURROUND ? WIDE_SURROUND : most > STEREO ? SURROUND : STEREO;
}

export function planTracks(tracks: readonly AudioTrack[], channels: number): TrackPlan[] {
  if (tracks.length === 0) {
    const name = defaultName(UNKNOWN_LANGUAGE, 0, 1);
    return [{ number: undefined, language: UNKNOWN_LANGUAGE, name, isDefault: true, channels, offset: 0 }];
  }
  const chosen = Math.max(
    0,
    tracks.findIndex((entry) => entry.default),
  );
  const names = new Set<string>();
  return tracks.map(({ track, language, name }, i) => {
    const tag = language ?? UNKNOWN_LANGUAGE;
    const unique = uniqueName(name ?? defaultName(tag, i, tracks.length), names);
    names.add(unique);
    return { number: track, language: tag, name: unique, isDefault: i === chosen, channels, offset: i * channels };
  });
}

function defaultName(language: string, i: number, count: number): string {
  return languageName(language) ?? (count === 1 ? 'Sound' : `Sound ${i + 1}`);
}

/** RFC 8216 §4.3.4.1.1: the renditions of a group have different names. */
function uniqueName(name: string, taken: ReadonlySet<string>): string {
  let unique = name;
  for (let n = 2; taken.has(unique); n += 1) unique = `${name} (${n})`;
  return unique;
}
