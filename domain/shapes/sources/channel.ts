import { z } from 'zod/v3';
import { portIssue, streamIdIssue } from '../../network/delivery-address.ts';
import type { FieldIssue } from '../../base/errors.ts';
import { channelIngestOutput } from './ingest.ts';
import { isNetwork } from '../../network/networks.ts';
import {
  DEFAULT_RIST,
  isRist,
  presentRist,
  ristSecretIssues,
  ristSourceIssue,
  withRistHost,
} from '../../network/rist.ts';
import { passphraseIssues, srtKeyBits } from '../../network/srt.ts';
import {
  descriptionField,
  maskIssue,
  maskSecret,
  maskUrl,
  nameField,
  reference,
  stampFields,
} from '../../base/schema.ts';
import { hasSetting, isPushed, isSrt, PUSHED_NAMES, settingsOf } from '../../types/channel-questions.ts';
import { type ChannelSettings, MAX_CHANNELS, sentSettings, shownSettings } from '../../types/channel-settings.ts';
import { CHANNEL_ROWS, CHANNEL_TYPES, type ChannelType } from '../../types/channel-types.ts';

/** Mono, stereo, 5.1 and 7.1. */
const GROUP_SIZES = [1, 2, 6, 8];

const writable = {
  name: nameField,
  alias: z.string().max(100).nullable().default(null).describe('Short label.'),
  description: descriptionField.nullable().default(null),
  type: z.enum(CHANNEL_TYPES).describe('Kind of source.'),
  settings: sentSettings.describe('Those of the type alone.'),
  enabled: z.boolean().default(true).describe('false: not listened for, and cannot be started.'),
  deviceId: reference('Device')
    .nullable()
    .default(null)
    .describe('RTMP-Push, SRT listener: Device that listens (default: this machine).'),
};

export const channelCreate = writable;
export const channelOutput = z
  .object({
    ...stampFields,
    ...writable,
    settings: shownSettings,
    ingest: channelIngestOutput.nullable().describe('State of the listener; null for other types.'),
  })
  .strict()
  .describe('Channel: a source.');
export type Channel = Omit<z.infer<typeof channelOutput>, 'settings' | 'ingest'> & { settings: ChannelSettings };

/** Port on which the cloud platform receives the source of a Channel that names none. */
export function defaultIngestPort(channelId: number): number {
  return 20_000 + (channelId % 10_000);
}

/** Fills the defaults of the type; null clears. Fields that the type does not know stay, and channelIssues names them. */
export function completeSettings(type: ChannelType, settings: ChannelSettings): ChannelSettings {
  const set = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null));
  const complete: ChannelSettings = { ...CHANNEL_ROWS[type].defaults, ...set };
  const { url } = complete;
  if (!hasSetting(type, 'rist') || !isRist(url)) return complete;
  return { ...complete, url: withRistHost(url!), rist: complete.rist ?? DEFAULT_RIST };
}

/** Checks the settings against the type and answers every finding, not the first alone. */
export function channelIssues(
  channel: Pick<Channel, 'type' | 'settings'> & { deviceId?: number | null },
): FieldIssue[] {
  const { type, settings } = channel;
  const { required, schemes } = CHANNEL_ROWS[type];
  const issues: FieldIssue[] = [];
  const add = (field: string, code: string, message: string, limits: object = {}): void => {
    issues.push({ field: `settings.${field}`, code, message, ...limits });
  };
  const isListener = isPushed(channel);
  for (const field of required) {
    // A listener binds where the Device's media port does.
    if (settings[field] === undefined && !(isListener && field === 'host'))
      add(field, 'required', `is required for a Channel of type ${type}`);
  }
  const allowedFields = settingsOf(type);
  for (const field of Object.keys(settings)) {
    if (!hasSetting(type, field as keyof ChannelSettings)) {
      add(field, 'unknown_field', `does not belong to a Channel of type ${type}`, { allowed: allowedFields });
    }
  }
  if (hasSetting(type, 'url') && settings.url !== undefined) {
    const message = urlIssue(settings.url, schemes) ?? sourceAddressIssue(settings);
    if (message !== undefined) add('url', 'invalid_url', message, { allowed: schemes });
  }
  if (hasSetting(type, 'transport') && settings.transport !== undefined && !/^rtsps?:/iu.test(settings.url ?? ''))
    add('transport', 'unknown_field', 'belongs to sources with rtsp:// or rtsps://; send null');
  issues.push(...ristFieldIssues(type, settings));
  if (settings.host !== undefined && !isHost(settings.host))
    add('host', 'invalid_host', 'is neither a host name nor an IP address');
  const masked = maskIssue(settings.stream_key);
  if (masked !== undefined) add('stream_key', 'masked', masked);
  if (settings.stream_key?.trim() === '') add('stream_key', 'too_short', 'must not be blank', { min: 1 });
  if (hasSetting(type, 'streamid') && settings.streamid !== undefined)
    issues.push(...streamIdIssues(settings.streamid));
  if (settings.allowed_senders !== undefined) {
    if (!isListener)
      add('allowed_senders', 'unknown_field', `belongs to sources that are pushed: ${PUSHED_NAMES.join(', ')}`);
    for (const [at, network] of settings.allowed_senders.entries())
      if (!isNetwork(network))
        add(`allowed_senders.${at}`, 'invalid_format', 'must be an address or a network such as 10.0.0.0/8');
  }
  if (channel.deviceId != null && !isListener)
    issues.push({
      field: 'deviceId',
      code: 'unknown_field',
      message: `belongs to sources that are pushed, not to ${type}; send null`,
    });
  if (hasSetting(type, 'discovery') && settings.discovery === 'typed' && settings.source_name === undefined) {
    add('source_name', 'required', 'is required when discovery is typed');
  }
  issues.push(...ndiHostIssues(type, settings), ...groupIssues(type, settings));
  if (settings.encryption !== undefined && settings.encryption !== 0 && settings.passphrase === undefined) {
    add(
      'passphrase',
      'required',
      `is required with encryption ${settings.encryption}; send one, or encryption 0 for none`,
    );
  }
  if (settings.passphrase !== undefined) issues.push(...passphraseIssues(settings.passphrase, 'settings.passphrase'));
  return issues;
}

function ndiHostIssues(type: ChannelType, { ndi_hosts: hosts = [] }: ChannelSettings): FieldIssue[] {
  if (!hasSetting(type, 'ndi_hosts')) return [];
  const message = 'is neither a host name nor an IP address';
  return hosts.flatMap((host, at) =>
    isHost(host) ? [] : [{ field: `settings.ndi_hosts.${at}`, code: 'invalid_host', message }],
  );
}

function groupIssues(type: ChannelType, { audio_groups: groups }: ChannelSettings): FieldIssue[] {
  if (groups === undefined || !hasSetting(type, 'audio_groups')) return [];
  const field = 'settings.audio_groups';
  if (groups.length === 0) return [{ field, code: 'too_small', message: 'has no group; send null for pairs' }];
  const odd = groups.findIndex((size) => !GROUP_SIZES.includes(size));
  if (odd >= 0) {
    const message = `a track has ${GROUP_SIZES.join(', ')} channels, not ${groups[odd]}`;
    return [{ field: `${field}.${odd}`, code: 'invalid_value', message, allowed: GROUP_SIZES }];
  }
  const channels = groups.reduce((sum, size) => sum + size, 0);
  const message = `has ${channels} channels; all groups together have at most ${MAX_CHANNELS}`;
  return channels <= MAX_CHANNELS ? [] : [{ field, code: 'too_large', message, max: MAX_CHANNELS }];
}

function sourceAddressIssue({ url, rist }: ChannelSettings): string | undefined {
  return portIssue(new URL(url!)) ?? (isRist(url) ? ristSourceIssue(url!, rist ?? DEFAULT_RIST) : undefined);
}

/** Finds settings of RIST that do not fit the others. */
function ristFieldIssues(type: ChannelType, { url, rist, recovery, secret, ...others }: ChannelSettings): FieldIssue[] {
  if (rist !== undefined && hasSetting(type, 'rist')) {
    if (isRist(url)) return ristSecretIssues(rist, 'settings.rist.secret');
    const message = 'belongs to sources with rist://; send null';
    return [{ field: 'settings.rist', code: 'unknown_field', message }];
  }
  if (!hasSetting(type, 'recovery')) return [];
  if (recovery !== false) return ristSecretIssues({ profile: 'main', secret: secret ?? null }, 'settings.secret');
  const given = { secret, buffer_ms: others.buffer_ms, key_bits: others.key_bits };
  return Object.entries(given).flatMap(([field, value]) => {
    const message = 'belongs to RIST, and recovery is false: plain UDP has none of it; send null';
    return value === undefined ? [] : [{ field: `settings.${field}`, code: 'incompatible', message }];
  });
}

function streamIdIssues(streamId: string): FieldIssue[] {
  const issue = (code: string, message: string): FieldIssue[] => [{ field: 'settings.streamid', code, message }];
  const masked = maskIssue(streamId);
  if (masked !== undefined) return issue('masked', masked);
  if (streamId.trim() === '') return issue('too_short', 'must not be blank; send null for none');
  const unfit = streamIdIssue(streamId);
  return unfit === undefined ? [] : issue('invalid_format', unfit);
}

/** True for text that may stand between the slashes and the port of an address, so nothing that begins a path, a query or a user name. */
function isHost(host: string): boolean {
  return /^(?:[\w.-]+|\[?[\da-f:.]*:[\da-f:.]*(?:%[\w.-]+)?\]?)$/iu.test(host);
}

/** Answers why a URL cannot be used, or undefined. `schemes` come without the colon. */
export function urlIssue(url: string, schemes: readonly string[]): string | undefined {
  const masked = maskIssue(url);
  if (masked !== undefined) return masked;
  if (/[\s\u0000-\u001f]/u.test(url)) return 'must not contain spaces or control characters';
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    // The answer is the finding about the text.
    return 'is not a URL';
  }
  if (!schemes.includes(parsed.protocol.slice(0, -1)))
    return `must begin with ${schemes.map((s) => `${s}://`).join(', ')}`;
  if (parsed.hostname === '') return 'names no host';
  return undefined;
}

/** The row as callers see it, with secrets masked or replaced by `has_…`. */
export function presentChannel(row: Channel): z.infer<typeof channelOutput> {
  const { passphrase, stream_key, streamid, url, rist, secret, ...rest } = row.settings;
  return {
    ...row,
    ingest: null,
    settings: {
      ...rest,
      ...(url !== undefined && { url: maskUrl(url) }),
      ...(stream_key !== undefined && { stream_key: maskSecret(stream_key) }),
      ...(streamid !== undefined && { streamid: maskSecret(streamid) }),
      ...(rist !== undefined && { rist: presentRist(rist) }),
      ...(hasSetting(row.type, 'secret') && { has_secret: secret !== undefined }),
      ...(isSrt(row.type) && { encryption: srtKeyBits(row.settings), has_passphrase: passphrase !== undefined }),
    },
  };
}
