/** Servers of one's own: what the protocol itself asks for, and nothing more. */
import type { Template } from '../domain/shapes/encodings/preset.ts';

const NO_LIMITS = { video_kbps: null, audio_kbps: null, width: null, height: null, fps: null, hours: null };
const NO_DEMANDS: Template['demands'] = {
  keyframe_seconds: null,
  video_codecs: null,
  audio_codecs: null,
  sample_rates: null,
  sound: false,
  tls: false,
  stream_key: false,
};
const OWN = { kind: 'template', url: null, limits: NO_LIMITS, as_of: '2026-11-25' } as const;

export const OWN_SERVERS: readonly Template[] = [
  {
    ...OWN,
    id: 'rtmp',
    name: 'Own server by RTMP or RTMPS',
    type: 'RTMP',
    demands: { ...NO_DEMANDS, video_codecs: ['h264'], audio_codecs: ['mp4a', 'mp3'] },
    source: 'https://rtmp.veriskope.com/docs/spec/',
  },
  {
    ...OWN,
    id: 'srt',
    name: 'Own server by SRT',
    type: 'SRT',
    demands: NO_DEMANDS,
    source: 'https://datatracker.ietf.org/doc/html/draft-sharabayko-srt-01',
  },
  {
    ...OWN,
    id: 'hls',
    name: 'This server, by HLS',
    type: 'HLS / TS',
    demands: NO_DEMANDS,
    source: 'https://www.rfc-editor.org/rfc/rfc8216',
  },
];
