/** HLS playlists over CMAF segments (RFC 8216), with cues. Pure: what is in them is decided by the packager. */
import { hexSequence, type ManifestBreak } from './cue-message.ts';
import type { MediaPlaylist, PlaylistSegment, Variant } from './hls-playlist.ts';

export interface CmafPlaylistSegment extends PlaylistSegment {
  /** Its initialisation segment. */
  map: string;
}

export interface CmafMediaPlaylist extends MediaPlaylist {
  segments: readonly CmafPlaylistSegment[];
  breaks: readonly ManifestBreak[];
  /** Of all segments; one for each key system. */
  keys: readonly HlsKey[];
}

/** RFC 8216 §4.3.2.4, and SAMPLE-AES-CTR of Apple's "HLS authoring specification" for cenc. */
export interface HlsKey {
  method: 'SAMPLE-AES' | 'SAMPLE-AES-CTR';
  uri: string;
  keyFormat: string;
  keyFormatVersions: string;
  /** 16 bytes; named by some systems only. */
  keyId: Buffer | undefined;
}

/** A cut at a cue is at a keyframe, and wall clock is written in whole milliseconds. */
const CUE_SLACK_MS = 20;

/** Throws RangeError for a wall clock that is no instant. */
export function cmafMediaPlaylistText(playlist: CmafMediaPlaylist): string {
  const { segments, keys } = playlist;
  const lines = [
    '#EXTM3U',
    '#EXT-X-VERSION:7',
    `#EXT-X-TARGETDURATION:${playlist.targetSeconds}`,
    `#EXT-X-MEDIA-SEQUENCE:${playlist.mediaSequence}`,
    `#EXT-X-DISCONTINUITY-SEQUENCE:${playlist.discontinuitySequence}`,
    '#EXT-X-INDEPENDENT-SEGMENTS',
    ...keys.map((key) => keyLine('EXT-X-KEY', key)),
  ];
  const cues = new CueLines(playlist.breaks);
  let map: string | undefined;
  for (const segment of segments) {
    if (segment.discontinuity) lines.push('#EXT-X-DISCONTINUITY');
    // §4.3.2.5: it holds up to the next one, discontinuities in between or not.
    if (segment.map !== map) lines.push(`#EXT-X-MAP:URI=${quoted(segment.map)}`);
    map = segment.map;
    lines.push(
      `#EXT-X-PROGRAM-DATE-TIME:${segment.programDateTime}`,
      ...cues.before(segment),
      `#EXTINF:${segment.seconds.toFixed(6)},`,
      segment.uri,
    );
  }
  if (playlist.ended) lines.push('#EXT-X-ENDLIST');
  return `${lines.join('\n')}\n`;
}

interface TimedBreak extends ManifestBreak {
  startMs: number;
  endMs: number;
  /** What the lines so far have said of it. */
  said: Set<'start' | 'out' | 'end' | 'in'>;
}

/** EXT-X-DATERANGE (RFC 8216 §4.3.2.7), and for old players CUE-OUT, CUE-OUT-CONT and CUE-IN, which no standard defines. */
class CueLines {
  private breaks: TimedBreak[];
  private first = true;

  constructor(breaks: readonly ManifestBreak[]) {
    this.breaks = breaks.map((item) => {
      const endMs = item.end === undefined ? Infinity : instant(item.end.at);
      return { ...item, startMs: instant(item.startAt), endMs, said: new Set() };
    });
  }

  /** The segments in their order. */
  before({ programDateTime, seconds: length }: PlaylistSegment): string[] {
    const fromMs = instant(programDateTime);
    // Over before the first segment that is listed: nobody is in it any more.
    if (this.first) this.breaks = this.breaks.filter(({ endMs }) => endMs >= fromMs - CUE_SLACK_MS);
    const lines = this.breaks.flatMap((item) => [
      ...ranges(item, fromMs + length * 1000),
      ...marks(item, fromMs, this.first),
    ]);
    this.first = false;
    return lines;
  }
}

/** Each before the segment that its instant falls into. */
function ranges(item: TimedBreak, toMs: number): string[] {
  const { startMs, endMs, said } = item;
  const lines: string[] = [];
  if (startMs < toMs - CUE_SLACK_MS && !said.has('start')) {
    said.add('start');
    lines.push(outRange(item));
  }
  if (endMs < toMs - CUE_SLACK_MS && !said.has('end')) {
    said.add('end');
    lines.push(inRange(item));
  }
  return lines;
}

/** Each before the first segment that begins at its instant or later. */
function marks({ startMs, endMs, plannedSeconds, said }: TimedBreak, fromMs: number, isFirst: boolean): string[] {
  if (startMs > fromMs + CUE_SLACK_MS || said.has('in')) return [];
  const elapsedMs = Math.max(0, fromMs - startMs);
  const isNew = !said.has('out') && (!isFirst || elapsedMs <= CUE_SLACK_MS);
  said.add('out');
  if (endMs <= fromMs + CUE_SLACK_MS) {
    said.add('in');
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

/** §4.3.2.7.1: the same ID, with what is known at the end. */
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
function quoted(text: string): string {
  return `"${text.replaceAll(/["\r\n]/gu, '')}"`;
}

function keyLine(tag: 'EXT-X-KEY' | 'EXT-X-SESSION-KEY', key: HlsKey): string {
  const { method, uri, keyFormat, keyFormatVersions, keyId } = key;
  const attributes = [
    ...[`METHOD=${method}`, `URI=${quoted(uri)}`, `KEYFORMAT=${quoted(keyFormat)}`],
    `KEYFORMATVERSIONS=${quoted(keyFormatVersions)}`,
    ...(keyId === undefined ? [] : [`KEYID=0x${keyId.toString('hex').toUpperCase()}`]),
  ];
  return `#${tag}:${attributes.join(',')}`;
}

/** One sound that variants can be played with. */
export interface AudioRendition {
  /** Variants name it; all of a group have the same codec. */
  group: string;
  name: string;
  uri: string;
  codecs: string;
  channels: number;
  /** RFC 5646. */
  language: string | undefined;
  isDefault: boolean;
  /** Peak and mean rate in bit/s. */
  bandwidth: number;
  averageBandwidth: number;
}

/** A picture, with rates and codecs of its own only; or a sound of a ladder without pictures. */
export interface CmafVariant extends Variant {
  audioGroup: string | undefined;
}

export interface CmafMaster {
  variants: readonly CmafVariant[];
  audios: readonly AudioRendition[];
  keys: readonly HlsKey[];
}

/** RFC 8216 §4.3.4; BANDWIDTH counts the heaviest sound of the variant's group, CODECS names it. */
export function cmafMasterText({ variants, audios, keys }: CmafMaster): string {
  const lines = ['#EXTM3U', '#EXT-X-VERSION:7', '#EXT-X-INDEPENDENT-SEGMENTS'];
  lines.push(...keys.map((key) => keyLine('EXT-X-SESSION-KEY', key)), ...audios.map(audioLine));
  for (const variant of variants) {
    const { uri, codecs, resolution, frameRate, audioGroup } = variant;
    const group = audios.filter(({ group: name }) => name === audioGroup);
    const all = [...new Set([...codecs, ...group.map((audio) => audio.codecs)])];
    const heaviest = (rate: 'bandwidth' | 'averageBandwidth'): number =>
      Math.ceil(variant[rate] + Math.max(0, ...group.map((audio) => audio[rate])));
    const attributes = [
      ...[`BANDWIDTH=${heaviest('bandwidth')}`, `AVERAGE-BANDWIDTH=${heaviest('averageBandwidth')}`],
      ...(all.length > 0 ? [`CODECS=${quoted(all.join(','))}`] : []),
      ...(resolution === undefined ? [] : [`RESOLUTION=${resolution.width}x${resolution.height}`]),
      ...(frameRate === undefined ? [] : [`FRAME-RATE=${frameRate.toFixed(3)}`]),
      ...(group.length === 0 ? [] : [`AUDIO=${quoted(audioGroup!)}`]),
    ];
    lines.push(`#EXT-X-STREAM-INF:${attributes.join(',')}`, uri);
  }
  return `${lines.join('\n')}\n`;
}

function audioLine({ group, name, uri, channels, language, isDefault }: AudioRendition): string {
  const attributes = [
    ...['TYPE=AUDIO', `GROUP-ID=${quoted(group)}`, `NAME=${quoted(name)}`],
    ...(language === undefined ? [] : [`LANGUAGE=${quoted(language)}`]),
    ...[`DEFAULT=${isDefault ? 'YES' : 'NO'}`, 'AUTOSELECT=YES', `CHANNELS="${channels}"`, `URI=${quoted(uri)}`],
  ];
  return `#EXT-X-MEDIA:${attributes.join(',')}`;
}
