/** A presentation of CMAF: its tracks, and the segments and periods that are listed of it. */
import type { CaptionChannel } from '../captions/cc-channels.ts';
import type { ManifestBreak } from '../scte35/cue-message.ts';
import type { TrackInit } from '../fmp4/fmp4-parser.ts';
import type { FrameRate } from '../ladder/frame-rate.ts';
import type { TrackPlan } from '../ladder/track-plan.ts';
import type { AnnouncedKeys } from './protection.ts';

export interface PresentationTrack {
  /** The folder of the track has this name, too. */
  id: number;
  kind: 'video' | 'audio';
  /** Undefined for audio, and for a copy, whose rate only the source knows. */
  rate: FrameRate | undefined;
  /** Undefined for video. */
  label: TrackLabel | undefined;
}

/** The words for an audio track in the menu of a player. */
export type TrackLabel = Pick<TrackPlan, 'language' | 'name' | 'isDefault'>;

/** The ids of the tracks of a rendition: its audio in the languages that viewers can choose. */
export interface PresentationRendition {
  video: number | undefined;
  audios: readonly number[];
}

export interface Layout {
  /** Keys of periods by runners of earlier versions, which did not keep them; undefined: nothing is encrypted. */
  keys?: AnnouncedKeys | undefined;
  tracks: readonly PresentationTrack[];
  renditions: readonly PresentationRendition[];
}

/** The facts that a player must know of a track before its first sample; the bytes are in the file `name`. */
export interface ListedInit extends Pick<TrackInit, 'codecs' | 'timescale' | 'width' | 'height' | 'colour'> {
  name: string;
  sampleRate?: number;
  channels?: number;
}

/** The media between two discontinuities, or under the same keys. Times are in seconds. */
export interface ListedPeriod {
  /** Number of its first segment, and the id of the period. */
  firstSequence: number;
  /** Time since the presentation began. */
  startSeconds: number;
  /** Time of the stream at the start of the period. */
  originSeconds: number;
  /** Initialisation segments by track id. */
  inits: Record<number, ListedInit>;
  /** Its media goes on from the period before: it begins with new keys, or where the lengths of segments were no longer as announced. */
  isContinuous?: boolean;
  /** Left out: it is not encrypted. */
  keys?: AnnouncedKeys;
}

export interface ListedSegment {
  sequence: number;
  /** Stream time at which the leading track begins. */
  startSeconds: number;
  seconds: number;
  /** Times by track id, in ticks of the track. */
  parts: Record<number, { startTime: number; duration: number }>;
  /** Its parts, as long as they are listed. */
  live?: ListedPart[];
}

/** A part of a segment, for low latency. */
export interface ListedPart {
  /** Length of the leading track. */
  seconds: number;
  /** Its video begins with a keyframe. */
  independent: boolean;
  /** Times by track id, in ticks of the track. */
  times: Record<number, { startTime: number; duration: number }>;
}

/** The segment that is being made. */
export interface OpenSegment {
  sequence: number;
  startSeconds: number;
  live: ListedPart[];
}

/** Low latency of a presentation. */
export interface LivePresentation {
  /** No part of any track is longer. */
  partTargetSeconds: number;
  /** Usual length of a segment: players count segments by it (ISO/IEC 23009-1 §5.3.9.5). */
  segmentSeconds: number;
  open: OpenSegment | undefined;
}

export interface Presentation {
  availabilityStartAt: string;
  /** Whole seconds; never decreases. */
  targetSeconds: number;
  /** Discontinuities that have left the list. */
  discontinuitySequence: number;
  periods: ListedPeriod[];
  segments: ListedSegment[];
  /** Tracks of text; left out by runners of earlier versions. */
  texts?: CaptionChannel[];
}

/** Rates in bit/s. */
export interface TrackRate {
  peak: number;
  average: number;
}

export interface ManifestFacts {
  rates: ReadonlyMap<number, TrackRate>;
  ended: boolean;
  publishedAt: string;
  timeShiftSeconds: number;
  /** End of the names of segments. */
  suffix: string;
  breaks?: readonly ManifestBreak[];
  captions: readonly CaptionChannel[];
  live?: LivePresentation | undefined;
}

/** Tells whether media time does not go on at this segment. */
export function isDiscontinuity(presentation: Pick<Presentation, 'periods'>, sequence: number): boolean {
  const period = periodOf(presentation, sequence);
  return sequence > 0 && period?.firstSequence === sequence && period.isContinuous !== true;
}

export function periodOf({ periods }: Pick<Presentation, 'periods'>, sequence: number): ListedPeriod | undefined {
  return periods.findLast(({ firstSequence }) => firstSequence <= sequence);
}

/** Returns milliseconds since 1970 at a time of the stream within a period. */
export function wallMs(availabilityStartAt: string, period: ListedPeriod, streamSeconds: number): number {
  return Date.parse(availabilityStartAt) + (period.startSeconds + streamSeconds - period.originSeconds) * 1000;
}
