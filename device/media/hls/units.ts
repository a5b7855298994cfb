/** The content of segments, whatever their container: access units with their times, which one transport stream takes in. */
import type { Track } from '../units/track.ts';

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
