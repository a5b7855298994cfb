import { z } from 'zod/v3';
import { urlIssue } from './channel.ts';
import { addressIssue, streamIdIssue } from './delivery-address.ts';
import { drmBlock, encryptionMode } from './drm.ts';
import type { FieldIssue } from './errors.ts';
import { srtEncryption, srtKeyBits } from './srt.ts';
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
    passphrase: secretField(10, 79).nullable().default(null).describe('Write-only.'),
    encryption: srtEncryption.optional(),
  })
  .strict();
const srtOut = srtIn
  .omit({ passphrase: true })
  .extend({ encryption: srtEncryption, has_passphrase: z.boolean().describe('Whether a passphrase is stored.') })
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
    srt: srtOut,
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
  access: z.enum(['public', 'token']).default('public').describe('token: see createPlaybackLink.'),
};

export const publishingCreate = { ...common, settings: settingsIn.default({}).describe('Settings of the type.') };
export const publishingOutput = z
  .object({ ...stampFields, ...common, settings: settingsOut })
  .strict()
  .describe('Publishing: a Destination.');
export type PublishingSettings = z.infer<typeof settingsIn>;
/** As they are when nothing of them is sent. */
export const DEFAULT_SETTINGS: Readonly<PublishingSettings> = settingsIn.parse({});
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

/** Of a row that was stored by an earlier version as well: what no attempt can deliver, by its field. */
export function deliveryIssues(publishing: Pick<Publishing, 'type' | 'settings'>): FieldIssue[] {
  const { type, settings } = publishing;
  const issues = publishingIssues(publishing);
  if (!DELIVERY[type].needsUrl) return issues;
  for (const field of ['username', 'password'] as const) {
    const message = `is not supported by a Destination of type ${type}; use a stream key or a passphrase`;
    if (settings[field]) issues.push({ field: `settings.${field}`, code: 'unsupported', message });
  }
  return issues;
}

/** What no attempt can deliver, by its field. */
export function publishingIssues({ type, settings }: Pick<Publishing, 'type' | 'settings'>): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const add = (field: string, code: string, message: string, limits: object = {}): void => {
    issues.push({ field: `settings.${field}`, code, message, ...limits });
  };
  const { schemes, needsUrl } = DELIVERY[type];
  for (const field of ['url', 'backup_url'] as const) {
    const value = settings[field];
    if (value === null) {
      if (field === 'url' && needsUrl)
        add('url', 'required', `is required for a Destination of type ${type}`, { allowed: schemes });
      continue;
    }
    const message =
      schemes.length === 0
        ? `does not belong to a Destination of type ${type}`
        : (urlIssue(value, schemes) ?? addressIssue(value));
    if (message !== undefined) add(field, 'invalid_url', message, { allowed: schemes });
    else if (/^rtmps?:/iu.test(value)) issues.push(...rtmpLengthIssues(field, value, settings.stream_key));
  }
  const { stream_key: key, srt } = settings;
  const masked = maskIssue(key);
  if (masked !== undefined) add('stream_key', 'masked', masked);
  const tooLong = type === 'SRT' && key !== null ? streamIdIssue(key) : undefined;
  if (tooLong !== undefined) add('stream_key', 'too_long', tooLong);
  for (const [field, secret] of Object.entries({ stream_key: key, 'srt.passphrase': srt.passphrase }))
    if (/[\n\r\0]/u.test(secret ?? '')) add(field, 'invalid_format', 'must not contain line breaks');
  if (srt.encryption && srt.passphrase === null) {
    const message = `is required with encryption ${srt.encryption}`;
    add('srt.passphrase', 'required', message);
  }
  return issues;
}

function rtmpLengthIssues(field: string, address: string, streamKey: string | null): FieldIssue[] {
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
      // Rows of earlier versions may hold empty ones.
      stream_key: stream_key ? maskSecret(stream_key) : null,
      has_password: Boolean(password),
      srt: { ...srtRest, encryption: srtKeyBits(srt), has_passphrase: passphrase !== null },
    },
  };
}
