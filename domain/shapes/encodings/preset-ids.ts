/** In the order in which people are shown them. */
export const LADDER_IDS = [
  '1080p60',
  '1080p50',
  '1080p30',
  '1080p25',
  '720p',
  '480p',
  'vertical',
  'audio-only',
  'low-bandwidth',
] as const;
export type LadderId = (typeof LADDER_IDS)[number];

/** An id is stored in Publishings, so that none of them ever goes. */
export const TEMPLATE_IDS = [
  'youtube',
  'twitch',
  'facebook',
  'linkedin',
  'vimeo',
  'tiktok',
  'kick',
  'x',
  'rtmp',
  'srt',
  'hls',
] as const;
export type TemplateId = (typeof TEMPLATE_IDS)[number];
