import { z } from 'zod/v3';
import { urlIssue } from './channel.ts';
import { drmBlock, encryptionMode } from './drm.ts';
import type { FieldIssue } from './errors.ts';
import { MOST_RTMP_BYTES, rtmpLengthIssue } from './rtmp-address.ts';
import {
  descriptionField,
  idField,
  maskDeliveryUrl,
  maskIssue,
  maskSecret,
  nameField,
  reference,
  secretField,
  stampFields,
} from './schema.ts';

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

const url = z.string().min(1).max(2048);
const srtIn = z
  .object({
    latency_ms: z.number().int().min(20).max(8000).default(200).describe('Latency in milliseconds.'),
    passphrase: secretField(10, 79).nullable().default(null).describe('10-79 characters. Write-only.'),
    encryption: z
      .union([z.literal(0), z.literal(128), z.literal(192), z.literal(256)])
      .default(0)
      .describe('AES key length in bits, 0 = none.'),
  })
  .strict();

const plainSettings = {
  url: url.nullable().default(null).describe('Where to deliver; null: HLS / TS, DASH, CMAF are served by the Device.'),
  backup_url: url.nullable().default(null).describe('Second path, beside the first.'),
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
    .describe('Seconds that a viewer may seek back.'),
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
const settingsIn = z
  .object({
    ...plainSettings,
    username: secretField(0, 255).nullable().default(null).describe('At the target.'),
    stream_key: secretField(0, 255).nullable().default(null).describe('Answered masked.'),
    password: secretField(0, 255).nullable().default(null).describe('Write-only.'),
    srt: srtIn.default({}).describe('SRT options.'),
  })
  .strict();
const settingsOut = z
  .object({
    ...plainSettings,
    stream_key: z.string().nullable().describe('Stream key, masked but for its last four characters.'),
    has_password: z.boolean().describe('Whether a password is stored.'),
    srt: srtIn
      .omit({ passphrase: true })
      .extend({ has_passphrase: z.boolean().describe('Whether a passphrase is stored.') })
      .strict(),
  })
  .strict();

const retry = z
  .object({
    max_attempts: z.number().int().min(0).max(1000).default(10).describe('Attempts until failed.'),
    initial_delay_ms: z.number().int().min(100).max(60_000).default(1000).describe('First delay.'),
    max_delay_ms: z.number().int().min(100).max(600_000).default(30_000).describe('Longest delay.'),
  })
  .strict();

const common = {
  name: nameField,
  description: descriptionField.nullable().default(null),
  type: z.enum(PUBLISHING_TYPES).describe('Kind of Destination.'),
  drm: drmBlock.nullable().default(null).describe('Encryption of the output; null = clear.'),
  retry: retry.default({}).describe('Delivery retry budget.'),
  primary_enabled: z.boolean().default(true).describe('Whether the primary path delivers.'),
  backup_enabled: z.boolean().default(false).describe('Whether the backup path delivers.'),
  asset_id: z.string().max(255).nullable().default(null).describe('Id at an outside asset catalogue.'),
  access: z
    .enum(['public', 'token'])
    .default('public')
    .describe('token: see createPlaybackLink.'),
};

export const publishingCreate = { ...common, settings: settingsIn.default({}).describe('Settings of the type.') };
export const publishingOutput = z
  .object({ ...stampFields, ...common, settings: settingsOut })
  .strict()
  .describe('Publishing: a Destination.');
export type PublishingSettings = z.infer<typeof settingsIn>;
export type Publishing = Omit<z.infer<typeof publishingOutput>, 'settings' | 'access'> & {
  settings: PublishingSettings;
  /** Left out in rows of earlier versions: public. */
  access?: 'public' | 'token';
};

export const publishingGroupCreate = {
  name: nameField,
  description: descriptionField.nullable().default(null),
  elements: z.array(idField).max(20).default([]).describe('Ids of the member Publishings, at most 20.'),
};
export const publishingGroupOutput = z
  .object({ ...stampFields, ...publishingGroupCreate })
  .strict()
  .describe('Publishing group: Destinations bound together.');
export type PublishingGroup = z.infer<typeof publishingGroupOutput>;

/** webdav and webdavs are http and https under the names that WebDAV clients use. */
const ORIGIN = ['http', 'https', 'webdav', 'webdavs'];

/** Schemes that a delivery URL of the type may have, and whether the URL is needed. */
export const DELIVERY: Record<PublishingType, { schemes: readonly string[]; needsUrl: boolean }> = {
  'HLS / TS': { schemes: ORIGIN, needsUrl: false },
  DASH: { schemes: ORIGIN, needsUrl: false },
  CMAF: { schemes: ORIGIN, needsUrl: false },
  RTMP: { schemes: ['rtmp', 'rtmps'], needsUrl: true },
  'Enhanced RTMP': { schemes: ['rtmp', 'rtmps'], needsUrl: true },
  SRT: { schemes: ['srt'], needsUrl: true },
  STREAM: { schemes: ['udp', 'rtp'], needsUrl: true },
  SDIOUT: { schemes: [], needsUrl: false },
  Record: { schemes: [], needsUrl: false },
};

/** Whether a Destination of this kind has a backup path at all. */
export function hasBackupPath(publishing: Pick<Publishing, 'settings'>): boolean {
  return publishing.settings.backup_url !== null;
}

/** Whether a Destination of this kind can have one path only: it is kept or served where it is made. */
export function isSinglePath({ type, settings }: Pick<Publishing, 'type' | 'settings'>): boolean {
  return !DELIVERY[type].needsUrl && settings.url === null && settings.backup_url === null;
}

/** Types whose target tells its senders apart by a stream key. */
export const KEYED_TYPES: readonly PublishingType[] = ['RTMP', 'Enhanced RTMP', 'SRT'];

export function publishingIssues(publishing: Publishing): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const { schemes, needsUrl } = DELIVERY[publishing.type];
  for (const field of ['url', 'backup_url'] as const) {
    const value = publishing.settings[field];
    if (value === null) {
      if (field === 'url' && needsUrl) {
        issues.push({
          field: 'settings.url',
          code: 'required',
          message: `is required for a Destination of type ${publishing.type}`,
          allowed: schemes,
        });
      }
      continue;
    }
    const message =
      schemes.length === 0 ? `does not belong to a Destination of type ${publishing.type}` : urlIssue(value, schemes);
    if (message !== undefined)
      issues.push({ field: `settings.${field}`, code: 'invalid_url', message, allowed: schemes });
    else if (/^rtmps?:/iu.test(value)) issues.push(...tooLong(field, value, publishing.settings.stream_key));
  }
  const masked = maskIssue(publishing.settings.stream_key);
  if (masked !== undefined) issues.push({ field: 'settings.stream_key', code: 'masked', message: masked });
  if (publishing.settings.remotefolder !== null && publishing.type !== 'Record') {
    const message = `does not belong to a Destination of type ${publishing.type}; only Record is backed up`;
    issues.push({ field: 'settings.remotefolder', code: 'unknown_field', message });
  }
  if (publishing.settings.srt.encryption !== 0 && publishing.settings.srt.passphrase === null) {
    issues.push({ field: 'settings.srt.passphrase', code: 'required', message: 'is required with encryption' });
  }
  return issues;
}

function tooLong(field: string, address: string, streamKey: string | null): FieldIssue[] {
  const message = rtmpLengthIssue(address, streamKey);
  return message === undefined ? [] : [{ field: `settings.${field}`, code: 'too_long', message, max: MOST_RTMP_BYTES }];
}

export function presentPublishing(row: Publishing): z.infer<typeof publishingOutput> {
  const { stream_key, password, srt, url: target, backup_url, ...settings } = row.settings;
  const { passphrase, ...srtRest } = srt;
  return {
    ...row,
    access: row.access ?? 'public',
    drm: row.drm === null ? null : { ...row.drm, encryption_mode: encryptionMode(row.drm) },
    settings: {
      ...settings,
      url: target === null ? null : maskDeliveryUrl(target),
      backup_url: backup_url === null ? null : maskDeliveryUrl(backup_url),
      stream_key: stream_key === null ? null : maskSecret(stream_key),
      has_password: password !== null,
      srt: { ...srtRest, has_passphrase: passphrase !== null },
    },
  };
}
