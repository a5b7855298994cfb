import { z } from 'zod/v3';
import { levelExcess, levelsOf } from './codec-levels.ts';
import type { FieldIssue } from './errors.ts';
import { descriptionField, idField, nameField, stampFields } from './schema.ts';

export const VIDEO_CODECS = ['h264', 'hevc', 'av1', 'mp4v', 'vp9', 'mpgv', 'copy'] as const;
export const AUDIO_CODECS = ['mp4a', 'aacp', 'opus', 'mp3', 'mpga', 'copy'] as const;
/** These codecs stay readable where they are stored, and are refused in a new Encoding. */
export const LEGACY_VIDEO = ['mp4v', 'mpgv'] as const;
export const LEGACY_AUDIO = ['aacp', 'mpga'] as const;

const codecOptions = z
  .object({
    profile: z
      .string()
      .max(16)
      .regex(/^[a-z0-9]{1,16}$/u, 'must be lower-case letters and digits, such as main')
      .nullable()
      .default(null)
      .describe('E.g. main; null = default.'),
    level: z
      .string()
      .max(3)
      .regex(/^\d(\.\d)?$/u, 'must be a level such as 4.1')
      .nullable()
      .default(null)
      .describe('E.g. 4.1; null = encoder chooses.'),
    keyframe_interval: z.number().min(0.5).max(10).default(2).describe('Seconds between keyframes.'),
  })
  .strict();

const settingsVideo = z
  .object({
    active: z.boolean().default(true).describe('Whether it has video.'),
    codec: z.enum(VIDEO_CODECS).default('h264').describe('mp4v, mpgv: refused in new profiles.'),
    bitrate: z.number().int().min(50).max(100_000).default(2500).describe('kbit/s.'),
    width: z
      .number()
      .int()
      .min(16)
      .max(7680)
      .multipleOf(2)
      .nullable()
      .default(null)
      .describe('Pixels, even; null keeps the aspect.'),
    height: z
      .number()
      .int()
      .min(16)
      .max(4320)
      .multipleOf(2)
      .nullable()
      .default(720)
      .describe('Pixels, even; null keeps the aspect.'),
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
    hdr_mode: z.enum(['off', 'hdr10', 'hlg']).default('off').describe('HDR signalling.'),
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
    active: z.boolean().default(true).describe('Whether it has audio.'),
    codec: z.enum(AUDIO_CODECS).default('mp4a').describe('aacp, mpga: refused in new profiles.'),
    bitrate: z.number().int().min(16).max(512).default(128).describe('kbit/s.'),
    channels: z.number().int().min(1).max(8).default(2).describe('Channels.'),
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

interface CodecOptions {
  profiles: readonly string[];
  levels: readonly string[];
}

/** Options that an encoder takes: ITU-T H.264 Annex A (table A-1), H.265 Annex A. 4:2:0 and 4:2:2 in up to 10 bits, and 4:4:4 for h264. */
const CODEC_OPTIONS: Record<'h264' | 'hevc', CodecOptions> = {
  h264: {
    profiles: ['baseline', 'main', 'high', 'high10', 'high422', 'high444'],
    levels: levelsOf('h264'),
  },
  hevc: {
    profiles: ['main', 'main10'],
    levels: levelsOf('hevc'),
  },
};
/** Codecs with ten bits a sample, which HDR10 and HLG need; `copy` carries the source as it is. */
const HDR_CODECS = ['hevc', 'av1', 'vp9', 'copy'];
/** ISO/IEC 11172-3 allows two channels, and 320 kbit/s at layer III. */
const MP3 = { channels: 2, bitrate: 320 };
/** RFC 6716 §2.1.3 codes lower rates as a bandwidth of this one. */
const OPUS_RATE = 48_000;

/** Finds values that the codec does not know, which the encoder would refuse at the start of a broadcast. */
function codecIssues({ settings_video: video, settings_audio: audio }: Encoding): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const add = (field: string, code: string, message: string, limits: object): void =>
    void issues.push({ field, code, message, ...limits });
  for (const codec of ['h264', 'hevc'] as const) {
    const { profiles, levels } = CODEC_OPTIONS[codec];
    const { profile, level } = video[codec];
    const field = `settings_video.${codec}`;
    if (profile !== null && !profiles.includes(profile)) {
      add(`${field}.profile`, 'invalid_value', `${codec} has no profile ${profile}; use ${profiles.join(', ')}`, {
        allowed: profiles,
      });
    }
    if (level !== null && !levels.includes(level.replace(/\.0$/u, ''))) {
      add(`${field}.level`, 'invalid_value', `${codec} has no level ${level}; use ${levels.join(', ')}`, {
        allowed: levels,
      });
    } else if (level !== null && video.active && video.codec === codec) {
      const { width, height, fps, bitrate } = video;
      const size = width === null || height === null ? undefined : { width, height };
      const excess = levelExcess(codec, level, { profile, bitrate, fps, size });
      if (excess !== undefined) add(`${field}.level`, 'incompatible', excess, { allowed: levels });
    }
  }
  if (video.active && video.hdr_mode !== 'off' && !HDR_CODECS.includes(video.codec)) {
    const message = `${video.codec} has 8 bits a sample, too few for ${video.hdr_mode}; use ${HDR_CODECS.join(', ')}, or off`;
    add('settings_video.hdr_mode', 'incompatible', message, { allowed: ['off'] });
  }
  if (audio.active && audio.codec === 'opus' && audio.sample_rate !== OPUS_RATE) {
    const message = `opus has no ${audio.sample_rate} samples a second; use ${OPUS_RATE}`;
    add('settings_audio.sample_rate', 'incompatible', message, { allowed: [OPUS_RATE] });
  }
  if (audio.active && audio.codec === 'mp3') {
    for (const field of ['channels', 'bitrate'] as const) {
      if (audio[field] <= MP3[field]) continue;
      add(`settings_audio.${field}`, 'too_large', `${audio[field]} is more than mp3 has (${MP3[field]})`, {
        max: MP3[field],
      });
    }
  }
  return issues;
}

/** `present` is the stored Encoding of an update: a legacy codec that it already has may stay. */
export function encodingIssues(encoding: Encoding, present?: Encoding): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const { settings_video: video, settings_audio: audio } = encoding;
  const legacy = (
    field: string,
    codec: string,
    list: readonly string[],
    before: string | undefined,
    use: readonly string[],
  ): void => {
    if (!list.includes(codec) || codec === before) return;
    const allowed = use.filter((name) => !list.includes(name));
    issues.push({
      field,
      code: 'legacy_codec',
      message: `${codec} is legacy and cannot be used in a new profile; use ${allowed.join(', ')}`,
      allowed,
    });
  };
  legacy('settings_video.codec', video.codec, LEGACY_VIDEO, present?.settings_video.codec, VIDEO_CODECS);
  legacy('settings_audio.codec', audio.codec, LEGACY_AUDIO, present?.settings_audio.codec, AUDIO_CODECS);
  issues.push(...codecIssues(encoding));
  if (!video.active && !audio.active) {
    issues.push({
      field: 'settings_video.active',
      code: 'empty',
      message: 'video and audio are both inactive; activate one of them',
    });
  }
  return issues;
}

export function presentEncoding(row: Encoding): z.infer<typeof encodingOutput> {
  return { ...row, pipeline: pipelineOf(row) };
}
