/** The audio tracks of a broadcast: which of the source's tracks viewers can choose, and what they are called. */
import { z } from 'zod/v3';
import type { FieldIssue } from '../../base/errors.ts';

const MAX_AUDIO_TRACKS = 8;
/** ISO 639-2 for a language that nobody has stated. */
export const UNKNOWN_LANGUAGE = 'und';
/** A primary language of two or three letters, with script, region or variant behind it (RFC 5646 §2.1). */
const LANGUAGE = /^[a-z]{2,3}(?:-[a-z0-9]{2,8}){0,3}$/iu;

const audioTrackField = z
  .object({
    track: z.number().int().min(0).max(63).describe('Audio track of the source, from 0.'),
    language: z
      .string()
      .max(35)
      .regex(LANGUAGE, 'must be a language tag such as en, deu or pt-BR')
      .nullable()
      .default(null)
      .describe('RFC 5646 tag or ISO 639-2 code; null = und.'),
    name: z
      .string()
      .max(64)
      .regex(/^[^\p{C}"]*$/u, 'must not contain quotes or control characters')
      .nullable()
      .default(null)
      .describe('Name in the menu of players; null = that of the language.'),
    default: z.boolean().default(false).describe('Players begin with it; at most one, none = the first.'),
  })
  .strict();
export type AudioTrack = z.infer<typeof audioTrackField>;

export const audioTracksField = z.array(audioTrackField).max(MAX_AUDIO_TRACKS);

/** All tracks of a source, up to the limit, with their languages in order; the first is the default. */
export function allTracks(languages: readonly (string | null)[]): AudioTrack[] {
  return languages.slice(0, MAX_AUDIO_TRACKS).map((language, track) => {
    return { track, language, name: null, default: track === 0 };
  });
}

/** Finds tracks that are listed twice, and a second default. */
export function audioTrackIssues(tracks: readonly AudioTrack[] | null): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const first = (tracks ?? []).findIndex((entry) => entry.default);
  (tracks ?? []).forEach(({ track, default: isDefault }, i, all) => {
    if (all.findIndex((other) => other.track === track) < i) {
      const message = `track ${track} is listed before; list each track of the source once`;
      issues.push({ field: `audio.${i}.track`, code: 'duplicate', message });
    }
    if (isDefault && i !== first) {
      const message = `audio.${first} is the default already; exactly one track can be`;
      issues.push({ field: `audio.${i}.default`, code: 'exclusive', message });
    }
  });
  return issues;
}
