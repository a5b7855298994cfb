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
/** The type that keeps what it gets on the Device's disk. */
export const RECORDING_TYPE = 'Record';
export type PublishingType = (typeof PUBLISHING_TYPES)[number];
