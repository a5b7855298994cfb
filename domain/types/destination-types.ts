/** Each type of Destination: all that is true of it and not of the others. A type is added here, and where it is delivered (CONTRIBUTING.md). */
import { type DestinationTypeRow, DRM_SYSTEMS } from './destination-row.ts';
import { CARD_NEEDS, ffmpegWith } from './type-needs.ts';

/** webdav and webdavs are http and https under the names that WebDAV clients use. */
const ORIGIN = ['http', 'https', 'webdav', 'webdavs', 's3'] as const;
const RTMP_SCHEMES = ['rtmp', 'rtmps'] as const;
const SEGMENTS = [
  'username',
  'password',
  'access_key',
  'secret_key',
  'segment_duration',
  'playlist_length',
  'time_shift_buffer_depth',
  'low_latency',
] as const;

const ALL_CODECS = { video: [], audio: [], audioBesideHevc: [] } as const;
/**
 * MPEG-TS has no stream type for AV1 or VP9 (ISO/IEC 13818-1). SRT and STREAM carry MPEG-TS; so does a Record in the container ts, and the
 * input of a playout card.
 */
export const NOT_IN_TS: readonly string[] = ['av1', 'vp9'];
const TS_CODECS = { ...ALL_CODECS, video: NOT_IN_TS } as const;
/**
 * RTMP has no code for HEVC, AV1 or VP9 before Enhanced RTMP, which this product sends for HEVC. FLV has no code for Opus, and beside HEVC
 * the runner writes AAC alone into it.
 */
const FLV_CODECS = {
  video: ['hevc', ...NOT_IN_TS],
  audio: ['opus'],
  audioBesideHevc: ['opus', 'mp3', 'copy'],
} as const;
const IN_TS = { requires: [['muxer:mpegts']], needs: ffmpegWith('the mpegts muxer') } as const;
const IN_MP4 = { requires: [['muxer:mp4']], needs: ffmpegWith('the mp4 muxer') } as const;

const ROWS = {
  'HLS / TS': {
    settings: SEGMENTS,
    schemes: ORIGIN,
    needsUrl: false,
    key: null,
    packaged: { manifest: 'index.m3u8', hls: true, dash: false, segments: 'ts' },
    notCarried: TS_CODECS,
    hasOneTrack: false,
    // MPEG-TS has no Common Encryption, and this product has no packager for its own SAMPLE-AES (RFC 8216 §4.3.2.4).
    drm: [],
    disk: 'segments',
    use: 'viewers',
    isInCloud: true,
    needs: IN_TS,
    label: { en: 'HLS / TS', es: 'HLS / TS' },
    manual: 'HLS of MPEG-TS, of fragmented MP4 with low latency',
    example: { segment_duration: 6 },
  },
  DASH: {
    settings: SEGMENTS,
    schemes: ORIGIN,
    needsUrl: false,
    key: null,
    packaged: { manifest: 'manifest.mpd', hls: false, dash: true, segments: 'fmp4' },
    notCarried: ALL_CODECS,
    hasOneTrack: false,
    // FairPlay is signalled in HLS and not in a DASH manifest.
    drm: ['Widevine', 'Playready'],
    disk: 'segments',
    use: 'viewers',
    isInCloud: true,
    needs: IN_MP4,
    label: { en: 'DASH', es: 'DASH' },
    manual: 'DASH of fragmented MP4',
    example: { segment_duration: 6 },
  },
  CMAF: {
    settings: SEGMENTS,
    schemes: ORIGIN,
    needsUrl: false,
    key: null,
    // It has a manifest.mpd beside its HLS playlist, and its segments serve both.
    packaged: { manifest: 'index.m3u8', hls: true, dash: true, segments: 'fmp4' },
    notCarried: ALL_CODECS,
    hasOneTrack: false,
    drm: DRM_SYSTEMS,
    disk: 'segments',
    use: 'viewers',
    isInCloud: true,
    needs: IN_MP4,
    label: { en: 'CMAF (HLS and DASH)', es: 'CMAF (HLS y DASH)' },
    manual: 'HLS and DASH of the same fragmented MP4',
    example: { low_latency: true },
  },
  RTMP: {
    settings: ['username', 'password'],
    schemes: RTMP_SCHEMES,
    needsUrl: true,
    key: 'path',
    packaged: null,
    notCarried: FLV_CODECS,
    hasOneTrack: true,
    drm: [],
    disk: null,
    use: 'platforms',
    isInCloud: true,
    // The runner takes RTMP out of the transport stream itself, and speaks it.
    needs: IN_TS,
    label: { en: 'RTMP', es: 'RTMP' },
    manual: 'RTMP and RTMPS',
    example: { url: 'rtmps://platform.example/app', stream_key: 'as-the-platform-gives-it' },
  },
  'Enhanced RTMP': {
    settings: ['username', 'password'],
    schemes: RTMP_SCHEMES,
    needsUrl: true,
    key: 'path',
    packaged: null,
    notCarried: { ...FLV_CODECS, video: NOT_IN_TS },
    hasOneTrack: true,
    drm: [],
    disk: null,
    use: 'platforms',
    isInCloud: true,
    needs: IN_TS,
    label: { en: 'Enhanced RTMP', es: 'Enhanced RTMP' },
    manual: 'RTMP with HEVC',
    example: { url: 'rtmps://platform.example/app', stream_key: 'as-the-platform-gives-it' },
  },
  SRT: {
    settings: ['srt'],
    schemes: ['srt'],
    needsUrl: true,
    key: 'streamid',
    packaged: null,
    notCarried: TS_CODECS,
    hasOneTrack: false,
    drm: [],
    disk: null,
    use: 'platforms',
    isInCloud: true,
    needs: {
      requires: [['muxer:mpegts'], ['output:srt']],
      needs: ffmpegWith('the mpegts muxer and the srt protocol (libsrt)'),
    },
    label: { en: 'SRT', es: 'SRT' },
    manual: 'MPEG-TS by SRT: caller, listener, AES',
    example: { url: 'srt://192.0.2.20:9000', srt: { latency_ms: 200 } },
  },
  STREAM: {
    settings: ['rist'],
    schemes: ['udp', 'rtp', 'rist'],
    needsUrl: true,
    key: null,
    packaged: null,
    notCarried: TS_CODECS,
    hasOneTrack: false,
    drm: [],
    disk: null,
    use: 'platforms',
    isInCloud: true,
    needs: IN_TS,
    label: { en: 'Transport stream (UDP, RTP, RIST)', es: 'Transport stream (UDP, RTP, RIST)' },
    manual: 'MPEG-TS over UDP, RTP or RIST',
    example: { url: 'udp://239.0.0.1:5000' },
  },
  SDIOUT: {
    settings: [],
    schemes: [],
    needsUrl: false,
    key: null,
    packaged: null,
    notCarried: { ...TS_CODECS, hdr: true },
    hasOneTrack: true,
    drm: [],
    disk: null,
    use: 'device',
    isInCloud: false,
    needs: { requires: [['card:decklink'], ['muxer:matroska']], needs: CARD_NEEDS },
    label: { en: 'SDI output', es: 'Salida SDI' },
    manual: 'played out by a DeckLink card of the Device',
    example: {},
  },
  Record: {
    settings: ['remotefolder', 'delete_after', 'container'],
    schemes: [],
    needsUrl: false,
    key: null,
    packaged: null,
    // In the container ts it carries what MPEG-TS does.
    notCarried: ALL_CODECS,
    hasOneTrack: false,
    drm: [],
    disk: 'recordings',
    use: 'record',
    isInCloud: true,
    needs: { requires: [['muxer:mp4'], ['muxer:mpegts']], needs: ffmpegWith('the mp4 and mpegts muxers') },
    label: { en: 'Record to a file', es: 'Grabar en un archivo' },
    manual: 'a Recording on the disk of the Device, as MP4 or MPEG-TS',
    example: { container: 'mp4', delete_after: 30 },
  },
} as const satisfies Record<string, DestinationTypeRow>;

export type PublishingType = keyof typeof ROWS;
export const DESTINATION_ROWS: Readonly<Record<PublishingType, DestinationTypeRow>> = ROWS;
export const PUBLISHING_TYPES = Object.keys(ROWS) as [PublishingType, ...PublishingType[]];
/** The type that keeps what it gets on the disk of the Device. */
export const RECORDING_TYPE = 'Record';
/** The type by which a set-up delivers without an address. */
export const SERVED_TYPE = 'HLS / TS';
