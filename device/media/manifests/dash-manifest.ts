/**
 * The MPD of a live presentation (ISO/IEC 23009-1, isoff-live profile) as text. Segments are listed one by one (SegmentTimeline) and
 * named by number, as HLS names them: the first one is short and copied sources have keyframes where they like, so a fixed duration
 * would be untrue, and with a list no player has to know the time of day to the second.
 */
import { captionAccessibility } from './caption-announcement.ts';
import type { CaptionChannel } from '../captions/cc-channels.ts';
import type { Colour } from '../fmp4/fmp4-codec.ts';
import { CUE_SCHEME, dashSignal, type ManifestBreak } from '../scte35/cue-message.ts';
import { protectionElements, type ContentProtection } from './dash-protection.ts';
import { rateArgument, type FrameRate } from '../ladder/frame-rate.ts';
import {
  producerTimes,
  segmentTemplate,
  utcTimingElement,
  type SegmentAddresses,
  type UtcTiming,
} from './dash-segments.ts';
import { colourElements } from './video-range.ts';
import { duration, element, type Attributes, type Element } from './xml-text.ts';

export interface DashManifest {
  /**
   * `ended`: nothing will be added, and viewers are still watching: static as §5.4 allows it, with the times that their players know (a
   * dynamic one without updates is never over to shaka-player). `recording`: the listed segments from their beginning, for viewers who
   * come later; times begin at 0 then.
   */
  kind: 'live' | 'ended' | 'recording';
  /** The instant that all periods count from, ISO 8601; must not change as long as the presentation lasts. */
  availabilityStartAt: string;
  publishedAt: string;
  /** Length of the longest segment. */
  segmentSeconds: number;
  /** How far a viewer may seek back. */
  timeShiftSeconds: number;
  /** How far behind the newest segment players should be; three segments are common. */
  presentationDelaySeconds: number;
  utcTiming: UtcTiming | undefined;
  periods: readonly DashPeriod[];
  breaks: readonly ManifestBreak[];
  /** Players are closer to the newest media; segments are served while they are being made. */
  lowLatency?: DashLatency | undefined;
}

/** ISO/IEC 23009-1 Annex K: how far behind live players should be. */
export interface DashLatency {
  targetSeconds: number;
  maxSeconds: number;
  /** Media that a player needs before it begins. */
  bufferSeconds: number;
}

/** The media between two discontinuities. */
export interface DashPeriod {
  /** Unique, and the same as long as the period is listed. */
  id: string;
  /** Time since availabilityStartAt; must not change when the first segments of the period leave the list. */
  startSeconds: number;
  /** Left out: up to the next period. */
  seconds?: number;
  sets: readonly DashSet[];
}

/** Representations between which a player may switch: the videos of a ladder in one codec, or one track of audio or text. */
export interface DashSet {
  id: number;
  kind: 'video' | 'audio' | 'text';
  /** RFC 5646. */
  language: string | undefined;
  /** The words for it in the menu of a player. */
  label?: string;
  /** Players begin with it; left out: they do. */
  isMain?: boolean;
  protection: ContentProtection | undefined;
  /** It is left out for audio, and where it is not known. */
  colour?: Colour | undefined;
  /** Schemes of the event messages that its segments may hold. */
  eventSchemes?: readonly string[];
  /** Captions in its frames. */
  captions?: readonly CaptionChannel[];
  representations: readonly DashRepresentation[];
}

export interface DashRepresentation extends SegmentAddresses {
  id: string;
  codecs: string;
  /** Peak rate in bit/s, so that a player that has one segment never runs dry (§5.3.5.4). */
  bandwidth: number;
  video: { width: number; height: number; frameRate: FrameRate | undefined } | undefined;
  audio: { sampleRate: number; channels: number } | undefined;
}

/** DASH-IF "Low-latency Modes for DASH" §9.X.4. */
const LOW_LATENCY_PROFILE = ',http://www.dashif.org/guidelines/low-latency-live-v5';
/** A player catches up so fast that nobody hears it. */
const PLAYBACK_RATE = { min: 0.96, max: 1.04 };

/** The id of a break's end is higher by this than that of its beginning: Event@id has 32 bits. */
const END_ID = 2 ** 31;

/** Throws RangeError when no segment is listed, for there is no presentation then. */
export function dashManifestText(manifest: DashManifest): string {
  const { kind, segmentSeconds, lowLatency } = manifest;
  const listed = manifest.periods.filter(({ sets }, i) => {
    return sets.some(hasSegments) || (lowLatency !== undefined && i === manifest.periods.length - 1);
  });
  if (listed.length === 0) throw new RangeError('A presentation needs a segment.');
  const isRecording = kind === 'recording';
  const base = isRecording ? firstSeconds(listed[0]!) : 0;
  const periods = isRecording ? fromZero(listed, base) : listed;
  const originMs = Date.parse(manifest.availabilityStartAt) + base * 1000;
  const root = element(
    'MPD',
    {
      xmlns: 'urn:mpeg:dash:schema:mpd:2011',
      'xmlns:cenc': 'urn:mpeg:cenc:2013',
      'xmlns:mspr': 'urn:microsoft:playready',
      profiles: `urn:mpeg:dash:profile:isoff-live:2011${lowLatency === undefined ? '' : LOW_LATENCY_PROFILE}`,
      ...presentationAttributes(manifest),
      mediaPresentationDuration: kind === 'live' ? undefined : duration(lastSeconds(periods.at(-1)!)),
      maxSegmentDuration: duration(segmentSeconds),
      minBufferTime: duration(lowLatency?.bufferSeconds ?? segmentSeconds),
    },
    [
      ...(lowLatency === undefined ? [] : [serviceDescription(lowLatency)]),
      ...periods.map((period, i) => {
        const until = periods[i + 1]?.startSeconds ?? Infinity;
        return periodElement(period, eventStream(manifest.breaks, originMs, period.startSeconds, until));
      }),
      ...(manifest.utcTiming === undefined || isRecording ? [] : [utcTimingElement(manifest.utcTiming)]),
    ],
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root.text('')}`;
}

function serviceDescription({ targetSeconds, maxSeconds }: DashLatency): Element {
  const ms = (seconds: number): number => Math.round(seconds * 1000);
  const latency = { referenceId: 0, target: ms(targetSeconds), max: ms(maxSeconds) };
  return element('ServiceDescription', { id: 0 }, [
    element('Latency', latency),
    element('PlaybackRate', PLAYBACK_RATE),
  ]);
}

/** Attributes that differ by the kind of presentation. */
function presentationAttributes(manifest: DashManifest): Attributes {
  const { kind } = manifest;
  if (kind === 'recording') return { type: 'static' };
  const published = { availabilityStartTime: manifest.availabilityStartAt, publishTime: manifest.publishedAt };
  if (kind === 'ended') return { type: 'static', ...published };
  return {
    type: 'dynamic',
    ...published,
    minimumUpdatePeriod: duration(manifest.segmentSeconds),
    timeShiftBufferDepth: duration(manifest.timeShiftSeconds),
    // Under low latency the target says it: a player that knows both may add one to the other.
    suggestedPresentationDelay:
      manifest.lowLatency === undefined ? duration(manifest.presentationDelaySeconds) : undefined,
  };
}

function hasSegments({ representations }: DashSet): boolean {
  return representations.some(({ segments }) => segments.length > 0);
}

/** Segments that are counted are there as soon as their first part is. */
function isListed({ representations }: DashSet): boolean {
  return representations.some(({ segments, fixed }) => segments.length > 0 || fixed !== undefined);
}

/** Returns the representation that determines where a period begins and ends. */
function leader({ sets }: DashPeriod): DashRepresentation {
  const set = sets.find((one) => one.kind === 'video' && hasSegments(one)) ?? sets.find(hasSegments)!;
  return set.representations.find(({ segments }) => segments.length > 0)!;
}

function firstSeconds(period: DashPeriod): number {
  const { segments, presentationTimeOffset, timescale } = leader(period);
  return period.startSeconds + (segments[0]!.startTime - presentationTimeOffset) / timescale;
}

/** Returns the end of the representation that ends first: players wait for ever for audio that is missing up to the end of the video. */
function lastSeconds({ startSeconds, sets }: DashPeriod): number {
  const ends = sets.flatMap(({ representations }) =>
    representations.flatMap(({ segments, presentationTimeOffset, timescale }) => {
      const last = segments.at(-1);
      return last === undefined ? [] : (last.startTime + last.duration - presentationTimeOffset) / timescale;
    }),
  );
  return startSeconds + Math.min(...ends);
}

/** §5.3.2.1: the first period of a static presentation starts at 0, so its media time does too. */
function fromZero(periods: readonly DashPeriod[], base: number): DashPeriod[] {
  return periods.map((period, i) => {
    if (i > 0) return { ...period, startSeconds: period.startSeconds - base };
    const shift = base - period.startSeconds;
    const sets = period.sets.map((set) => ({
      ...set,
      representations: set.representations.map((one) => {
        const presentationTimeOffset = one.presentationTimeOffset + Math.round(shift * one.timescale);
        return { ...one, presentationTimeOffset };
      }),
    }));
    return { ...period, startSeconds: 0, sets };
  });
}

function periodElement({ id, startSeconds, seconds, sets }: DashPeriod, events: Element[]): Element {
  const listed = sets.filter(isListed);
  const length = seconds === undefined ? undefined : duration(seconds);
  const attributes = { id, start: duration(startSeconds), duration: length };
  return element('Period', attributes, [...events, ...listed.map(setElement)]);
}

function setElement(set: DashSet): Element {
  const { id, kind, language, label, isMain = true, protection, colour, eventSchemes = [], captions = [] } = set;
  const isText = kind === 'text';
  const attributes = { id, contentType: kind, mimeType: `${isText ? 'application' : kind}/mp4`, lang: language };
  const role = isText ? 'caption' : isMain ? 'main' : 'alternate';
  // Segments are cut alike in all, and begin with a frame that can be decoded alone.
  return element('AdaptationSet', { ...attributes, segmentAlignment: 'true', startWithSAP: 1 }, [
    ...(protection === undefined ? [] : protectionElements(protection)),
    ...colourElements(colour),
    ...eventSchemes.map((schemeIdUri) => element('InbandEventStream', { schemeIdUri, value: '' })),
    ...(label === undefined ? [] : [element('Label', {}, label)]),
    ...captionAccessibility(captions),
    element('Role', { schemeIdUri: 'urn:mpeg:dash:role:2011', value: role }),
    ...set.representations
      .filter(({ segments, fixed }) => segments.length > 0 || fixed !== undefined)
      .map(representationElement),
  ]);
}

function representationElement(representation: DashRepresentation): Element {
  const { id, codecs, bandwidth, video, audio } = representation;
  const rate = video?.frameRate;
  const attributes = {
    id,
    codecs,
    bandwidth: Math.ceil(bandwidth),
    width: video?.width,
    height: video?.height,
    frameRate: rate === undefined ? undefined : rateArgument(rate),
    audioSamplingRate: audio?.sampleRate,
  };
  return element('Representation', attributes, [
    ...(audio === undefined
      ? []
      : [element('AudioChannelConfiguration', channelConfiguration(audio.channels, codecs))]),
    ...producerTimes(representation),
    segmentTemplate(representation),
  ]);
}

/**
 * Up to six channels are their own configuration. Of eight there are several (ISO/IEC 23091-3): 12 has two loudspeakers at the sides and two
 * behind, as Opus says it. AAC that ffmpeg writes says 7, with four in front, and a manifest says what its media say.
 */
function channelConfiguration(channels: number, codecs: string): Record<string, string | number> {
  if (channels <= 6) return { schemeIdUri: 'urn:mpeg:dash:23003:3:audio_channel_configuration:2011', value: channels };
  return { schemeIdUri: 'urn:mpeg:mpegB:cicp:ChannelConfiguration', value: codecs.startsWith('mp4a') ? 7 : 12 };
}

/** §5.10.2: events of breaks that begin or end in the period, in milliseconds since its start. */
function eventStream(breaks: readonly ManifestBreak[], originMs: number, from: number, to: number): Element[] {
  const events = breaks.flatMap(({ id, startAt, plannedSeconds, out, end }) => {
    const ms = Date.parse(startAt) - originMs - from * 1000;
    if (ms < 0 || ms >= (to - from) * 1000) return [];
    const planned = plannedSeconds === undefined ? undefined : plannedSeconds * 1000;
    const length = end === undefined ? planned : Date.parse(end.at) - Date.parse(startAt);
    const attributes = { presentationTime: Math.round(ms), duration: length && Math.round(length), id };
    return [element('Event', attributes, [dashSignal(out)])];
  });
  const returns = breaks.flatMap(({ id, end }) => {
    const ms = end === undefined ? -1 : Date.parse(end.at) - originMs - from * 1000;
    if (end?.in === undefined || ms < 0 || ms >= (to - from) * 1000) return [];
    return [element('Event', { presentationTime: Math.round(ms), id: id + END_ID }, [dashSignal(end.in)])];
  });
  events.push(...returns);
  return events.length === 0 ? [] : [element('EventStream', { schemeIdUri: CUE_SCHEME, timescale: 1000 }, events)];
}
