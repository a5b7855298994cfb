/** Playlists of HLS (RFC 8216), read as players read them: what a server leaves out or adds ends nothing that can be played. */
import { cueOfTag, placeRanges, type PlaylistCue } from './cue-tags.ts';

export interface ByteRange {
  offset: number;
  length: number;
}

export interface SegmentKey {
  /** AES-128, SAMPLE-AES and others. */
  method: string;
  /** `identity` is the key itself. */
  format: string;
  uri: string;
  iv: Buffer | undefined;
}

export interface Fetched {
  /** It is absolute. */
  uri: string;
  range: ByteRange | undefined;
  key: SegmentKey | undefined;
}

export interface Segment extends Fetched {
  sequence: number;
  seconds: number;
  /** Its initialisation (EXT-X-MAP). */
  init: Fetched | undefined;
  /** The discontinuities before it: times of one part follow each other. */
  part: number;
  /** It is not there (EXT-X-GAP). */
  isGap: boolean;
  date: string | undefined;
  /** Breaks that begin or end within it. */
  cues: PlaylistCue[];
}

export interface MediaPlaylist {
  targetSeconds: number;
  segments: Segment[];
  isEnded: boolean;
  /** It holds all of a programme whose end is known. */
  isWhole: boolean;
  /** EXT-X-START: seconds from the beginning, or below 0 from the end. */
  startSeconds: number | undefined;
}

export interface Variant {
  uri: string;
  bandwidth: number;
  /** Pixels of a picture; 0 when it does not say. */
  pixels: number;
  codecs: string[];
  audioGroup: string | undefined;
}

export interface SoundRendition {
  group: string;
  /** Undefined: its sound is in the variant itself. */
  uri: string | undefined;
  language: string | undefined;
  isDefault: boolean;
}

export interface MasterPlaylist {
  variants: Variant[];
  sounds: SoundRendition[];
  startSeconds: number | undefined;
}

export type Playlist = { master: MasterPlaylist; media?: undefined } | { media: MediaPlaylist; master?: undefined };

type Attributes = Record<string, string>;

/** Bytes without a playlist, or without a segment of known length, are none. */
const MAX_SEGMENTS = 200_000;
/** So that what is added to one is exact, too. */
const MAX_COUNT = 2 ** 52;

/** `base` is the address that has answered. Throws RangeError for a text that is no playlist. */
export function readPlaylist(text: string, base: string): Playlist {
  const lines = text.replace(/^\uFEFF/u, '').split(/\r?\n/u);
  if (lines[0]?.trim() !== '#EXTM3U') throw new RangeError('It does not begin with #EXTM3U.');
  const isMaster = lines.some((line) => line.startsWith('#EXT-X-STREAM-INF:'));
  return isMaster ? { master: readMaster(lines, base) } : { media: readMedia(lines, base) };
}

function readMaster(lines: readonly string[], base: string): MasterPlaylist {
  const variants: Variant[] = [];
  const sounds: SoundRendition[] = [];
  let startSeconds: number | undefined;
  let pending: Attributes | undefined;
  for (const [tag, value] of lines.flatMap(tagged)) {
    const own = attributes(value);
    if (tag === 'EXT-X-START') startSeconds = numberOf(own['TIME-OFFSET']);
    else if (tag === 'EXT-X-STREAM-INF') pending = own;
    else if (tag === 'EXT-X-MEDIA' && own['TYPE'] === 'AUDIO') {
      const { 'GROUP-ID': group = '', URI: uri, LANGUAGE: language, DEFAULT: isDefault } = own;
      sounds.push({ group, uri: uri && absolute(uri, base), language, isDefault: isDefault === 'YES' });
    } else if (tag === '' && pending !== undefined) {
      const [width = 0, height = 0] = (pending['RESOLUTION'] ?? '').split('x').map(Number);
      variants.push({
        uri: absolute(value, base),
        bandwidth: numberOf(pending['BANDWIDTH']) ?? 0,
        pixels: width * height || 0,
        codecs: (pending['CODECS'] ?? '').split(',').flatMap((codec) => codec.trim() || []),
        audioGroup: pending['AUDIO'],
      });
      pending = undefined;
    }
  }
  return { variants, sounds, startSeconds };
}

function readMedia(lines: readonly string[], base: string): MediaPlaylist {
  const list: MediaPlaylist = {
    targetSeconds: 0,
    segments: [],
    isEnded: false,
    isWhole: false,
    startSeconds: undefined,
  };
  const next: Omit<Segment, 'uri'> = {
    sequence: 0,
    part: 0,
    seconds: 0,
    isGap: false,
    cues: [],
    range: undefined,
    key: undefined,
    init: undefined,
    date: undefined,
  };
  const ranges: Attributes[] = [];
  let rangeText: string | undefined;
  let isKeyBefore = false;
  for (const [tag, value] of lines.flatMap(tagged)) {
    if (tag === '') {
      const uri = absolute(value, base);
      const range = rangeText === undefined ? undefined : rangeOf(rangeText, uri, list.segments.at(-1));
      list.segments.push({ ...next, uri, range });
      if (list.segments.length > MAX_SEGMENTS) throw new RangeError('It has too many segments.');
      Object.assign(next, { sequence: next.sequence + 1, seconds: 0, isGap: false, date: undefined, cues: [] });
      rangeText = undefined;
    } else if (tag === 'EXT-X-KEY') {
      const key = keyOf(attributes(value), base);
      // Several lines offer one key by several systems.
      if (!isKeyBefore || next.key === undefined || !isPlain(next.key)) next.key = key;
    } else if (tag === 'EXT-X-MAP') next.init = initOf(attributes(value), base, next.key);
    else if (tag === 'EXT-X-BYTERANGE') rangeText = value;
    else if (tag === 'EXT-X-DATERANGE') ranges.push(attributes(value));
    else readLine(tag, value, list, next);
    isKeyBefore = tag === 'EXT-X-KEY';
  }
  placeRanges(list.segments, ranges);
  list.targetSeconds ||= list.segments.reduce((longest, { seconds }) => Math.max(longest, Math.ceil(seconds)), 1);
  list.isWhole ||= list.isEnded;
  return list;
}

function readLine(tag: string, value: string, list: MediaPlaylist, next: Omit<Segment, 'uri'>): void {
  if (tag === 'EXTINF') next.seconds = Math.max(0, numberOf(value.split(',')[0]) ?? 0);
  else if (tag === 'EXT-X-DISCONTINUITY') next.part += 1;
  else if (tag === 'EXT-X-GAP') next.isGap = true;
  else if (tag === 'EXT-X-PROGRAM-DATE-TIME') next.date = value;
  // Both are before the first segment (RFC 8216 §4.3.3.2 and 3): later they would give numbers twice.
  else if (tag.endsWith('-SEQUENCE') && list.segments.length > 0) return;
  else if (tag === 'EXT-X-MEDIA-SEQUENCE') next.sequence = countOf(value) ?? 0;
  else if (tag === 'EXT-X-DISCONTINUITY-SEQUENCE') next.part = countOf(value) ?? 0;
  else if (tag === 'EXT-X-TARGETDURATION') list.targetSeconds = Math.max(0, numberOf(value) ?? 0);
  else if (tag === 'EXT-X-ENDLIST') list.isEnded = true;
  else if (tag === 'EXT-X-PLAYLIST-TYPE') list.isWhole = value === 'VOD';
  else if (tag === 'EXT-X-START') list.startSeconds = numberOf(attributes(value)['TIME-OFFSET']);
  else {
    const cue = cueOfTag(tag, value, attributes(value));
    if (cue !== undefined) next.cues.push(cue);
  }
}

/** A key that is handed over as it is, for whole segments. */
export function isPlain({ method, format }: SegmentKey): boolean {
  return method === 'AES-128' && format === 'identity';
}

/** The tag's name and value; a line without a tag is an address. Comments and empty lines are left out. */
function tagged(line: string): [tag: string, value: string][] {
  const text = line.trim();
  if (text === '') return [];
  if (!text.startsWith('#')) return [['', text]];
  const [, tag, value] = /^#(EXT[A-Z0-9-]*)(?::(.*))?$/u.exec(text) ?? [];
  return tag === undefined ? [] : [[tag, value?.trim() ?? '']];
}

function attributes(text: string): Attributes {
  const pairs = [...text.matchAll(/([A-Z0-9-]+)=(?:"([^"]*)"|([^",]*))/gu)];
  return Object.fromEntries(pairs.map(([, name, quoted, plain]) => [name!, quoted ?? plain!.trim()]));
}

function numberOf(text: string | undefined): number | undefined {
  const value = Number.parseFloat(text ?? '');
  return Number.isFinite(value) ? value : undefined;
}

/** Numbers of segments and of bytes. */
function countOf(text: string): number | undefined {
  const value = Number.parseInt(text, 10);
  return Number.isSafeInteger(value) && value >= 0 && value <= MAX_COUNT ? value : undefined;
}

function absolute(uri: string, base: string): string {
  if (!URL.canParse(uri, base))
    throw new RangeError(`It names ${JSON.stringify(uri.slice(0, 100))}, which is no address.`);
  return new URL(uri, base).href;
}

/** A range without a beginning follows that of the segment before, of the same file. */
function rangeOf(text: string, uri: string, before: Segment | undefined): ByteRange {
  const [length, offset] = text.split('@').map(countOf);
  const follows = before?.uri === uri && before.range !== undefined ? before.range.offset + before.range.length : 0;
  if (length === undefined || (offset === undefined && text.includes('@')))
    throw new RangeError(`A range of ${JSON.stringify(text.slice(0, 40))} bytes.`);
  return { length, offset: offset ?? follows };
}

function keyOf(
  { METHOD: method, URI: uri, IV: iv, KEYFORMAT: format }: Attributes,
  base: string,
): SegmentKey | undefined {
  if (method === undefined || method === 'NONE') return undefined;
  const hex = /^0x([0-9a-f]{1,32})$/iu.exec(iv ?? '')?.[1];
  return {
    method,
    format: format ?? 'identity',
    uri: uri === undefined ? '' : absolute(uri, base),
    iv: hex === undefined ? undefined : Buffer.from(hex.padStart(32, '0'), 'hex'),
  };
}

function initOf({ URI: uri, BYTERANGE: range }: Attributes, base: string, key: SegmentKey | undefined): Fetched {
  const at = absolute(uri ?? '', base);
  return { uri: at, range: range === undefined ? undefined : rangeOf(range, at, undefined), key };
}
