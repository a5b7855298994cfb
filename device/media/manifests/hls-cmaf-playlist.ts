/** HLS playlists over CMAF segments (RFC 8216), with cues. Pure: what is in them is decided by the packager. */
import { captionAttributes, captionMediaLines } from '../captions/caption-announcement.ts';
import type { CaptionChannel } from '../captions/cc-channels.ts';
import { CueLines, quoted } from './hls-cue-lines.ts';
import type { MediaPlaylist, PlaylistSegment, Variant } from './hls-playlist.ts';

export interface CmafPlaylistSegment extends PlaylistSegment {
  /** Its initialisation segment. */
  map: string;
}

export interface CmafMediaPlaylist extends MediaPlaylist {
  segments: readonly CmafPlaylistSegment[];
  /** Of all segments; one for each key system. */
  keys: HlsKeys;
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

/** Text: a line as the key server wrote it. */
export type HlsKeys = readonly (HlsKey | string)[];

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
  const cues = new CueLines(playlist);
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

function keyLine(tag: 'EXT-X-KEY' | 'EXT-X-SESSION-KEY', key: HlsKey | string): string {
  if (typeof key === 'string') return key;
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
  captions: readonly CaptionChannel[];
  keys: HlsKeys;
}

/** RFC 8216 §4.3.4; BANDWIDTH counts the heaviest sound of the variant's group, CODECS names it. */
export function cmafMasterText({ variants, audios, captions, keys }: CmafMaster): string {
  const lines = ['#EXTM3U', '#EXT-X-VERSION:7', '#EXT-X-INDEPENDENT-SEGMENTS'];
  lines.push(...keys.map((key) => keyLine('EXT-X-SESSION-KEY', key)), ...audios.map(audioLine));
  lines.push(...captionMediaLines(captions));
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
      ...captionAttributes(captions, resolution !== undefined),
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
