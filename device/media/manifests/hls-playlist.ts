/** HLS playlists (RFC 8216, and 8216bis for low latency) as text, over segments of a transport stream or of CMAF. The caller decides what is in them. */
import {
  captionAttributes,
  captionMediaLines,
  playlistVersion,
  textAttributes,
  textMediaLines,
} from './caption-announcement.ts';
import type { CaptionChannel } from '../captions/cc-channels.ts';
import type { VideoRange } from './video-range.ts';
import { CueLines, quoted, type PlaylistMarks } from './hls-cue-lines.ts';

/**
 * Segments of a transport stream need version 6 for EXT-X-INDEPENDENT-SEGMENTS; those of CMAF 7, as players expect it beside EXT-X-MAP; and
 * a list that viewers may ask the newest piece of needs 9 (RFC 8216bis §8).
 */
export type PlaylistVersion = 6 | 7 | 9;

/** RFC 8216bis §4.4.4.9. */
export interface PlaylistPart {
  uri: string;
  seconds: number;
  independent: boolean;
}

export interface PlaylistSegment {
  uri: string;
  /** Initialisation segment of a CMAF segment. */
  map?: string;
  seconds: number;
  /** Its keys, one for each key system; left out: it is not encrypted. */
  keys?: HlsKeys | undefined;
  /** Wall clock of its first frame, ISO 8601. */
  programDateTime: string;
  /** The media time does not go on from the segment before. */
  discontinuity: boolean;
  parts?: readonly PlaylistPart[];
  /** Its parts are all that there is of it so far. */
  isOpen?: boolean;
}

/** The low latency of a playlist. */
export interface LowLatency {
  /** No part is longer. */
  partTargetSeconds: number;
  /** Address of the part, or the segment, that is made next. */
  hint: string | undefined;
  /** Addresses of all other playlists, with the newest segment and part of each. */
  reports: readonly { uri: string; lastSequence: number; lastPart: number | undefined }[];
}

export interface MediaPlaylist extends PlaylistMarks {
  version: PlaylistVersion;
  targetSeconds: number;
  /** Number of the first segment listed. */
  mediaSequence: number;
  /** Discontinuities that have left the playlist, RFC 8216 §4.3.3.3. */
  discontinuitySequence: number;
  segments: readonly PlaylistSegment[];
  ended: boolean;
  /** Left out: segments are listed once they are whole. */
  lowLatency?: LowLatency | undefined;
}

/** RFC 8216bis §4.4.3.8: neither may be less than so many target durations, of segments or parts. */
const HOLD_BACK_TARGETS = 3;
const SKIP_TARGETS = 6;

/** RFC 8216 §4.3.2.4, and SAMPLE-AES-CTR of Apple's "HLS authoring specification" for cenc. */
export interface HlsKey {
  method: 'SAMPLE-AES' | 'SAMPLE-AES-CTR';
  uri: string;
  keyFormat: string;
  keyFormatVersions: string;
  /** 32 hexadecimal digits; only some systems name it. */
  keyId?: string | undefined;
}

/** A text is a line as the key server wrote it. */
export type HlsKeys = readonly (HlsKey | string)[];

/** Throws RangeError for a wall clock that is no instant. */
export function mediaPlaylistText(playlist: MediaPlaylist): string {
  const { segments } = playlist;
  const lines = [
    '#EXTM3U',
    `#EXT-X-VERSION:${playlist.version}`,
    `#EXT-X-TARGETDURATION:${playlist.targetSeconds}`,
    `#EXT-X-MEDIA-SEQUENCE:${playlist.mediaSequence}`,
    `#EXT-X-DISCONTINUITY-SEQUENCE:${playlist.discontinuitySequence}`,
    '#EXT-X-INDEPENDENT-SEGMENTS',
    ...(playlist.ended ? [] : serverLines(playlist)),
  ];
  const cues = new CueLines(playlist);
  let map: string | undefined;
  let keys = '';
  for (const segment of segments) {
    // §4.3.2.4: keys hold up to the next ones of the same format, too.
    const own = (segment.keys ?? []).map((key) => keyLine('EXT-X-KEY', key));
    if (own.join('\n') !== keys) lines.push(...own);
    keys = own.join('\n');
    if (segment.discontinuity) lines.push('#EXT-X-DISCONTINUITY');
    // §4.3.2.5: a map holds up to the next one, discontinuities in between or not.
    if (segment.map !== undefined && segment.map !== map) lines.push(`#EXT-X-MAP:URI=${quoted(segment.map)}`);
    map = segment.map;
    lines.push(
      `#EXT-X-PROGRAM-DATE-TIME:${segment.programDateTime}`,
      ...cues.before(segment),
      ...(segment.parts ?? []).map(partLine),
      ...(segment.isOpen === true ? [] : [`#EXTINF:${segment.seconds.toFixed(6)},`, segment.uri]),
    );
  }
  if (playlist.ended) lines.push('#EXT-X-ENDLIST');
  else lines.push(...newestLines(playlist));
  return `${lines.join('\n')}\n`;
}

/** RFC 8216bis §4.4.3.8: how far behind the newest media players should be, and what they may ask of the server. */
function serverLines({ targetSeconds, lowLatency, segments }: MediaPlaylist): string[] {
  const holdBack = `HOLD-BACK=${(HOLD_BACK_TARGETS * targetSeconds).toFixed(3)}`;
  if (lowLatency === undefined) return [`#EXT-X-SERVER-CONTROL:${holdBack}`];
  const { partTargetSeconds: part } = lowLatency;
  const skip = SKIP_TARGETS * targetSeconds;
  const isLong = segments.reduce((sum, { seconds }) => sum + seconds, 0) > skip;
  const attributes = [
    'CAN-BLOCK-RELOAD=YES',
    ...(isLong ? [`CAN-SKIP-UNTIL=${skip.toFixed(3)}`] : []),
    // Rounded, three targets must not seem to be more.
    `PART-HOLD-BACK=${(HOLD_BACK_TARGETS * part + 0.005).toFixed(3)}`,
    holdBack,
  ];
  return [`#EXT-X-SERVER-CONTROL:${attributes.join(',')}`, `#EXT-X-PART-INF:PART-TARGET=${part.toFixed(3)}`];
}

function partLine({ uri, seconds, independent }: PlaylistPart): string {
  return `#EXT-X-PART:DURATION=${seconds.toFixed(6)},URI=${quoted(uri)}${independent ? ',INDEPENDENT=YES' : ''}`;
}

/** RFC 8216bis §4.4.5.3, §4.4.5.4. */
function newestLines({ lowLatency }: MediaPlaylist): string[] {
  if (lowLatency === undefined) return [];
  const { hint, reports } = lowLatency;
  return [
    ...(hint === undefined ? [] : [`#EXT-X-PRELOAD-HINT:TYPE=PART,URI=${quoted(hint)}`]),
    ...reports.map(({ uri, lastSequence, lastPart }) => {
      const part = lastPart === undefined ? '' : `,LAST-PART=${lastPart}`;
      return `#EXT-X-RENDITION-REPORT:URI=${quoted(uri)},LAST-MSN=${lastSequence}${part}`;
    }),
  ];
}

function keyLine(tag: 'EXT-X-KEY' | 'EXT-X-SESSION-KEY', key: HlsKey | string): string {
  if (typeof key === 'string') return key;
  const { method, uri, keyFormat, keyFormatVersions, keyId } = key;
  const attributes = [
    `METHOD=${method}`,
    `URI=${quoted(uri)}`,
    `KEYFORMAT=${quoted(keyFormat)}`,
    `KEYFORMATVERSIONS=${quoted(keyFormatVersions)}`,
    ...(keyId === undefined ? [] : [`KEYID=0x${keyId.toUpperCase()}`]),
  ];
  return `#${tag}:${attributes.join(',')}`;
}

/** An audio track that variants can be played with. */
export interface AudioRendition {
  /** Variants name the group; all audio of a group has the same codec. */
  group: string;
  name: string;
  uri: string;
  /** Undefined when it is not known. */
  codecs: string | undefined;
  channels: number | undefined;
  /** RFC 5646. */
  language: string | undefined;
  isDefault: boolean;
  /** Peak and mean rate in bit/s. */
  bandwidth: number;
  averageBandwidth: number;
}

/** Rates and codecs are those of the variant's own segments: its audio group adds to them. */
export interface Variant {
  uri: string;
  /** Peak and mean rate in bit/s, RFC 8216 §4.3.4.2. */
  bandwidth: number;
  averageBandwidth: number;
  codecs: string[];
  resolution: { width: number; height: number } | undefined;
  /** Undefined without video. */
  range?: VideoRange | undefined;
  frameRate: number | undefined;
  audioGroup?: string | undefined;
}

export interface MasterPlaylist {
  version: PlaylistVersion;
  variants: readonly Variant[];
  audios?: readonly AudioRendition[];
  captions: readonly CaptionChannel[];
  /** Captions that there are as text, too. */
  texts?: readonly CaptionChannel[];
  keys?: HlsKeys;
}

/** RFC 8216 §4.3.4; BANDWIDTH counts the heaviest audio of the variant's group, CODECS names it. */
export function masterPlaylistText(playlist: MasterPlaylist): string {
  const { version, variants, audios = [], captions, texts = [], keys = [] } = playlist;
  const lines = [
    '#EXTM3U',
    `#EXT-X-VERSION:${playlistVersion(captions, version)}`,
    '#EXT-X-INDEPENDENT-SEGMENTS',
    ...keys.map((key) => keyLine('EXT-X-SESSION-KEY', key)),
    ...audios.map(audioLine),
    ...captionMediaLines(captions),
    ...textMediaLines(texts),
  ];
  // Without it all is SDR, and players of before know nothing else.
  const hasHdr = variants.some(({ range = 'SDR' }) => range !== 'SDR');
  for (const variant of variants) {
    const { uri, codecs, resolution, range, frameRate, audioGroup } = variant;
    const group = audios.filter(({ group: name }) => name === audioGroup);
    const allCodecs = [...new Set([...codecs, ...group.flatMap((audio) => audio.codecs ?? [])])];
    const heaviest = (rate: 'bandwidth' | 'averageBandwidth'): number =>
      Math.ceil(variant[rate] + Math.max(0, ...group.map((audio) => audio[rate])));
    const attributes = [
      `BANDWIDTH=${heaviest('bandwidth')}`,
      `AVERAGE-BANDWIDTH=${heaviest('averageBandwidth')}`,
      ...(allCodecs.length > 0 ? [`CODECS=${quoted(allCodecs.join(','))}`] : []),
      ...(resolution === undefined ? [] : [`RESOLUTION=${resolution.width}x${resolution.height}`]),
      ...(range !== undefined && hasHdr ? [`VIDEO-RANGE=${range}`] : []),
      ...(frameRate === undefined ? [] : [`FRAME-RATE=${frameRate.toFixed(3)}`]),
      ...(group.length === 0 ? [] : [`AUDIO=${quoted(audioGroup!)}`]),
      ...captionAttributes(captions, resolution !== undefined),
      ...textAttributes(texts),
    ];
    lines.push(`#EXT-X-STREAM-INF:${attributes.join(',')}`, uri);
  }
  return `${lines.join('\n')}\n`;
}

function audioLine({ group, name, uri, channels, language, isDefault }: AudioRendition): string {
  const attributes = [
    'TYPE=AUDIO',
    `GROUP-ID=${quoted(group)}`,
    `NAME=${quoted(name)}`,
    ...(language === undefined ? [] : [`LANGUAGE=${quoted(language)}`]),
    `DEFAULT=${isDefault ? 'YES' : 'NO'}`,
    'AUTOSELECT=YES',
    ...(channels === undefined ? [] : [`CHANNELS="${channels}"`]),
    `URI=${quoted(uri)}`,
  ];
  return `#EXT-X-MEDIA:${attributes.join(',')}`;
}
