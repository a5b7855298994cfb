/** The segments of a representation in an MPD: listed one by one (SegmentTimeline), or counted (ISO/IEC 23009-1 §5.3.9). */
import { element, type Element } from './xml-text.ts';

/** The way for players to the time of day, e.g. urn:mpeg:dash:utc:http-iso:2014 and a URL. */
export interface UtcTiming {
  scheme: string;
  value: string;
}

/** Segments that are counted from the start of their period, and not listed (§5.3.9.5.3). */
export interface FixedSegments {
  /** Ticks. */
  duration: number;
  /** Number of the first segment of the period. */
  startNumber: number;
  /** A segment can be asked for so long before it is whole (§5.3.9.5.3); left out: once it is. */
  availabilityOffsetSeconds?: number;
  /** A time of the media, in ticks, and its instant (§5.12). */
  reference?: { wallClockAt: string; presentationTime: number; clock: UtcTiming };
}

export interface SegmentAddresses {
  timescale: number;
  /** Media time at the start of the period, in ticks. */
  presentationTimeOffset: number;
  /** URLs, relative to the MPD; `media` with $Number$. */
  init: string;
  media: string;
  /** Number of the first segment listed. */
  startNumber: number;
  /** Times are in ticks. */
  segments: readonly { startTime: number; duration: number }[];
  fixed?: FixedSegments | undefined;
}

/** §5.12: players that measure how far they are behind take the time of the encoder; each part has it, too (prft). */
export function producerTimes({ fixed }: SegmentAddresses): Element[] {
  if (fixed?.reference === undefined) return [];
  const { wallClockAt, presentationTime, clock } = fixed.reference;
  const attributes = { id: 0, inband: 'true', type: 'encoder', wallClockTime: wallClockAt, presentationTime };
  // Without a clock of its own the instant would be a number of NTP.
  return [element('ProducerReferenceTime', attributes, [utcTimingElement(clock)])];
}

export function utcTimingElement({ scheme, value }: UtcTiming): Element {
  return element('UTCTiming', { schemeIdUri: scheme, value });
}

/** §5.3.9.6: the template is here and not on the set, since each track has ticks of its own. */
export function segmentTemplate(representation: SegmentAddresses): Element {
  const { timescale, presentationTimeOffset, init, media, startNumber, segments, fixed } = representation;
  if (fixed !== undefined) {
    const offset = fixed.availabilityOffsetSeconds;
    return element('SegmentTemplate', {
      timescale,
      presentationTimeOffset,
      duration: fixed.duration,
      startNumber: fixed.startNumber,
      availabilityTimeOffset: offset === undefined ? undefined : Number(offset.toFixed(3)),
      availabilityTimeComplete: offset === undefined ? undefined : 'false',
      initialization: init,
      media,
    });
  }
  const attributes = { timescale, presentationTimeOffset, startNumber, initialization: init, media };
  const runs: { t: number | undefined; d: number; r: number }[] = [];
  let expected: number | undefined;
  for (const { startTime, duration: d } of segments) {
    const last = runs.at(-1);
    if (last !== undefined && startTime === expected && last.d === d) last.r += 1;
    else runs.push({ t: startTime === expected ? undefined : startTime, d, r: 0 });
    expected = startTime + d;
  }
  const entries = runs.map(({ t, d, r }) => element('S', { t, d, r: r === 0 ? undefined : r }));
  return element('SegmentTemplate', attributes, [element('SegmentTimeline', {}, entries)]);
}
