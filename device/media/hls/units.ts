/** The content of segments, whatever their container: access units with their times, which one transport stream takes in. */

export type TrackKind = 'video' | 'sound' | 'section' | 'other';

export interface Track {
  kind: TrackKind;
  /** stream_type and descriptors of a program map, ISO/IEC 13818-1 §2.4.4.8. */
  type: number;
  descriptors: Buffer;
  /** stream_id of its PES units. */
  streamId: number;
}

export interface Unit {
  track: Track;
  /** Ticks of 90 kHz on the segment's own clock; `pts` is undefined where the container gives none. */
  pts: number | undefined;
  dts: number;
  /** It can be decoded by itself. */
  key: boolean;
  /** Payload of a PES unit, or a section. */
  data: Buffer;
  /** Ticks until the next unit of its track. */
  duration: number;
}

export interface SegmentMedia {
  tracks: Track[];
  /** In the order of their decoding times. */
  units: Unit[];
}

/** Nothing here reads it; ffmpeg may. */
export class NotRead extends Error {}

export const TYPES = { mp3: 0x03, adts: 0x0f, avc: 0x1b, hevc: 0x24, ac3: 0x81, eac3: 0x87, cue: 0x86, id3: 0x15 };
export const STREAM_IDS = { video: 0xe0, sound: 0xc0, private: 0xbd };
const LANGUAGE = 0x0a;
/** A picture of 25 a second, for a segment that has a single one. */
const USUAL_TICKS = 3600;

/** Puts the units in order, and gives each the time until the next of its track. */
export function inOrder(tracks: Track[], units: Unit[]): SegmentMedia {
  const last = new Map<Track, Unit>();
  for (const unit of units) {
    const before = last.get(unit.track);
    if (before !== undefined) before.duration = Math.max(0, unit.dts - before.dts);
    unit.duration = before?.duration ?? USUAL_TICKS;
    last.set(unit.track, unit);
  }
  return { tracks, units: units.toSorted((a, b) => a.dts - b.dts) };
}

/** The presentation time at which the pictures of the segment begin, or its sound where it has none. */
export function startOf({ units }: SegmentMedia): number | undefined {
  const video = units.filter(({ track, pts }) => track.kind === 'video' && pts !== undefined);
  const timed = video.length > 0 ? video : units.filter(({ pts }) => pts !== undefined);
  return timed.length === 0 ? undefined : timed.reduce((least, { pts }) => Math.min(least, pts!), Infinity);
}

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
