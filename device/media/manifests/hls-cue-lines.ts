/** Cues in playlists of HLS: EXT-X-DATERANGE (RFC 8216 §4.3.2.7), and the tags of old players, which no standard defines. */
import { hexSequence, type ManifestBreak, type ManifestRange } from '../scte35/cue-message.ts';

/** The marks that a playlist lists; left out: none. */
export interface PlaylistMarks {
  breaks?: readonly ManifestBreak[];
  ranges?: readonly ManifestRange[];
}

/** A cut at a cue is at a keyframe, and wall clock is written in whole milliseconds. */
const CUE_SLACK_MS = 20;

interface TimedBreak extends ManifestBreak {
  startMs: number;
  endMs: number;
  /** The parts of the break that the lines so far have announced. */
  announced: Set<'start' | 'out' | 'end' | 'in'>;
}

/** Makes the lines before each segment of one playlist. */
export class CueLines {
  private breaks: TimedBreak[];
  private ranges: (ManifestRange & { startMs: number })[];
  private isFirst = true;

  constructor({ breaks = [], ranges = [] }: PlaylistMarks) {
    this.breaks = breaks.map((item) => {
      const endMs = item.end === undefined ? Infinity : instant(item.end.at);
      return { ...item, startMs: instant(item.startAt), endMs, announced: new Set() };
    });
    this.ranges = ranges.map((item) => ({ ...item, startMs: instant(item.startAt) }));
  }

  /** To be called with the segments in their order. Throws RangeError for a wall clock that is no instant. */
  before({ programDateTime, seconds: length }: { programDateTime: string; seconds: number }): string[] {
    const fromMs = instant(programDateTime);
    // Marks that are over before the first segment of the list concern no viewer any more.
    if (this.isFirst) {
      this.breaks = this.breaks.filter(({ endMs }) => endMs >= fromMs - CUE_SLACK_MS);
      this.ranges = this.ranges.filter(({ startMs, seconds: lasts = 0 }) => startMs + lasts * 1000 >= fromMs);
    }
    const toMs = fromMs + length * 1000;
    const lines = this.breaks.flatMap((item) => [
      ...ranges(item, toMs),
      ...(item.cueTags ? cueTags(item, fromMs, this.isFirst) : []),
    ]);
    this.isFirst = false;
    return [...lines, ...this.rangeLines(toMs)];
  }

  /** Each range comes before the segment that its beginning falls into. */
  private rangeLines(toMs: number): string[] {
    const begun = this.ranges.filter(({ startMs }) => startMs < toMs);
    this.ranges = this.ranges.filter((item) => !begun.includes(item));
    return begun.map(({ id, className, startAt, seconds: lasts, attributes }) =>
      range([
        `ID=${quoted(id)}`,
        ...(className === undefined ? [] : [`CLASS=${quoted(className)}`]),
        `START-DATE=${quoted(startAt)}`,
        ...(lasts === undefined ? [] : [`DURATION=${seconds(lasts)}`]),
        ...attributes.map(([name, value]) => `${name}=${typeof value === 'number' ? value : quoted(value)}`),
      ]),
    );
  }
}

/** Beginning and end come before the segment that their instant falls into. */
function ranges(item: TimedBreak, toMs: number): string[] {
  const { startMs, endMs, announced } = item;
  const lines: string[] = [];
  if (startMs < toMs - CUE_SLACK_MS && !announced.has('start')) {
    announced.add('start');
    lines.push(outRange(item));
  }
  if (endMs < toMs - CUE_SLACK_MS && !announced.has('end')) {
    announced.add('end');
    lines.push(inRange(item));
  }
  return lines;
}

/** Each tag comes before the first segment that begins at its instant or later. */
function cueTags(
  { startMs, endMs, plannedSeconds, announced }: TimedBreak,
  fromMs: number,
  isFirst: boolean,
): string[] {
  if (startMs > fromMs + CUE_SLACK_MS || announced.has('in')) return [];
  const elapsedMs = Math.max(0, fromMs - startMs);
  const isNew = !announced.has('out') && (!isFirst || elapsedMs <= CUE_SLACK_MS);
  announced.add('out');
  if (endMs <= fromMs + CUE_SLACK_MS) {
    announced.add('in');
    return isNew ? [] : ['#EXT-X-CUE-IN'];
  }
  const planned = plannedSeconds === undefined ? undefined : seconds(plannedSeconds);
  if (isNew) return [`#EXT-X-CUE-OUT${planned === undefined ? '' : `:${planned}`}`];
  const elapsed = `ElapsedTime=${seconds(elapsedMs / 1000)}`;
  return [`#EXT-X-CUE-OUT-CONT:${elapsed}${planned === undefined ? '' : `,Duration=${planned}`}`];
}

function outRange({ id, startAt, plannedSeconds, out }: ManifestBreak): string {
  const planned = plannedSeconds === undefined ? [] : [`PLANNED-DURATION=${seconds(plannedSeconds)}`];
  return range([`ID="cue-${id}"`, `START-DATE=${quoted(startAt)}`, ...planned, `SCTE35-OUT=${hexSequence(out)}`]);
}

/** §4.3.2.7.1: the end has the same ID, and the length that is known by then. */
function inRange({ id, startAt, startMs, endMs, end }: TimedBreak): string {
  const cue = end?.in === undefined ? [] : [`SCTE35-IN=${hexSequence(end.in)}`];
  const duration = `DURATION=${seconds((endMs - startMs) / 1000)}`;
  return range([`ID="cue-${id}"`, `START-DATE=${quoted(startAt)}`, `END-DATE=${quoted(end!.at)}`, duration, ...cue]);
}

function range(attributes: string[]): string {
  return `#EXT-X-DATERANGE:${attributes.join(',')}`;
}

function seconds(value: number): string {
  return value.toFixed(3);
}

function instant(text: string): number {
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw new RangeError(`"${text}" is no instant.`);
  return ms;
}

/** RFC 8216 §4.2: a quoted-string has neither line breaks nor double quotes in it. */
export function quoted(text: string): string {
  return `"${text.replaceAll(/["\r\n]/gu, '')}"`;
}
