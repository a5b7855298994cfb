/** Tracks of text in the manifests of a presentation. */
import type { CaptionChannel } from '../captions/cc-channels.ts';
import { WVTT_TIMESCALE } from '../webvtt/wvtt.ts';
import { captionName, textFolder } from './caption-announcement.ts';
import type { DashRepresentation, DashSet } from './dash-manifest.ts';
import { mediaPlaylistText } from './hls-playlist.ts';
import {
  isDiscontinuity,
  periodOf,
  wallMs,
  type ListedPeriod,
  type ListedSegment,
  type LivePresentation,
  type Presentation,
} from './presentation.ts';

/** Line 21 has 60 characters a second at most, and every segment repeats what is shown. */
const TEXT_BANDWIDTH = 2000;

/** Returns the playlist of a track of text, whose segments are those of the leading track. */
export function textPlaylist(presentation: Presentation, ended: boolean, suffix: string): string {
  const { segments, targetSeconds, discontinuitySequence, availabilityStartAt } = presentation;
  return mediaPlaylistText({
    version: 6,
    targetSeconds,
    discontinuitySequence,
    ended,
    mediaSequence: segments[0]?.sequence ?? 0,
    segments: segments.map(({ sequence, startSeconds, seconds }) => {
      const period = periodOf(presentation, sequence)!;
      return {
        uri: `${sequence}${suffix}.vtt`,
        seconds,
        programDateTime: new Date(Math.round(wallMs(availabilityStartAt, period, startSeconds))).toISOString(),
        discontinuity: isDiscontinuity(presentation, sequence),
      };
    }),
  });
}

/** Text is in the clear, and its segments are as long as those of the leading track. */
export function textSet(
  id: number,
  channel: CaptionChannel,
  { originSeconds, firstSequence }: ListedPeriod,
  segments: readonly ListedSegment[],
  { suffix, live }: { suffix: string; live: LivePresentation | undefined },
): DashSet {
  const folder = textFolder(channel, 'mp4');
  const ticks = (seconds: number): number => Math.round(seconds * WVTT_TIMESCALE);
  const representation: DashRepresentation = {
    id: folder,
    codecs: 'wvtt',
    timescale: WVTT_TIMESCALE,
    bandwidth: TEXT_BANDWIDTH,
    video: undefined,
    audio: undefined,
    presentationTimeOffset: ticks(originSeconds),
    // Text is written when its segment is whole.
    fixed: live && { duration: ticks(live.segmentSeconds), startNumber: firstSequence },
    init: `${folder}/init${suffix}.mp4`,
    media: `${folder}/$Number$${suffix}.m4s`,
    startNumber: segments[0]?.sequence ?? 0,
    segments: segments.map(({ startSeconds, seconds }) => {
      const startTime = ticks(startSeconds);
      return { startTime, duration: ticks(startSeconds + seconds) - startTime };
    }),
  };
  const label = captionName(channel);
  return { id, kind: 'text', label, language: 'und', protection: undefined, representations: [representation] };
}
