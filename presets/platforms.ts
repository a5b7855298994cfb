/**
 * Platforms, by the page that each has published its guidance on. `as_of` is the day on which the values were compared with a copy of it;
 * behind the address stands what of the values that copy did not show. A value that is not published is null, and nobody is warned about it.
 */
import type { Template } from '../domain/shapes/encodings/preset.ts';

/** Each of these takes H.264 with AAC by RTMP, and gives a key. */
const BY_RTMP = { kind: 'template', type: 'RTMP' } as const;
const H264_AAC: Template['demands'] = {
  keyframe_seconds: 2,
  video_codecs: ['h264'],
  audio_codecs: ['mp4a'],
  sample_rates: [44_100, 48_000],
  sound: false,
  tls: false,
  stream_key: true,
};
const FULL_HD = { width: 1920, height: 1080, fps: 60 };

export const PLATFORMS: readonly Template[] = [
  {
    ...BY_RTMP,
    id: 'youtube',
    name: 'YouTube',
    url: 'rtmps://a.rtmps.youtube.com:443/live2',
    // 2 s is recommended, and 4 s must not be exceeded. HEVC and AV1 need Enhanced RTMP.
    demands: {
      ...H264_AAC,
      keyframe_seconds: 4,
      video_codecs: ['h264', 'hevc', 'av1'],
      audio_codecs: ['mp4a', 'mp3'],
    },
    // The most of any size: 2160p at 60 frames a second.
    limits: { video_kbps: 40_000, audio_kbps: null, width: 3840, height: 2160, fps: 60, hours: null },
    as_of: '2026-11-26',
    source:
      'https://support.google.com/youtube/answer/2853702 (bitrates and sizes; keyframes and sound were not in the copy)',
  },
  {
    ...BY_RTMP,
    id: 'twitch',
    name: 'Twitch',
    url: 'rtmps://ingest.global-contribute.live-video.net:443/app',
    demands: H264_AAC,
    limits: { video_kbps: 6000, audio_kbps: 320, ...FULL_HD, hours: 48 },
    // Keyframes and 3 to 6 Mbit/s are those of help.twitch.tv, article 1253460, of 2017.
    as_of: '2026-11-26',
    source: 'https://www.twitch.tv/creatorcamp/en/paths/going-live/broadcast-recommendations/',
  },
  {
    ...BY_RTMP,
    id: 'facebook',
    name: 'Facebook',
    url: 'rtmps://live-api-s.facebook.com:443/rtmp',
    // It asks for picture and sound both, over RTMPS alone.
    demands: { ...H264_AAC, keyframe_seconds: 4, sound: true, tls: true },
    limits: { video_kbps: 9000, audio_kbps: 256, ...FULL_HD, hours: 8 },
    as_of: '2026-11-26',
    source:
      'https://developers.facebook.com/docs/live-video-api/reference (the rates of the sound were not in the copy)',
  },
  {
    ...BY_RTMP,
    id: 'linkedin',
    name: 'LinkedIn',
    // Each event has an address of its own, which comes with the key.
    url: null,
    demands: { ...H264_AAC, sample_rates: [48_000] },
    limits: { video_kbps: 6000, audio_kbps: null, width: 1920, height: 1080, fps: 30, hours: 4 },
    as_of: '2025-01-31',
    source:
      'https://learn.microsoft.com/en-us/linkedin/consumer/integrations/live-video (its figures were not in the copy)',
  },
  {
    ...BY_RTMP,
    id: 'vimeo',
    name: 'Vimeo',
    url: 'rtmps://rtmp-global.cloud.vimeo.com:443/live',
    demands: H264_AAC,
    limits: { video_kbps: 5000, audio_kbps: null, width: 1920, height: 1080, fps: 30, hours: 12 },
    as_of: '2026-11-26',
    source:
      'https://help.vimeo.com/hc/en-us/articles/12426939452817-Recommended-network-configuration-for-streaming (keyframes and sound were not in the copy)',
  },
  {
    ...BY_RTMP,
    id: 'tiktok',
    name: 'TikTok',
    // It is shown with the key, to accounts that may stream from software. Figures for encoders are not published.
    url: null,
    demands: { ...H264_AAC, keyframe_seconds: null, sample_rates: null },
    limits: { video_kbps: null, audio_kbps: null, width: null, height: null, fps: null, hours: null },
    as_of: '2025-01-31',
    source: 'https://support.tiktok.com/en/live-gifts-wallet/tiktok-live/going-live (no copy of it was seen)',
  },
  {
    ...BY_RTMP,
    id: 'kick',
    name: 'Kick',
    url: 'rtmps://fa723fc1b171.global-contribute.live-video.net:443/app',
    // Its servers are those of Amazon IVS, whose guidance this is: 1080p, 8.5 Mbit/s, 48 hours, a keyframe every 2 s. It gives some
    // accounts another address.
    demands: { ...H264_AAC, tls: true },
    limits: { video_kbps: 8500, audio_kbps: null, ...FULL_HD, hours: 48 },
    as_of: '2026-11-26',
    source:
      'https://docs.aws.amazon.com/ivs/latest/LowLatencyUserGuide/streaming-config.html (of Amazon IVS; no page of Kick was seen)',
  },
  {
    ...BY_RTMP,
    id: 'x',
    name: 'X',
    // The address is that of the region of the source, which is chosen in Live Studio.
    url: null,
    demands: { ...H264_AAC, keyframe_seconds: 3 },
    limits: { video_kbps: 12_000, audio_kbps: 128, ...FULL_HD, hours: null },
    as_of: '2025-01-31',
    source: 'https://help.x.com/en/using-x/live-studio (its figures were not in the copy)',
  },
];
