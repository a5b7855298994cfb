import { z } from 'zod/v3';
import { audioTracksField } from '../sources/audio-tracks.ts';
import { failoverField } from './failover.ts';
import { alarmsField, detectField, soundField, type Alarms } from './sound.ts';
import { tagsField } from '../../base/tags.ts';
import { descriptionField, idField, instantField, nameField, reference, stampFields } from '../../base/schema.ts';

export const POSITIONS = [
  'Center',
  'Left',
  'Right',
  'Top',
  'Bottom',
  'Top-Left',
  'Top-Right',
  'Bottom-Left',
  'Bottom-Right',
] as const;
export const positionField = z.enum(POSITIONS);
export type Position = (typeof POSITIONS)[number];

/** LiveStream.status: 0 stopped, 1 starting, 2 running (a player can see frames), 3 failed. */
export const STATUS = { stopped: 0, starting: 1, running: 2, failed: 3 } as const;
export type LivestreamStatus = 0 | 1 | 2 | 3;
export const statusField = z
  .union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)])
  .describe('0 stopped, 1 starting, 2 running (on air), 3 failed.');

export const logoField = z
  .object({
    filename: z.string().max(255).describe('Asset in the bucket logos; empty = none.'),
    position: positionField.default('Top-Right').describe('Where on the picture.'),
  })
  .strict();

export const overlayField = z
  .object({
    text: z.string().max(1000).describe('%d %m %Y %H %M %S = time, %C = chronometer.'),
    position: positionField.default('Bottom').describe('Where on the picture.'),
    size: z.number().int().min(8).max(200).default(36).describe('Pixels at 1080 lines.'),
    color: z
      .string()
      .max(7)
      .regex(/^#[0-9a-f]{6}$/iu, 'must be #rrggbb, such as #ff0000')
      .default('#ffffff')
      .describe('Colour, #rrggbb.'),
    visible: z.boolean().default(true).describe('Whether it is shown.'),
  })
  .strict();

const percent = z.number().min(0).max(50).default(0);
const cropField = z
  .object({
    left: percent.describe('Per cent.'),
    right: percent.describe('Per cent.'),
    top: percent.describe('Per cent.'),
    bottom: percent.describe('Per cent.'),
  })
  .strict();

export type Crop = z.infer<typeof cropField>;

const fallbackField = z
  .object({
    mode: z.enum(['slate', 'file', 'none']).default('slate').describe('What viewers get while the source is lost.'),
    filename: z.string().max(255).nullable().default(null).describe('mode file: Asset in the bucket files.'),
  })
  .strict();

const startConfigEntry = z
  .object({
    publishingId: reference('Publishing'),
    primary: z.boolean().default(true).describe('Deliver on the primary path.'),
    backup: z.boolean().default(false).describe('Whether the backup path delivers.'),
    qualities: z.array(idField).max(32).optional().describe('Ids of the Encodings to deliver; left out: all.'),
  })
  .strict();
/** Left out of livestreamOptions: it counts from the next start. */
const captionsField = z
  .object({
    webvtt: z.boolean().default(true).describe('Captions as WebVTT too, in HLS, CMAF and DASH.'),
  })
  .strict();
export type StartConfigEntry = z.infer<typeof startConfigEntry>;
export const startConfigField = z.array(startConfigEntry).max(20);

/** Body of a start. */
export const startFields = {
  idEncoderGroup: reference('Device group').nullable().optional().describe('Device group to run on.'),
  deviceId: reference('Device')
    .nullable()
    .optional()
    .describe('Device to run on; left out: as configured, else the freest.'),
  cloudAccountId: reference('Cloud account')
    .nullable()
    .optional()
    .describe('Cloud account to run on, instead of a Device.'),
  startConfig: z
    .array(
      startConfigEntry
        .extend({
          qualities: z
            .array(idField)
            .min(1)
            .max(32)
            .optional()
            .describe('Ids of the Encodings to deliver; left out: all.'),
        })
        .strict(),
    )
    .max(20)
    .optional()
    .describe('Paths and qualities to deliver; left out: the last ones, else all that are on.'),
};

/** Options that may be set in any status. */
export const livestreamOptions = {
  scteMarkers: z.boolean().default(false).describe('Preserve SCTE-35 cue points.'),
  logo: logoField.nullable().default(null).describe('Logo on the picture.'),
  overlay: overlayField.nullable().default(null).describe('Text on the picture.'),
  crop: cropField.nullable().default(null).describe('Edges cut off the source.'),
  fallback: fallbackField.default({}).describe('While the source is lost.'),
  failover: failoverField.default({}).describe('When the backup goes on air, and returns.'),
  sound: soundField.default({}).describe('Gain, mute and delay.'),
  detect: detectField.nullable().default({}).describe('Faults that are events; null: none, as in a copy.'),
  alarms: alarmsField.default({}).describe('Seconds until a fault of the source is an alarm; 0: not watched.'),
};

export const DEFAULT_PRIORITY = 5;

export const livestreamCreate = {
  name: nameField,
  description: descriptionField.nullable().default(null),
  tags: tagsField.describe('Words to group by.'),
  enabled: z.boolean().default(true).describe('false: cannot be started.'),
  priority: z.number().int().min(0).max(9).default(DEFAULT_PRIORITY).describe('Back or moved first: 9 before 0.'),
  channelId: reference('Channel'),
  backupChannelId: reference('Channel').nullable().default(null).describe('Channel that takes over.'),
  encodingId: reference('Encoding').nullable().default(null).describe('Id of the Encoding; else encodingGroupId.'),
  encodingGroupId: reference('Encoding group').nullable().default(null).describe('Id of the Encoding group.'),
  publishingId: reference('Publishing')
    .nullable()
    .default(null)
    .describe('Id of the Publishing; else publishingGroupId.'),
  publishingGroupId: reference('Publishing group').nullable().default(null).describe('Id of the Publishing group.'),
  idEncoderGroup: reference('Device group').nullable().default(null).describe('Device group; null: any Device.'),
  deviceId: reference('Device').nullable().default(null).describe('Device to run on; null: any.'),
  onDeviceLoss: z.enum(['stay', 'move']).default('stay').describe('move: goes on at another Device.'),
  backupDeviceId: reference('Device')
    .nullable()
    .default(null)
    .describe('Pushed Channel: second Device that listens, to go on at.'),
  audio: audioTracksField.nullable().default(null).describe('Tracks to choose from; null or empty: all.'),
  startWithoutSource: z.enum(['fail', 'fallback']).default('fail').describe('fallback: on air with the slate or file.'),
  captions: captionsField.default({}).describe('Captions; from the next start on.'),
  ...livestreamOptions,
};

export const livestreamOutput = z
  .object({
    ...stampFields,
    ...livestreamCreate,
    status: statusField,
    errorstatus: z.string().nullable().describe('Why the status is 3; null otherwise.'),
    startConfig: startConfigField.describe('Last start configuration.'),
    started_at: instantField.nullable().describe('When the present run was started; null when stopped.'),
    created_by: z.string().describe('User who created it.'),
  })
  .strict()
  .describe('Live stream: a named broadcast.');
export type LivestreamView = z.infer<typeof livestreamOutput>;
/** The stored row; status, errorstatus, started_at and startConfig belong to the run, so that a start never changes the ETag. */
export type Livestream = Omit<
  LivestreamView,
  | 'status'
  | 'errorstatus'
  | 'started_at'
  | 'startConfig'
  | 'tags'
  | 'alarms'
  | 'priority'
  | 'onDeviceLoss'
  | 'backupDeviceId'
> & {
  /** Rows of earlier versions have none of these. */
  tags?: string[];
  alarms?: Alarms;
  priority?: number;
  onDeviceLoss?: LivestreamView['onDeviceLoss'];
  backupDeviceId?: number | null;
};

/** Allowed transitions by state. */
export const TRANSITIONS: Record<LivestreamStatus, readonly LivestreamStatus[]> = {
  0: [1],
  1: [2, 3, 0],
  2: [3, 0, 1],
  3: [1, 0],
};

export function isTransition(from: LivestreamStatus, to: LivestreamStatus): boolean {
  return from === to || TRANSITIONS[from].includes(to);
}
