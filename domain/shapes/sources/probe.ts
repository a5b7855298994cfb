/** The answer of a look at a source before the air. */
import { z } from 'zod/v3';
import { ingestAudio, ingestVideo } from './ingest.ts';

/** A peak or mean of digital silence is said as this, since no number stands for minus infinity. */
export const SILENCE_DBFS = -120;

const probedVideo = ingestVideo
  .extend({
    keyframe_interval_seconds: z
      .number()
      .nullable()
      .describe('Longest distance of two keyframes; null when fewer than two came.'),
  })
  .strict();
export type ProbedVideo = z.infer<typeof probedVideo>;

const probedAudio = ingestAudio
  .extend({
    peak_dbfs: z.number().nullable().describe('Highest sample; -120 is digital silence, null was not measured.'),
    rms_dbfs: z.number().nullable().describe('Mean level; a full-scale sine has -3.01.'),
  })
  .strict();
export type ProbedAudio = z.infer<typeof probedAudio>;

const warning = z
  .object({ code: z.string(), message: z.string(), remedy: z.string().describe('What to change, and where.') })
  .strict();
export type SourceWarning = z.infer<typeof warning>;

export const sourceProbe = z
  .object({
    probed_at: z.string().describe('When the look ended.'),
    took_ms: z.number().int().nonnegative().describe('Milliseconds that the look took.'),
    bitrate_kbps: z.number().nonnegative(),
    video: probedVideo.nullable().describe('The picture; null: none came.'),
    audio: z.array(probedAudio).describe('Each track of sound.'),
    captions: z
      .array(z.string())
      .describe('608 and 708 as seen, and DVB subtitles and teletext, which are not carried; empty for none.'),
    warnings: z.array(warning).describe('What will hurt on air.'),
  })
  .strict();
export type SourceProbe = z.infer<typeof sourceProbe>;

/** The facts that a Device answers; the control plane adds the instant and the warnings. */
export type DeviceProbe = Omit<SourceProbe, 'probed_at' | 'warnings'> & {
  /** Seconds of media that were looked at. */
  seconds: number;
  isVariableRate: boolean;
  /** JPEG in base64; null without video. */
  picture: string | null;
};

export const sourceField = z
  .object({
    message: z.string().describe('What comes, or why nothing does, for people.'),
    probe: sourceProbe.nullable().describe('null: nothing has come.'),
  })
  .strict()
  .nullable()
  .describe(
    'In a dry run: a look at the source, as by probeChannel; null: none, as for an encoder that is yet to push.',
  );
