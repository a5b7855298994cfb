/** Tracks of a programme as a transport stream has them, whatever container their units come from. */

export type TrackKind = 'video' | 'sound' | 'section' | 'other';

export interface Track {
  kind: TrackKind;
  /** stream_type and descriptors of a program map, ISO/IEC 13818-1 §2.4.4.8. */
  type: number;
  descriptors: Buffer;
  /** stream_id of its PES units. */
  streamId: number;
}

/** Nothing here reads it; ffmpeg may. */
export class NotRead extends Error {}

export const TYPES = {
  mp3: 0x03,
  private: 0x06,
  adts: 0x0f,
  avc: 0x1b,
  hevc: 0x24,
  ac3: 0x81,
  eac3: 0x87,
  cue: 0x86,
  id3: 0x15,
};
export const STREAM_IDS = { video: 0xe0, sound: 0xc0, private: 0xbd };
const LANGUAGE = 0x0a;

/** Returns the track with an ISO_639_language_descriptor of the code, which has two or three letters, in place of its own. */
export function inLanguage(track: Track, language: string | undefined): Track {
  const code = /^[a-z]{2,3}(?=-|$)/iu.exec(language ?? '')?.[0].toLowerCase();
  if (code === undefined) return track;
  const descriptor = Buffer.from([LANGUAGE, 4, 0, 0, 0, 0]);
  descriptor.write(code, 2, 'latin1');
  return { ...track, descriptors: Buffer.concat([...otherDescriptors(track.descriptors), descriptor]) };
}

function otherDescriptors(all: Buffer): Buffer[] {
  const kept: Buffer[] = [];
  for (let at = 0; at + 2 <= all.length; at += 2 + all[at + 1]!)
    if (all[at] !== LANGUAGE) kept.push(all.subarray(at, at + 2 + all[at + 1]!));
  return kept;
}
