import { z } from 'zod/v3';
import { urlIssue } from '../sources/channel.ts';
import { isBucket } from '../../network/bucket-address.ts';
import { addressIssue, streamIdIssue } from '../../network/delivery-address.ts';
import { drmBlock, encryptionMode, type DrmBlock } from './drm.ts';
import type { FieldIssue } from '../../base/errors.ts';
import { DEFAULT_RIST, isRist, presentRist, ristSecretIssues, ristTargetIssue } from '../../network/rist.ts';
import { addressPassphrase, passphraseIssues, srtKeyBits, srtSecrecy } from '../../network/srt.ts';
import type { TemplateId } from '../encodings/preset-ids.ts';
import { templateField } from '../encodings/preset.ts';
import { MAX_RTMP_BYTES, rtmpKeyIssue, rtmpLengthIssue } from '../../network/rtmp-address.ts';
import {
  controlIssue,
  descriptionField,
  idField,
  maskDeliveryUrl,
  maskIssue,
  maskSecret,
  nameField,
  stampFields,
} from '../../base/schema.ts';
import { ownsSetting } from '../../types/destination-questions.ts';
import { type PublishingSettings, settingsIn, settingsOut } from '../../types/destination-settings.ts';
import { DESTINATION_ROWS, PUBLISHING_TYPES } from '../../types/destination-types.ts';

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
  drm: drmBlock.nullable().default(null).describe('Encryption; null = clear.'),
  retry: retry.default({}).describe('Retry budget.'),
  primary_enabled: z.boolean().default(true).describe('Primary path delivers.'),
  backup_enabled: z.boolean().default(false).describe('Backup path delivers.'),
  asset_id: z.string().max(255).nullable().default(null).describe('Id elsewhere.'),
  access: z.enum(['public', 'token']).default('public').describe('token: see createPlaybackLink.'),
  template: templateField,
};

export const publishingCreate = { ...common, settings: settingsIn.default({}).describe('Settings of the type.') };
export const publishingOutput = z
  .object({ ...stampFields, ...common, settings: settingsOut })
  .strict()
  .describe('Publishing: a Destination.');
export type Publishing = Omit<z.infer<typeof publishingOutput>, 'settings' | 'drm' | 'access' | 'template'> & {
  settings: PublishingSettings;
  drm: DrmBlock | null;
  /** Left out in rows of earlier versions, which are public. */
  access?: 'public' | 'token';
  /** Left out in rows of earlier versions. */
  template?: TemplateId | null;
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

/** True when a Destination of this kind has a backup path at all. */
export function hasBackupPath(publishing: Pick<Publishing, 'settings'>): boolean {
  return publishing.settings.backup_url !== null;
}

/** True when a Destination of this kind can have one path only, because it is kept or served where it is made. */
export function isSinglePath({ type, settings }: Pick<Publishing, 'type' | 'settings'>): boolean {
  return !DESTINATION_ROWS[type].needsUrl && settings.url === null && settings.backup_url === null;
}

/** Finds, by field, what no attempt can deliver, also in a row of an earlier version. */
export function deliveryIssues(publishing: Pick<Publishing, 'type' | 'settings'>): FieldIssue[] {
  const { type, settings } = publishing;
  const issues = publishingIssues(publishing);
  if (!DESTINATION_ROWS[type].needsUrl || ownsSetting(type, 'username')) return issues;
  for (const field of ['username', 'password'] as const) {
    const message = `is not supported by a Destination of type ${type}; use a stream key or a passphrase`;
    if (settings[field]) issues.push({ field: `settings.${field}`, code: 'unsupported', message });
  }
  return issues;
}

/** Finds, by field, what no attempt can deliver. */
export function publishingIssues({ type, settings }: Pick<Publishing, 'type' | 'settings'>): FieldIssue[] {
  const issues: FieldIssue[] = [];
  const add = (field: string, code: string, message: string, limits: object = {}): void => {
    issues.push({ field: `settings.${field}`, code, message, ...limits });
  };
  const { schemes, needsUrl, key: keyForm } = DESTINATION_ROWS[type];
  const isRtmp = keyForm === 'path';
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
        : (urlIssue(value, schemes) ?? addressIssue(value) ?? ristIssueOf(value, settings));
    if (message !== undefined) add(field, 'invalid_url', message, { allowed: schemes });
    const tooLong = message === undefined && isRtmp ? rtmpLengthIssue(value, settings.stream_key) : undefined;
    if (tooLong !== undefined) add(field, 'too_long', tooLong, { max: MAX_RTMP_BYTES });
  }
  const { username, password } = settings;
  if (isRtmp && Boolean(username) !== Boolean(password)) {
    const [field, other] = password ? ['username', 'password'] : ['password', 'username'];
    add(field!, 'required', `is required with ${other}; send both, or null for both`);
  }
  issues.push(...bucketKeyIssues(settings));
  // An origin that is pushed to holds no requests, and has whole segments alone.
  if (settings.low_latency && !needsUrl && (settings.url !== null || settings.backup_url !== null))
    add(
      'low_latency',
      'incompatible',
      'is for what the Device serves itself; send false, or null for url and backup_url',
    );
  const { stream_key: key, srt } = settings;
  const masked = maskIssue(key);
  if (masked !== undefined) add('stream_key', 'masked', masked);
  const control = controlIssue(key ?? '');
  const tooLong =
    key === null ? undefined : isRtmp ? rtmpKeyIssue(key) : keyForm === 'streamid' ? streamIdIssue(key) : undefined;
  if (control !== undefined) add('stream_key', 'invalid_format', control);
  else if (tooLong !== undefined) add('stream_key', 'too_long', tooLong);
  issues.push(...ristIssues({ type, settings }), ...srtStreamIdIssues({ type, settings }));
  if (srt.passphrase !== null) issues.push(...passphraseIssues(srt.passphrase, 'settings.srt.passphrase'));
  else if (srt.encryption && !isInEachAddress({ type, settings })) {
    const message = `is required with encryption ${srt.encryption}; send one, or encryption 0 for none`;
    add('srt.passphrase', 'required', message);
  }
  return issues;
}

/** A bucket takes signed requests alone, and a key without a bucket would be of no use. */
function bucketKeyIssues(settings: PublishingSettings): FieldIssue[] {
  const hasBucket = [settings.url, settings.backup_url].some((url) => url !== null && isBucket(url));
  return (['access_key', 'secret_key'] as const).flatMap((name) => {
    const field = `settings.${name}`;
    const isSet = settings[name] != null;
    if (hasBucket === isSet) return [];
    return hasBucket
      ? [{ field, code: 'required', message: 'is required with an s3:// address, whose requests it signs' }]
      : [{ field, code: 'incompatible', message: 'is for an s3:// address; send null, or such a url' }];
  });
}

function ristIssueOf(address: string, { rist }: PublishingSettings): string | undefined {
  return isRist(address) ? ristTargetIssue(address, rist ?? DEFAULT_RIST) : undefined;
}

function ristIssues({ type, settings }: Pick<Publishing, 'type' | 'settings'>): FieldIssue[] {
  const { rist } = settings;
  // Rows of earlier versions lack it.
  if (rist == null || !ownsSetting(type, 'rist')) return [];
  if (usesRist(settings)) return ristSecretIssues(rist, 'settings.rist.secret');
  const message = 'belongs to addresses with rist://; send null';
  return [{ field: 'settings.rist', code: 'unknown_field', message }];
}

/** True when a path of the Destination is delivered by RIST. */
export function usesRist({ url, backup_url }: Pick<PublishingSettings, 'url' | 'backup_url'>): boolean {
  return isRist(url) || isRist(backup_url);
}

function srtStreamIdIssues(publishing: Pick<Publishing, 'type' | 'settings'>): FieldIssue[] {
  const { srt, stream_key: key } = publishing.settings;
  if (srt.streamid == null) return [];
  const issue = (code: string, message: string): FieldIssue[] => [{ field: 'settings.srt.streamid', code, message }];
  const masked = maskIssue(srt.streamid);
  if (masked !== undefined) return issue('masked', masked);
  if (srt.streamid.trim() === '') return issue('too_short', 'must not be blank; send null for none');
  const unfit = streamIdIssue(srt.streamid);
  if (unfit !== undefined) return issue('invalid_format', unfit);
  if (key)
    return issue('incompatible', 'and settings.stream_key are the same for SRT; send one of them, the other as null');
  const isInAddress = srtAddresses(publishing).some((address) => new URL(address).searchParams.has('streamid'));
  return isInAddress
    ? issue('incompatible', 'is also in the URL (?streamid=); take it out of the URL, or send null here')
    : [];
}

/** Addresses of its SRT paths; those that are no URL, which a row of an earlier version may hold, are left out. */
export function srtAddresses({ type, settings }: Pick<Publishing, 'type' | 'settings'>): string[] {
  const addresses = ownsSetting(type, 'srt') ? [settings.url, settings.backup_url] : [];
  return addresses.filter((address): address is string => address !== null && URL.canParse(address));
}

function isInEachAddress(publishing: Pick<Publishing, 'type' | 'settings'>): boolean {
  const addresses = srtAddresses(publishing);
  return addresses.length > 0 && addresses.every((address) => addressPassphrase(address) !== '');
}

/** Whether any path has a passphrase, and the AES bits that each of them has at least. */
function srtInForce(
  publishing: Pick<Publishing, 'type' | 'settings'>,
): Pick<z.infer<typeof settingsOut>['srt'], 'encryption' | 'has_passphrase'> {
  const { srt } = publishing.settings;
  const paths = srtAddresses(publishing).map((address) => srtSecrecy(srt, address));
  if (paths.length === 0) return { encryption: srtKeyBits(srt), has_passphrase: srt.passphrase !== null };
  const weakest = paths.reduce((one, other) => (other.keyBits < one.keyBits ? other : one));
  return { encryption: weakest.keyBits, has_passphrase: paths.some(({ passphrase }) => passphrase !== '') };
}

function presentDrm(drm: DrmBlock): NonNullable<z.infer<typeof publishingOutput>['drm']> {
  return { ...drm, encryption_mode: encryptionMode(drm), rotation_minutes: drm.rotation_minutes ?? null };
}

export function presentPublishing(row: Publishing): z.infer<typeof publishingOutput> {
  const {
    stream_key,
    password,
    access_key,
    secret_key,
    srt,
    rist,
    url: target,
    backup_url,
    ...settings
  } = row.settings;
  const { passphrase: _passphrase, streamid, ...srtRest } = srt;
  return {
    ...row,
    access: row.access ?? 'public',
    template: row.template ?? null,
    drm: row.drm === null ? null : presentDrm(row.drm),
    settings: {
      ...settings,
      url: target === null ? null : maskDeliveryUrl(target),
      backup_url: backup_url === null ? null : maskDeliveryUrl(backup_url),
      // Rows of earlier versions may hold empty ones.
      stream_key: stream_key ? maskSecret(stream_key) : null,
      has_password: Boolean(password),
      ...(access_key != null && { has_access_key: true }),
      ...(secret_key != null && { has_secret_key: true }),
      rist: rist == null ? null : presentRist(rist),
      srt: { ...srtRest, ...(streamid != null && { streamid: maskSecret(streamid) }), ...srtInForce(row) },
    },
  };
}
