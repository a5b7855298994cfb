/**
 * Breaks that a playlist announces beside its segments: the tags of RFC 8216 (EXT-X-DATERANGE with SCTE35-OUT, -IN and -CMD), and those that
 * servers had before (EXT-X-CUE-OUT and -IN, EXT-OATCLS-SCTE35, EXT-X-SCTE35). They become sections, as a transport stream has them.
 */
import { TICKS_PER_SECOND } from '../mpeg-ts/mpeg-ts.ts';
import { CUE_IDENTIFIER, modulo } from '../mpeg-ts/ts-metadata.ts';
import { breakIn, breakOut, cueBytes } from '../scte35/cue-message.ts';
import { breakFacts, retimed } from '../scte35/cue-order.ts';
import { decodeSplice, encodeSplice } from '../scte35/scte35.ts';
import { startOf, type SegmentMedia, type Unit } from './units.ts';
import { STREAM_IDS, TYPES, type Track } from '../units/track.ts';

export interface PlaylistCue {
  /** Undefined: the section says it. */
  kind: 'out' | 'in' | undefined;
  section: Buffer | undefined;
  plannedSeconds: number | undefined;
  /** Seconds from the beginning of its segment. */
  offset: number;
}

type Attributes = Record<string, string>;

/** Returns the cue of a tag in front of its segment; undefined for any other tag. */
export function cueOfTag(tag: string, value: string, attributes: Attributes): PlaylistCue | undefined {
  const cue = { kind: undefined, section: undefined, plannedSeconds: undefined, offset: 0 };
  if (tag === 'EXT-X-CUE-OUT') return { ...cue, kind: 'out', plannedSeconds: lengthOf(value) };
  if (tag === 'EXT-X-CUE-IN') return { ...cue, kind: 'in' };
  if (tag === 'EXT-OATCLS-SCTE35') return withSection(cue, value);
  if (tag === 'EXT-X-SCTE35' && attributes['CUE-OUT'] !== 'CONT') return withSection(cue, attributes['CUE'] ?? '');
  return undefined;
}

function withSection(cue: PlaylistCue, text: string): PlaylistCue | undefined {
  const section = cueBytes(text);
  return section && { ...cue, section };
}

/** Seconds, by themselves or as an attribute. */
function lengthOf(value: string): number | undefined {
  const seconds = Number(/^(?:.*\bDURATION=)?"?(\d+(?:\.\d+)?)/iu.exec(value)?.[1]);
  return seconds > 0 ? seconds : undefined;
}

/** Segments as a playlist has them, with the instant of each that says one. */
interface Dated {
  seconds: number;
  date: string | undefined;
  cues: PlaylistCue[];
}

/** Puts the cues of date ranges to the segments within which they are; a range outside of all of them is left out. */
export function placeRanges(segments: readonly Dated[], ranges: readonly Attributes[]): void {
  const cues = ranges.flatMap(cuesOfRange);
  let at = NaN;
  for (const segment of cues.length === 0 ? [] : segments) {
    const date = Date.parse(segment.date ?? '');
    if (!Number.isNaN(date)) at = date;
    const end = at + segment.seconds * 1000;
    for (const cue of cues)
      // Dates are whole milliseconds.
      if (cue.ms >= at - 1 && cue.ms < end - 1)
        segment.cues.push({ ...cue.cue, offset: Math.max(0, cue.ms - at) / 1000 });
    at = end;
  }
}

function cuesOfRange(range: Attributes): { ms: number; cue: PlaylistCue }[] {
  const startMs = Date.parse(range['START-DATE'] ?? '');
  const endMs =
    range['END-DATE'] === undefined ? startMs + Number(range['DURATION']) * 1000 : Date.parse(range['END-DATE']);
  const planned = Number(range['PLANNED-DURATION'] ?? range['DURATION']);
  const plannedSeconds = planned > 0 ? planned : undefined;
  return [
    { ms: startMs, kind: 'out' as const, text: range['SCTE35-OUT'] },
    { ms: startMs, kind: undefined, text: range['SCTE35-CMD'] },
    { ms: endMs, kind: 'in' as const, text: range['SCTE35-IN'] },
  ].flatMap(({ ms, kind, text }) => {
    const section = text === undefined ? undefined : cueBytes(text);
    return section === undefined || Number.isNaN(ms) ? [] : [{ ms, cue: { kind, section, plannedSeconds, offset: 0 } }];
  });
}

/** Follows the breaks of one playlist, and gives its segments a track of cues. */
export class PlaylistCues {
  private openId: number | undefined;
  private lastId = 0;

  /** A segment with such a track of its own says its cues itself. The track is there without cues, too: one that came later would be another set of tracks. */
  addTo<T extends SegmentMedia>(media: T, cues: readonly PlaylistCue[]): T {
    const [first] = media.units;
    if (first === undefined || media.tracks.some(({ kind }) => kind === 'section')) return media;
    const track: Track = {
      kind: 'section',
      type: TYPES.cue,
      descriptors: CUE_IDENTIFIER,
      streamId: STREAM_IDS.private,
    };
    const from = startOf(media) ?? first.dts;
    const isTold = (kind: PlaylistCue['kind']): boolean =>
      cues.some(({ section }) => section !== undefined && kindOf(section) === kind);
    // A server that has both forms says one thing twice.
    const units = cues.flatMap((cue): Unit[] => {
      const ticks = Math.round(from + cue.offset * TICKS_PER_SECOND);
      const data = cue.section === undefined && isTold(cue.kind) ? undefined : this.sectionOf(cue, modulo(ticks));
      return data === undefined ? [] : [{ track, pts: undefined, dts: first.dts, key: false, data, duration: 0 }];
    });
    return { ...media, tracks: [...media.tracks, track], units: [...units, ...media.units] };
  }

  private sectionOf({ kind, section, plannedSeconds }: PlaylistCue, ticks: number): Buffer | undefined {
    const { info } = section === undefined ? { info: undefined } : decodeSplice(section);
    if (info !== undefined) {
      const facts = breakFacts(info);
      if (facts.kind !== undefined) this.openId = facts.kind === 'out' ? facts.eventId : undefined;
      return retimed(info, ticks);
    }
    if (kind === undefined) return undefined;
    if (kind === 'in') {
      const eventId = this.openId;
      this.openId = undefined;
      return eventId === undefined ? undefined : encodeSplice(breakIn({ eventId, ticks }));
    }
    this.openId = this.lastId += 1;
    const durationTicks = plannedSeconds === undefined ? undefined : Math.round(plannedSeconds * TICKS_PER_SECOND);
    const length = durationTicks === undefined ? {} : { durationTicks, autoReturn: true };
    return encodeSplice(breakOut({ eventId: this.openId, ticks, ...length }));
  }
}

function kindOf(section: Buffer): PlaylistCue['kind'] {
  const { info } = decodeSplice(section);
  return info && breakFacts(info).kind;
}
