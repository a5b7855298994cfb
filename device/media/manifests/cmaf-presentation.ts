/** HLS playlists and the MPD over one set of CMAF segments. The folder keeps the list of them. */
import { TIME_FILE } from '../../../domain/shapes/destinations/playback.ts';
import { dashManifestText, type DashPeriod, type DashRepresentation, type DashSet } from './dash-manifest.ts';
import { dashLatency, fixedSegments, lowLatencyOf, openSegments, partsOf } from './live-presentation.ts';
import { ID3_SCHEME } from '../fmp4/emsg.ts';
import { fpsOf } from '../ladder/frame-rate.ts';
import type { PlaylistMarks } from './hls-cue-lines.ts';
import { masterPlaylistText, mediaPlaylistText, type AudioRendition, type Variant } from './hls-playlist.ts';
import {
  type PresentationTrack,
  type TrackLabel,
  type PresentationRendition,
  type Layout,
  type ListedPeriod,
  type ListedSegment,
  type Presentation,
  type LivePresentation,
  type ManifestFacts,
  isDiscontinuity,
  periodOf,
  wallMs,
} from './presentation.ts';
import { textSet } from './text-presentation.ts';
import { videoRange } from './video-range.ts';

export const MANIFEST = 'manifest.mpd';
/** Players that do not trust their clock take the Date of the server of the MPD, wherever that is. It has whole seconds. */
const DATE_OF_MANIFEST = { scheme: 'urn:mpeg:dash:utc:http-head:2014', value: MANIFEST };
/** Low latency needs milliseconds: of a clock that is half a second off players would stay half a second behind their place. */
const TIME_OF_DEVICE = { scheme: 'urn:mpeg:dash:utc:http-iso:2014', value: TIME_FILE };
/** Players stay three segments behind the newest one, as those of HLS do. */
const DELAY_SEGMENTS = 3;

interface PlaylistState {
  ended: boolean;
  /** It is in the names of segments. */
  suffix: string;
  marks?: PlaylistMarks;
  live?: LivePresentation | undefined;
}

/** Returns the playlist of one track. */
export function trackPlaylist(
  presentation: Presentation,
  { tracks, keys }: Layout,
  trackId: number,
  { ended, suffix, marks: { breaks = [], ranges = [] } = {}, live }: PlaylistState,
): string {
  const { kind } = tracks.find(({ id }) => id === trackId)!;
  const { segments, targetSeconds, discontinuitySequence, availabilityStartAt } = presentation;
  const open = ended ? [] : openSegments(live, trackId);
  return mediaPlaylistText({
    version: live === undefined ? 7 : 9,
    lowLatency: live && lowLatencyOf(presentation, tracks, live, trackId, suffix),
    targetSeconds,
    discontinuitySequence,
    ended,
    breaks,
    ranges,
    mediaSequence: [...segments, ...open][0]?.sequence ?? 0,
    segments: [...segments, ...open].map((segment) => {
      const { sequence, parts } = segment;
      const period = periodOf(presentation, sequence)!;
      const { name, timescale } = period.inits[trackId]!;
      // The time is this track's own: a part of audio begins up to a unit beside that of its video.
      const startSeconds = parts[trackId]!.startTime / timescale;
      return {
        uri: `${sequence}${suffix}.m4s`,
        map: name,
        keys: (period.keys ?? keys)?.[kind]?.hls,
        seconds: parts[trackId]!.duration / timescale,
        programDateTime: new Date(Math.round(wallMs(availabilityStartAt, period, startSeconds))).toISOString(),
        discontinuity: isDiscontinuity(presentation, sequence),
        ...(!ended && partsOf(segment, trackId, kind, timescale, suffix)),
      };
    }),
  });
}

/** Returns the master playlist: each video with a group of the audio tracks of its rendition. */
export function masterPlaylist(
  { periods, texts = [] }: Presentation,
  layout: Layout,
  { rates, captions }: Pick<ManifestFacts, 'rates' | 'captions'>,
): string {
  const { inits, keys = layout.keys } = periods.at(-1)!;
  const rateOf = (id: number): { bandwidth: number; averageBandwidth: number } => {
    const { peak, average } = rates.get(id)!;
    return { bandwidth: Math.round(peak), averageBandwidth: Math.round(average) };
  };
  const uri = (id: number): string => `${id}/index.m3u8`;
  const labelOf = (id: number): TrackLabel | undefined => layout.tracks.find((track) => track.id === id)?.label;
  const groupOf = ({ video, audios: [first, second] }: PresentationRendition): string | undefined =>
    first === undefined || (video === undefined && second === undefined) ? undefined : `sound-${first}`;
  const groups = new Map(layout.renditions.map((rendition) => [groupOf(rendition), rendition.audios]));
  const audios = [...groups].flatMap(([group, ids]) =>
    (group === undefined ? [] : ids).map((id): AudioRendition => {
      const { codecs, channels = 2 } = inits[id]!;
      const { name, language, isDefault } = labelOf(id)!;
      return { group: group!, name, uri: uri(id), codecs, channels, language, isDefault, ...rateOf(id) };
    }),
  );
  const variants = layout.renditions.flatMap((rendition): Variant[] => {
    const { video, audios: own } = rendition;
    const id = video ?? own.find((audio) => labelOf(audio)?.isDefault);
    if (id === undefined) return [];
    const { codecs, width = 0, height = 0, colour } = inits[id]!;
    const rate = layout.tracks.find((track) => track.id === id)?.rate;
    const isVideo = video !== undefined;
    // Without video the variant is the default track itself, which its group holds as well.
    const rates = isVideo || groupOf(rendition) === undefined ? rateOf(id) : { bandwidth: 0, averageBandwidth: 0 };
    return [
      {
        uri: uri(id),
        codecs: [codecs],
        ...rates,
        resolution: isVideo ? { width, height } : undefined,
        range: isVideo ? videoRange(colour) : undefined,
        frameRate: rate === undefined ? undefined : fpsOf(rate),
        audioGroup: groupOf(rendition),
      },
    ];
  });
  return masterPlaylistText({ version: 7, variants, audios, captions, texts, keys: keys?.session ?? [] });
}

/** Throws RangeError when no segment is listed. */
export function presentationManifest(
  presentation: Presentation,
  { tracks, keys: keysBefore }: Layout,
  facts: ManifestFacts,
): string {
  const { availabilityStartAt, targetSeconds, segments, periods, texts = [] } = presentation;
  const carrier = metadataKind(tracks);
  const hasChoice = tracks.some(({ label }) => label?.isDefault === false);
  const live = facts.ended ? undefined : facts.live;
  const listed = periods.map((period, i): DashPeriod => {
    const end = periods[i + 1]?.firstSequence ?? Infinity;
    const own = segments.filter(({ sequence }) => sequence >= period.firstSequence && sequence < end);
    const kinds = [...new Set(tracks.map((track) => setKind(track, period)))];
    const sets = kinds.map((kind) => tracks.filter((track) => setKind(track, period) === kind));
    const last = own.at(-1);
    return {
      id: String(period.firstSequence),
      startSeconds: period.startSeconds,
      // Players would count segments up to the next period, which may begin after an interruption.
      ...(live !== undefined &&
        end !== Infinity &&
        last !== undefined && { seconds: last.startSeconds + last.seconds - period.originSeconds }),
      sets: [
        ...sets.map((members, id): DashSet => {
          const representations = members.map((track) =>
            representation(track, period, own, facts, availabilityStartAt),
          );
          const { id: first, kind, label } = members[0]!;
          const eventSchemes = kind === carrier ? [ID3_SCHEME] : [];
          const captions = kind === 'video' ? facts.captions : [];
          return {
            id,
            kind,
            language: label?.language,
            ...(label !== undefined && hasChoice && { label: label.name }),
            isMain: label?.isDefault !== false,
            eventSchemes,
            captions,
            protection: (period.keys ?? keysBefore)?.[kind]?.dash,
            colour: period.inits[first]!.colour,
            representations,
          };
        }),
        ...texts.map((channel, i) => textSet(sets.length + i, channel, period, own, { suffix: facts.suffix, live })),
      ],
    };
  });
  return dashManifestText({
    kind: facts.ended ? 'ended' : 'live',
    availabilityStartAt,
    publishedAt: facts.publishedAt,
    segmentSeconds: Math.max(targetSeconds, ...segments.map(({ seconds }) => seconds)),
    timeShiftSeconds: facts.timeShiftSeconds,
    presentationDelaySeconds: DELAY_SEGMENTS * targetSeconds,
    lowLatency: live && dashLatency(live),
    utcTiming: live === undefined ? DATE_OF_MANIFEST : TIME_OF_DEVICE,
    periods: listed,
    breaks: facts.breaks ?? [],
  });
}

/** Video carries the event messages; without video, audio does. */
export function metadataKind(tracks: readonly PresentationTrack[]): PresentationTrack['kind'] {
  return tracks.some(({ kind }) => kind === 'video') ? 'video' : 'audio';
}

/** Players switch by themselves only between tracks that one decoder can take, in one light and one language. */
function setKind({ id, kind, label }: PresentationTrack, { inits }: ListedPeriod): string {
  const { codecs, colour, sampleRate, channels } = inits[id]!;
  return kind === 'video'
    ? `${codecs.slice(0, 4)} ${videoRange(colour)}`
    : `${codecs} ${sampleRate} ${channels} ${label?.name}`;
}

function representation(
  { id, kind, rate }: PresentationTrack,
  period: ListedPeriod,
  segments: readonly ListedSegment[],
  { rates, suffix, ended, live: ifLive }: ManifestFacts,
  availabilityStartAt: string,
): DashRepresentation {
  const { inits, originSeconds } = period;
  const live = ended ? undefined : ifLive;
  const { name, codecs, timescale, width = 0, height = 0, sampleRate = 0, channels = 0 } = inits[id]!;
  const anchor = { startMs: Date.parse(availabilityStartAt), clock: TIME_OF_DEVICE };
  return {
    fixed: live && fixedSegments(live, period, timescale, anchor),
    id: String(id),
    codecs,
    timescale,
    bandwidth: rates.get(id)!.peak,
    video: kind === 'video' ? { width, height, frameRate: rate } : undefined,
    audio: kind === 'audio' ? { sampleRate, channels } : undefined,
    presentationTimeOffset: Math.round(originSeconds * timescale),
    init: `${id}/${name}`,
    media: `${id}/$Number$${suffix}.m4s`,
    startNumber: segments[0]?.sequence ?? 0,
    segments: segments.map(({ parts }) => parts[id]!),
  };
}
