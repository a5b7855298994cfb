/** HLS playlists and the MPD over one set of CMAF segments. Pure: what is listed is kept by the folder. */
import type { CaptionChannel } from '../captions/cc-channels.ts';
import type { ManifestBreak } from '../scte35/cue-message.ts';
import { dashManifestText, type DashPeriod, type DashRepresentation, type DashSet } from './dash-manifest.ts';
import type { TrackInit } from '../fmp4/fmp4-parser.ts';
import { ID3_SCHEME } from '../fmp4/emsg.ts';
import { fpsOf, type FrameRate } from '../ladder/frame-rate.ts';
import type { PlaylistMarks } from './hls-playlist.ts';
import type { Protection } from './protection.ts';
import { cmafMasterText, cmafMediaPlaylistText, type AudioRendition, type CmafVariant } from './hls-cmaf-playlist.ts';

export interface PresentationTrack {
  /** Also the name of its folder. */
  id: number;
  kind: 'video' | 'audio';
  /** undefined: only the source knows it, or sound. */
  rate: FrameRate | undefined;
}

/** A rendition of the ladder, by the ids of its tracks. */
export interface PresentationRendition {
  video: number | undefined;
  audio: number | undefined;
}

export interface Layout {
  /** What manifests say of the encryption; undefined: in the clear. */
  protection?: Protection | undefined;
  tracks: readonly PresentationTrack[];
  renditions: readonly PresentationRendition[];
}

/** What a player must know of a track before its first sample; the bytes are in the file `name`. */
export interface ListedInit extends Pick<TrackInit, 'codecs' | 'timescale' | 'width' | 'height'> {
  name: string;
  sampleRate?: number;
  channels?: number;
}

/** What lies between two discontinuities. Times in seconds. */
export interface ListedPeriod {
  /** Number of its first segment: its id, too. */
  firstSequence: number;
  /** Since the presentation began. */
  startSeconds: number;
  /** Time of the stream at its start. */
  originSeconds: number;
  /** By track id. */
  inits: Record<number, ListedInit>;
}

export interface ListedSegment {
  sequence: number;
  /** On the time line of the stream, of the leading track. */
  startSeconds: number;
  seconds: number;
  /** By track id, in ticks of the track. */
  parts: Record<number, { startTime: number; duration: number }>;
}

export interface Presentation {
  availabilityStartAt: string;
  /** Whole seconds; never becomes less. */
  targetSeconds: number;
  /** Discontinuities that have left the list. */
  discontinuitySequence: number;
  periods: ListedPeriod[];
  segments: ListedSegment[];
}

/** bit/s. */
export interface TrackRate {
  peak: number;
  average: number;
}

export interface ManifestFacts {
  rates: ReadonlyMap<number, TrackRate>;
  ended: boolean;
  publishedAt: string;
  timeShiftSeconds: number;
  /** What the names of segments end with. */
  suffix: string;
  breaks?: readonly ManifestBreak[];
  captions: readonly CaptionChannel[];
}

export const MANIFEST = 'manifest.mpd';
/** For players that do not trust their clock: the Date of whoever serves the MPD, wherever that is. */
const UTC_TIMING = { scheme: 'urn:mpeg:dash:utc:http-head:2014', value: MANIFEST };
/** Three segments behind the newest one, as players of HLS are. */
const DELAY_SEGMENTS = 3;

export function periodOf({ periods }: Pick<Presentation, 'periods'>, sequence: number): ListedPeriod | undefined {
  return periods.findLast(({ firstSequence }) => firstSequence <= sequence);
}

/** Milliseconds since 1970 at a time of the stream within a period. */
export function wallMs(availabilityStartAt: string, period: ListedPeriod, streamSeconds: number): number {
  return Date.parse(availabilityStartAt) + (period.startSeconds + streamSeconds - period.originSeconds) * 1000;
}

/** The playlist of one track. */
export function trackPlaylist(
  presentation: Presentation,
  { tracks, protection }: Layout,
  trackId: number,
  ended: boolean,
  suffix: string,
  { breaks = [], ranges = [] }: PlaylistMarks = {},
): string {
  const { kind } = tracks.find(({ id }) => id === trackId)!;
  const { segments, targetSeconds, discontinuitySequence, availabilityStartAt } = presentation;
  return cmafMediaPlaylistText({
    ...{ targetSeconds, discontinuitySequence, ended, breaks, ranges, keys: protection?.of(kind).hls ?? [] },
    mediaSequence: segments[0]?.sequence ?? 0,
    segments: segments.map(({ sequence, parts }) => {
      const period = periodOf(presentation, sequence)!;
      const { name, timescale } = period.inits[trackId]!;
      // Of this track: a part of sound begins up to a frame beside that of its picture.
      const startSeconds = parts[trackId]!.startTime / timescale;
      return {
        uri: `${sequence}${suffix}.m4s`,
        map: name,
        seconds: parts[trackId]!.duration / timescale,
        programDateTime: new Date(Math.round(wallMs(availabilityStartAt, period, startSeconds))).toISOString(),
        discontinuity: sequence > 0 && period.firstSequence === sequence,
      };
    }),
  });
}

/** The master playlist: sounds in groups of one, each picture with the sound of its rendition. */
export function masterPlaylist(
  { periods }: Presentation,
  layout: Layout,
  { rates, captions }: Pick<ManifestFacts, 'rates' | 'captions'>,
): string {
  const { inits } = periods.at(-1)!;
  const rateOf = (id: number): { bandwidth: number; averageBandwidth: number } => {
    const { peak, average } = rates.get(id)!;
    return { bandwidth: Math.round(peak), averageBandwidth: Math.round(average) };
  };
  const uri = (id: number): string => `${id}/index.m3u8`;
  const hasPictures = layout.tracks.some(({ kind }) => kind === 'video');
  const sounds = hasPictures ? layout.tracks.filter(({ kind }) => kind === 'audio') : [];
  const audios = sounds.map(({ id }, i): AudioRendition => {
    const { codecs, channels = 2 } = inits[id]!;
    const name = sounds.length === 1 ? 'Sound' : `Sound ${i + 1}`;
    const own = { codecs, channels, language: undefined, isDefault: true };
    return { group: `sound-${id}`, name, uri: uri(id), ...own, ...rateOf(id) };
  });
  const variants = layout.renditions.flatMap(({ video, audio }): CmafVariant[] => {
    const id = video ?? audio;
    if (id === undefined) return [];
    const { codecs, width = 0, height = 0 } = inits[id]!;
    const rate = layout.tracks.find((track) => track.id === id)?.rate;
    const isPicture = video !== undefined;
    return [
      {
        ...{ uri: uri(id), codecs: [codecs], ...rateOf(id) },
        resolution: isPicture ? { width, height } : undefined,
        frameRate: rate === undefined ? undefined : fpsOf(rate),
        audioGroup: isPicture && audio !== undefined ? `sound-${audio}` : undefined,
      },
    ];
  });
  return cmafMasterText({ variants, audios, captions, keys: layout.protection?.session ?? [] });
}

/** Throws RangeError when no segment is listed. */
export function presentationManifest(
  presentation: Presentation,
  { tracks, protection }: Layout,
  facts: ManifestFacts,
): string {
  const { availabilityStartAt, targetSeconds, segments, periods } = presentation;
  const carrier = metadataKind(tracks);
  const listed = periods.map((period, i): DashPeriod => {
    const end = periods[i + 1]?.firstSequence ?? Infinity;
    const own = segments.filter(({ sequence }) => sequence >= period.firstSequence && sequence < end);
    const keys = [...new Set(tracks.map((track) => setKey(track, period)))];
    const sets = keys.map((key) => tracks.filter((track) => setKey(track, period) === key));
    return {
      id: String(period.firstSequence),
      startSeconds: period.startSeconds,
      sets: sets.map((members, id): DashSet => {
        const representations = members.map((track) => representation(track, period, own, facts));
        const { kind } = members[0]!;
        const eventSchemes = kind === carrier ? [ID3_SCHEME] : [];
        const captions = kind === 'video' ? facts.captions : [];
        const inside = { eventSchemes, captions, protection: protection?.of(kind).dash };
        return { id, kind, language: undefined, ...inside, representations };
      }),
    };
  });
  return dashManifestText({
    ...{ kind: facts.ended ? 'ended' : 'live', availabilityStartAt, publishedAt: facts.publishedAt },
    ...{ segmentSeconds: Math.max(targetSeconds, ...segments.map(({ seconds }) => seconds)) },
    ...{ timeShiftSeconds: facts.timeShiftSeconds, presentationDelaySeconds: DELAY_SEGMENTS * targetSeconds },
    ...{ utcTiming: UTC_TIMING, periods: listed, breaks: facts.breaks ?? [] },
  });
}

/** Pictures carry the event messages; sound does where there are none. */
export function metadataKind(tracks: readonly PresentationTrack[]): PresentationTrack['kind'] {
  return tracks.some(({ kind }) => kind === 'video') ? 'video' : 'audio';
}

/** Players switch only between tracks that one decoder can take. */
function setKey({ id, kind }: PresentationTrack, { inits }: ListedPeriod): string {
  const { codecs, sampleRate, channels } = inits[id]!;
  return kind === 'video' ? codecs.slice(0, 4) : `${codecs} ${sampleRate} ${channels}`;
}

function representation(
  { id, kind, rate }: PresentationTrack,
  { inits, originSeconds }: ListedPeriod,
  segments: readonly ListedSegment[],
  { rates, suffix }: ManifestFacts,
): DashRepresentation {
  const { name, codecs, timescale, width = 0, height = 0, sampleRate = 0, channels = 0 } = inits[id]!;
  return {
    ...{ id: String(id), codecs, timescale, bandwidth: rates.get(id)!.peak },
    picture: kind === 'video' ? { width, height, frameRate: rate } : undefined,
    sound: kind === 'audio' ? { sampleRate, channels } : undefined,
    presentationTimeOffset: Math.round(originSeconds * timescale),
    ...{ init: `${id}/${name}`, media: `${id}/$Number$${suffix}.m4s` },
    startNumber: segments[0]?.sequence ?? 0,
    segments: segments.map(({ parts }) => parts[id]!),
  };
}
