import { z } from 'zod/v3';
import { descriptionField, idField, nameField, stampFields } from '../../base/schema.ts';
import { VIDEO_ENCODERS } from './hardware.ts';
import { HDR_MODES, hdrField } from './light.ts';

export const VIDEO_CODECS = ['h264', 'hevc', 'av1', 'mp4v', 'vp9', 'mpgv', 'copy'] as const;
export const AUDIO_CODECS = ['mp4a', 'aacp', 'opus', 'mp3', 'mpga', 'copy'] as const;
/** These codecs stay readable where they are stored, and are refused in a new Encoding. */
export const LEGACY_VIDEO = ['mp4v', 'mpgv'] as const;
export const LEGACY_AUDIO = ['aacp', 'mpga'] as const;

/** Numbers of channels that sound is encoded with: mono, stereo, 5.1 and 7.1. Another one stays readable where it is stored. */
export const SOUND_CHANNELS = [1, 2, 6, 8] as const;

/** A picture of which neither side is set has this height. */
export const DEFAULT_HEIGHT = 720;

const codecOptions = z
  .object({
    profile: z
      .string()
      .max(16)
      .regex(/^[a-z0-9]{1,16}$/u, 'must be lower-case letters and digits, such as main')
      .nullable()
      .default(null)
      .describe('E.g. main; null: usual.'),
    level: z
      .string()
      .max(3)
      .regex(/^\d(\.\d)?$/u, 'must be a level such as 4.1')
      .nullable()
      .default(null)
      .describe('E.g. 4.1; null: open.'),
    keyframe_interval: z.number().min(0.5).max(10).default(2).describe('Seconds apart.'),
  })
  .strict();

const settingsVideo = z
  .object({
    active: z.boolean().default(true).describe('Has video.'),
    codec: z.enum(VIDEO_CODECS).default('h264').describe('mp4v, mpgv: refused.'),
    bitrate: z.number().int().min(50).max(100_000).default(2500).describe('kbit/s.'),
    width: z.number().int().min(16).max(7680).multipleOf(2).nullable().default(null).describe('Even; null: by aspect.'),
    height: z
      .number()
      .int()
      .min(16)
      .max(4320)
      .multipleOf(2)
      .nullable()
      .default(DEFAULT_HEIGHT)
      .describe('Even; null: by aspect.'),
    fps: z.number().min(0).max(120).default(0).describe('Per second; 0 = as the source.'),
    aspect_ratio: z
      .string()
      .max(7)
      .regex(/^[1-9]\d{0,2}:[1-9]\d{0,2}$/u, 'must be a ratio such as 16:9')
      .nullable()
      .default(null)
      .describe('E.g. 16:9; null = as source.'),
    deinterlace: z
      .union([z.literal('auto'), z.boolean()])
      .default('auto')
      .describe('auto and true: interlaced frames alone.'),
    hdr_mode: z.enum(HDR_MODES).default('off').describe('hdr10, hlg: hevc, av1, vp9.'),
    hdr: hdrField.describe('Metadata of hdr10.'),
    encoder: z.enum(VIDEO_ENCODERS).default('software').describe('auto: hardware if any.'),
    preset: z
      .enum(['ultrafast', 'superfast', 'veryfast', 'faster', 'fast', 'medium'])
      .default('veryfast')
      .describe('Speed or size.'),
    h264: codecOptions.default({}).describe('Options of h264.'),
    hevc: codecOptions.default({}).describe('Options of hevc.'),
  })
  .strict();

const settingsAudio = z
  .object({
    active: z.boolean().default(true).describe('Has audio.'),
    codec: z.enum(AUDIO_CODECS).default('mp4a').describe('aacp, mpga: refused.'),
    bitrate: z.number().int().min(16).max(512).default(128).describe('kbit/s.'),
    channels: z.number().int().min(1).max(8).default(2).describe('1, 2, 6, 8.'),
    sample_rate: z
      .union([z.literal(44_100), z.literal(48_000)])
      .default(48_000)
      .describe('Samples per second.'),
  })
  .strict();

export type VideoSettings = z.infer<typeof settingsVideo>;
/** Video settings whose size and frame rate are resolved. */
export type ResolvedVideo = VideoSettings & { width: number; height: number; fps: number };
export type AudioSettings = z.infer<typeof settingsAudio>;

export const encodingCreate = {
  name: nameField,
  description: descriptionField.nullable().default(null),
  settings_video: settingsVideo.default({}).describe('Video settings.'),
  settings_audio: settingsAudio.default({}).describe('Audio settings.'),
};
const pipelineField = z
  .string()
  .describe('What decides which Encodings fit into one group: the video codec, `audio` without video.');
export const encodingOutput = z
  .object({ ...stampFields, ...encodingCreate, pipeline: pipelineField })
  .strict()
  .describe('Encoding: one rendition.');
export type Encoding = Omit<z.infer<typeof encodingOutput>, 'pipeline'>;

export const encodingGroupCreate = {
  name: nameField,
  description: descriptionField.nullable().default(null),
  quality_order: z.enum(['asc', 'desc']).default('desc').describe('Order of the renditions by bitrate in the ladder.'),
  elements: z.array(idField).max(6).default([]).describe('Ids of the member Encodings, at most 6.'),
};
export const encodingGroupOutput = z
  .object({
    ...stampFields,
    ...encodingGroupCreate,
    pipeline: pipelineField.nullable().describe('Derived from the first member; null when empty.'),
  })
  .strict()
  .describe('Encoding group: a ladder.');
export type EncodingGroup = Omit<z.infer<typeof encodingGroupOutput>, 'pipeline'>;

export function pipelineOf(encoding: Pick<Encoding, 'settings_video'>): string {
  return encoding.settings_video.active ? encoding.settings_video.codec : 'audio';
}

export function presentEncoding(row: Encoding): z.infer<typeof encodingOutput> {
  return { ...row, pipeline: pipelineOf(row) };
}
