/** Low latency of a presentation: the parts in its playlists, and what its MPD promises of segments that are not whole yet. */
import type { DashLatency } from './dash-manifest.ts';
import type { FixedSegments, UtcTiming } from './dash-segments.ts';
import type { LowLatency, PlaylistPart } from './hls-playlist.ts';
import type {
  ListedPart,
  ListedPeriod,
  ListedSegment,
  LivePresentation,
  Presentation,
  PresentationTrack,
} from './presentation.ts';
import { textFolder } from './caption-announcement.ts';

/** Parts behind the newest media that players of DASH should be: three as in HLS, and a round trip. */
const LATENCY_PARTS = 3.5;
/** A player that is further behind than so many parts seeks forward, as after a pause. */
const MAX_LATENCY_PARTS = 12;

/** Names of a track's files of a segment that is being made. */
export function partName(sequence: number, part: number, suffix: string): string {
  return `${sequence}.${part}${suffix}.m4s`;
}

type Times = ListedPart['times'][number];

/** Returns the segment that is being made, as one of the list with the times that it has so far; none while it has no part. */
export function openSegments(live: LivePresentation | undefined, trackId: number): ListedSegment[] {
  const open = live?.open;
  if (open === undefined || open.live.length === 0) return [];
  const own = open.live.map(({ times }) => times[trackId]!);
  return [{ ...open, seconds: 0, parts: { [trackId]: joinedTimes(own) } }];
}

/** Returns the time of parts that follow each other. */
export function joinedTimes(parts: readonly Times[]): Times {
  return { startTime: parts[0]!.startTime, duration: parts.reduce((sum, { duration }) => sum + duration, 0) };
}

export function partsOf(
  { sequence, seconds, live = [] }: ListedSegment,
  trackId: number,
  kind: PresentationTrack['kind'],
  timescale: number,
  suffix: string,
): { parts: PlaylistPart[]; isOpen: boolean } {
  const parts = live.map(({ times, independent }, part) => ({
    uri: partName(sequence, part, suffix),
    seconds: times[trackId]!.duration / timescale,
    independent: independent || kind === 'audio',
  }));
  return { parts, isOpen: seconds === 0 };
}

export function lowLatencyOf(
  { segments, texts = [] }: Presentation,
  tracks: readonly PresentationTrack[],
  { partTargetSeconds, open }: LivePresentation,
  trackId: number,
  suffix: string,
): LowLatency {
  const last = segments.at(-1);
  const isOpen = open !== undefined && open.live.length > 0;
  const lastSequence = isOpen ? open.sequence : (last?.sequence ?? 0);
  const lastPart = (isOpen ? open.live.length : (last?.live?.length ?? 0)) - 1;
  const next = isOpen ? open : { sequence: lastSequence + 1, live: [] };
  return {
    partTargetSeconds,
    hint: partName(next.sequence, next.live.length, suffix),
    reports: [
      ...tracks
        .filter(({ id }) => id !== trackId)
        .map(({ id }) => ({ uri: `../${id}/index.m3u8`, lastSequence, lastPart: lastPart < 0 ? undefined : lastPart })),
      ...(last === undefined ? [] : texts).map((channel) => {
        const uri = `../${textFolder(channel, 'vtt')}/index.m3u8`;
        return { uri, lastSequence: last!.sequence, lastPart: undefined };
      }),
    ],
  };
}

export function dashLatency({ partTargetSeconds }: LivePresentation): DashLatency {
  return {
    targetSeconds: LATENCY_PARTS * partTargetSeconds,
    maxSeconds: MAX_LATENCY_PARTS * partTargetSeconds,
    bufferSeconds: partTargetSeconds,
  };
}

/** Segments of a period are counted: each is asked for once its first part is there. */
export function fixedSegments(
  { segmentSeconds, partTargetSeconds }: LivePresentation,
  { firstSequence, startSeconds, originSeconds }: ListedPeriod,
  timescale: number,
  { startMs, clock }: { startMs: number; clock: UtcTiming },
): FixedSegments {
  return {
    duration: Math.round(segmentSeconds * timescale),
    startNumber: firstSequence,
    availabilityOffsetSeconds: Math.max(0, segmentSeconds - partTargetSeconds),
    reference: {
      wallClockAt: new Date(Math.round(startMs + startSeconds * 1000)).toISOString(),
      presentationTime: Math.round(originSeconds * timescale),
      clock,
    },
  };
}
