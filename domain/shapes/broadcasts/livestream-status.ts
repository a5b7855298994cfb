/** The contract's status object of a Live stream, and its parts in a runner's report. */
import { z } from 'zod/v3';
import { viewersField } from './audience.ts';
import { HARDWARE_KINDS } from '../encodings/hardware.ts';
import { ingestOutput } from '../sources/ingest.ts';
import { instantField } from '../../base/schema.ts';

/** fenced: its Device has no lease, so that another one may deliver. */
export const PATH_STATES = ['idle', 'connecting', 'up', 'retrying', 'failed', 'fenced'] as const;
const pathStatus = z
  .object({
    enabled: z.boolean(),
    state: z.enum(PATH_STATES),
    since: z.string(),
    down_since: instantField
      .nullable()
      .default(null)
      .describe('Since when it has not been up although it is on; null: it is up or idle, or its Device does not say.'),
    attempts: z.number().int().describe('Attempts since it was last up.'),
    next_retry_at: z.string().nullable(),
    last_error: z.string().nullable().describe('Last failure, without secrets.'),
    refused: z.boolean().default(false).describe('true: its peer said no to the last attempt, as to a wrong key.'),
  })
  .strict();
export type PathStatus = z.infer<typeof pathStatus>;

const level = z.number().nullable();
const trackLevels = z
  .object({
    track: z.number().int().describe('Track of the source, from 0.'),
    peak_dbfs: z.array(z.number()).describe('Sample peak of the last second, a value a channel; -100: none.'),
    rms_dbfs: z
      .array(z.number())
      .describe('RMS of the last second, a value a channel; a sine of full scale has -3.01.'),
    momentary_lufs: level.describe('Loudness of 400 ms (EBU R 128); null: digital silence.'),
    short_term_lufs: level.describe('Loudness of 3 s; null until known.'),
    integrated_lufs: level.describe('Loudness since the start, gated; null until known.'),
  })
  .strict();
export type TrackLevels = z.infer<typeof trackLevels>;

export const SOURCE_STATES = ['idle', 'connecting', 'up', 'lost'] as const;
const sourceStatus = z
  .object({
    channelId: z.number().int(),
    state: z.enum(SOURCE_STATES),
    fps: z.number(),
    bitrate_kbps: z.number(),
    last_frame_at: z.string().nullable(),
    levels: z
      .array(trackLevels)
      .optional()
      .describe('Levels of each track, before gain and mute; none where nothing is decoded.'),
  })
  .strict();
export type SourceStatus = z.infer<typeof sourceStatus>;

const sourceView = sourceStatus.extend({
  ingest: ingestOutput.nullable().describe('Ingest of a pushed Channel; null for other types.'),
});

const encodingStatus = z
  .object({
    encodingId: z.number().int(),
    fps: z.number(),
    bitrate_kbps: z.number(),
    speed: z.number().describe('Encoding speed against real time.'),
    dropped: z.number().int().describe('Frames dropped since the start of the run.'),
    encoder: z
      .enum(['software', ...HARDWARE_KINDS])
      .optional()
      .describe('What encodes its video.'),
  })
  .strict();
export type EncodingStatus = z.infer<typeof encodingStatus>;

const publishingStatus = z
  .object({
    publishingId: z.number().int(),
    name: z.string(),
    type: z.string(),
    primary: pathStatus,
    backup: pathStatus.nullable(),
    notes: z.array(z.string()).default([]).describe('What the Destination does not carry of the broadcast.'),
  })
  .strict();
export type PublishingStatus = z.infer<typeof publishingStatus>;

const runtimeStatus = z
  .object({
    logo: z.object({ filename: z.string(), position: z.string() }).strict().nullable(),
    blackout: z.string().describe('Live, Black Frame or File.'),
    text: z.string().nullable().describe('Text shown, as it was given; null when none.'),
    source: z.number().int().nullable().describe('Id of the Channel on air; null when stopped.'),
  })
  .strict();
export type RuntimeStatus = z.infer<typeof runtimeStatus>;

export const watchField = z
  .array(
    z
      .object({
        publishingId: z.number().int(),
        name: z.string(),
        type: z.string(),
        url: z.string().describe('Plays as it is.'),
        device_url: z.string().nullable().describe('At the Device itself, which may change; null: url is.'),
        expires_at: z.string().nullable().describe('null: never.'),
      })
      .strict(),
  )
  .describe('What Devices serve of it now; empty when off air.');

export const CONDITION_KINDS = ['silence', 'black', 'frozen', 'low_fps', 'behind'] as const;
const condition = z
  .object({
    kind: z.enum(CONDITION_KINDS),
    since: instantField.describe('When it began.'),
    fps: z.number().optional().describe('low_fps: pictures a second that come; behind: that are encoded.'),
    wanted_fps: z.number().optional().describe('Pictures a second that the source or the broadcast has.'),
    remedy: z.string().optional().describe('behind: what to do.'),
  })
  .strict();
export type Condition = z.infer<typeof condition>;

export const livestreamStatusOutput = z
  .object({
    livestreamId: z.number().int(),
    name: z.string(),
    status: z
      .union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)])
      .describe('0 stopped, 1 starting, 2 running (on air), 3 failed.'),
    errorstatus: z.string().nullable().describe('Why the status is 3; null otherwise.'),
    since: z.string().nullable().describe('When the present status was entered.'),
    uptime_seconds: z.number().describe('Seconds since the start of the run; 0 when stopped.'),
    deviceId: z.number().int().nullable(),
    slot: z.number().int().nullable().describe('Input slot on the Device, from 1.'),
    source: sourceView.nullable(),
    conditions: z
      .array(condition)
      .describe(
        'What is wrong now: no sound, a black or a still picture, fewer pictures than the source has; behind: slower than real time.',
      ),
    source_watched: z
      .boolean()
      .nullable()
      .describe(
        'false: nobody looks for conditions, as the source is copied or detect is off. null: not on air, or not known.',
      ),
    lost_seconds: z.number().int().describe('So long without its source is an alarm; 0: it is none.'),
    encodings: z.array(encodingStatus),
    publishings: z.array(publishingStatus),
    runtime: runtimeStatus,
    recordingId: z.number().int().nullable(),
    recording_on_request: z.boolean().describe('true: a Recording that runtimeRecord began goes on.'),
    scheduleId: z.number().int().nullable(),
    viewers: viewersField,
    on_air: z.boolean().describe('True when status is 2 and its Device is heard.'),
    device_lost_since: instantField
      .nullable()
      .describe(
        'Since when its Device is silent, for 15 s or more: whether it is on air is not known. null: it is heard.',
      ),
  })
  .strict()
  .describe('Runtime status of one Live stream.');
export type LivestreamStatusView = z.infer<typeof livestreamStatusOutput>;
