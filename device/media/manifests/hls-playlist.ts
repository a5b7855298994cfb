/** HLS playlists (RFC 8216) as text. Pure: what is in them is decided by the packager. */
import { captionAttributes, captionMediaLines, playlistVersion } from '../captions/caption-announcement.ts';
import type { CaptionChannel } from '../captions/cc-channels.ts';
import type { ManifestBreak, ManifestRange } from '../scte35/cue-message.ts';
import { CueLines } from './hls-cue-lines.ts';

export interface PlaylistSegment {
  uri: string;
  seconds: number;
  /** Wall clock of its first picture, ISO 8601. */
  programDateTime: string;
  /** The time line does not go on from the segment before. */
  discontinuity: boolean;
}

/** Left out: none. */
export interface PlaylistMarks {
  breaks?: readonly ManifestBreak[];
  ranges?: readonly ManifestRange[];
}

export interface MediaPlaylist extends PlaylistMarks {
  targetSeconds: number;
  /** Number of the first segment listed. */
  mediaSequence: number;
  /** Discontinuities that have left the playlist, RFC 8216 §4.3.3.3. */
  discontinuitySequence: number;
  segments: readonly PlaylistSegment[];
  ended: boolean;
}

export function mediaPlaylistText(playlist: MediaPlaylist): string {
  const lines = [
    '#EXTM3U',
    '#EXT-X-VERSION:6',
    `#EXT-X-TARGETDURATION:${playlist.targetSeconds}`,
    `#EXT-X-MEDIA-SEQUENCE:${playlist.mediaSequence}`,
    `#EXT-X-DISCONTINUITY-SEQUENCE:${playlist.discontinuitySequence}`,
    '#EXT-X-INDEPENDENT-SEGMENTS',
  ];
  const cues = new CueLines(playlist);
  for (const segment of playlist.segments) {
    if (segment.discontinuity) lines.push('#EXT-X-DISCONTINUITY');
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

export interface Variant {
  uri: string;
  /** Peak and mean rate in bit/s, RFC 8216 §4.3.4.2. */
  bandwidth: number;
  averageBandwidth: number;
  codecs: string[];
  resolution: { width: number; height: number } | undefined;
  frameRate: number | undefined;
}

export function masterPlaylistText(variants: readonly Variant[], captions: readonly CaptionChannel[]): string {
  const version = `#EXT-X-VERSION:${playlistVersion(captions, 6)}`;
  const lines = ['#EXTM3U', version, '#EXT-X-INDEPENDENT-SEGMENTS', ...captionMediaLines(captions)];
  for (const { uri, bandwidth, averageBandwidth, codecs, resolution, frameRate } of variants) {
    const attributes = [
      `BANDWIDTH=${Math.ceil(bandwidth)}`,
      `AVERAGE-BANDWIDTH=${Math.ceil(averageBandwidth)}`,
      ...(codecs.length > 0 ? [`CODECS="${codecs.join(',')}"`] : []),
      ...(resolution === undefined ? [] : [`RESOLUTION=${resolution.width}x${resolution.height}`]),
      ...(frameRate === undefined ? [] : [`FRAME-RATE=${frameRate.toFixed(3)}`]),
      ...captionAttributes(captions, resolution !== undefined),
    ];
    lines.push(`#EXT-X-STREAM-INF:${attributes.join(',')}`, uri);
  }
  return `${lines.join('\n')}\n`;
}
