/** One flat object for all types of Destinations; the row of a type says which fields belong to it. */
import { z } from 'zod/v3';
import { reference, secretField } from '../base/schema.ts';
import { MAX_STREAM_ID_BYTES } from '../network/delivery-address.ts';
import { ristIn, ristOut } from '../network/rist.ts';
import { srtEncryption, srtPassphrase } from '../network/srt.ts';

const url = z.string().min(1).max(2048);
const srtIn = z
  .object({
    latency_ms: z.number().int().min(20).max(8000).default(200).describe('Latency in milliseconds.'),
    passphrase: srtPassphrase.nullable().default(null).describe('Write-only.'),
    encryption: srtEncryption.optional(),
    streamid: z
      .string()
      .min(1)
      .max(MAX_STREAM_ID_BYTES)
      .nullable()
      .optional()
      .describe('Stream id, such as #!::r=live,m=publish. Answered masked.'),
  })
  .strict();
const srtOut = srtIn
  .omit({ passphrase: true })
  .extend({ encryption: srtEncryption, has_passphrase: z.boolean().describe('Whether a passphrase is stored.') })
  .strict();

const plainSettings = {
  url: url.nullable().default(null).describe('null: served by the Device (HLS / TS, DASH, CMAF).'),
  backup_url: url.nullable().default(null).describe('Second path.'),
  username: z.string().max(255).nullable().default(null).describe('At the target.'),
  segment_duration: z.number().min(1).max(30).default(6).describe('Seconds.'),
  playlist_length: z.number().int().min(3).max(100).default(6).describe('Segments.'),
  time_shift_buffer_depth: z
    .number()
    .int()
    .min(6)
    .max(86_400)
    .nullable()
    .default(null)
    .describe('Seconds to seek back.'),
  low_latency: z.boolean().default(false).describe('Viewers 2 s behind.'),
  remotefolder: reference('Remote Folder')
    .nullable()
    .default(null)
    .describe('Remote Folder id: backup before delete_after.'),
  delete_after: z
    .number()
    .int()
    .min(1)
    .max(3650)
    .nullable()
    .default(null)
    .describe('Record: days until deletion; null = never.'),
  container: z.enum(['mp4', 'ts']).default('mp4').describe('Record: file format.'),
};
export const settingsIn = z
  .object({
    ...plainSettings,
    username: secretField(0, 255).nullable().default(null).describe('At the target.'),
    stream_key: secretField(0, 255).nullable().default(null).describe('Answered masked.'),
    password: secretField(0, 255).nullable().default(null).describe('Write-only.'),
    access_key: secretField(1, 128).nullable().optional().describe('s3: access key of the bucket. Write-only.'),
    secret_key: secretField(1, 255).nullable().optional().describe('s3: secret key of the bucket. Write-only.'),
    srt: srtIn.default({}).describe('SRT options.'),
    rist: ristIn.nullable().default(null).describe('For rist://.'),
  })
  .strict();
export const settingsOut = z
  .object({
    ...plainSettings,
    stream_key: z.string().nullable().describe('Stream key, masked but for its last four characters.'),
    has_password: z.boolean().describe('Whether a password is stored.'),
    has_access_key: z.boolean().optional().describe('s3: whether an access key is stored.'),
    has_secret_key: z.boolean().optional().describe('s3: whether a secret key is stored.'),
    srt: srtOut,
    rist: ristOut.nullable().describe('For rist://; null: another protocol.'),
  })
  .strict();

export type PublishingSettings = z.infer<typeof settingsIn>;
/** The settings of a Publishing that sends none. */
export const DEFAULT_SETTINGS: Readonly<PublishingSettings> = settingsIn.parse({});

/** Settings that belong to some types alone, in the order in which they are told. */
export const OWNED_SETTINGS = [
  'stream_key',
  'username',
  'password',
  'access_key',
  'secret_key',
  'segment_duration',
  'playlist_length',
  'time_shift_buffer_depth',
  'low_latency',
  'remotefolder',
  'delete_after',
  'container',
  'srt',
  'rist',
] as const satisfies (keyof PublishingSettings)[];
export type OwnedSetting = (typeof OWNED_SETTINGS)[number];
