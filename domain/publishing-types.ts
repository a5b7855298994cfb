export const PUBLISHING_TYPES = [
  'HLS / TS',
  'DASH',
  'CMAF',
  'RTMP',
  'Enhanced RTMP',
  'SRT',
  'STREAM',
  'SDIOUT',
  'Record',
] as const;
export type PublishingType = (typeof PUBLISHING_TYPES)[number];
