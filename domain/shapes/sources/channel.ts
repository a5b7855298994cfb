import { z } from 'zod/v3';
import { MAX_STREAM_ID_BYTES, portIssue, streamIdIssue } from '../../network/delivery-address.ts';
import type { FieldIssue } from '../../base/errors.ts';
import { ingestOutput, isPushed } from './ingest.ts';
import { isNetwork } from '../../network/networks.ts';
import { passphraseIssues, srtEncryption, srtKeyBits, srtPassphrase } from '../../network/srt.ts';
import {
  descriptionField,
  maskIssue,
  maskSecret,
  maskUrl,
  nameField,
  reference,
  secretField,
  stampFields,
} from '../../base/schema.ts';

export const CHANNEL_TYPES = [
  'File',
  'SDI',
  'Stream',
  'AES/EBU',
  'RTMP-Push',
  'UDP-R Cloud',
  'SRT',
  'SRT Cloud',
  'NDI',
  'VideoSite Live',
] as const;
export type ChannelType = (typeof CHANNEL_TYPES)[number];

const port = z.number().int().min(1).max(65535);

/** One flat object for all ten types; CHANNEL_SETTINGS says which fields a type needs and may carry. */
const settings = z
  .object({
    url: z.string().min(1).max(2048).describe('Stream: http(s), rtmp(s), rtsp(s), udp, rtp.'),
    transport: z.enum(['auto', 'tcp', 'udp']).describe('RTSP (auto: TCP, else UDP).'),
    program: z.number().int().min(0).max(65535).describe('Stream: MPEG-TS program (default: first).'),
    audiotrack: z.number().int().min(0).max(63).describe('Stream: audio track from 0 (default: first).'),
    filename: z.string().min(1).max(255).describe('File: Asset in the bucket files.'),
    loop: z.boolean().describe('File: repeat (default true).'),
    mode: z.enum(['caller', 'listener']).describe('SRT (default caller).'),
    host: z.string().min(1).max(255).describe('SRT: to call, or to listen on.'),
    port: port.describe('UDP or TCP; cloud default 20000 + id.'),
    streamid: z
      .string()
      .min(1)
      .max(MAX_STREAM_ID_BYTES)
      .describe('SRT. A listener lets in nobody else. Answered masked.'),
    latency_ms: z.number().int().min(20).max(8000).describe('SRT: ms (default 200).'),
    passphrase: srtPassphrase.describe('SRT. Write-only.'),
    encryption: srtEncryption,
    app: z
      .string()
      .max(64)
      .regex(/^[\w-]{1,64}$/u, 'letters, digits, _ and - only')
      .describe('RTMP-Push: application name.'),
    stream_key: secretField(1, 255).describe('RTMP-Push: key; left out: made here. Answered masked.'),
    allowed_senders: z
      .array(z.string().min(1).max(49))
      .max(32)
      .describe('RTMP-Push, SRT listener: networks (CIDR) that may send; left out: all.'),
    cloudAccountId: reference('Cloud account').describe('Cloud types: Cloud account.'),
    deviceId: reference('Device').describe('SDI, AES/EBU: Device.'),
    input: z.number().int().min(0).max(63).describe('SDI, AES/EBU: input, from 0.'),
    source_name: z.string().min(1).max(255).describe('NDI: name as announced, HOST (name).'),
    discovery: z.enum(['auto', 'typed']).describe('NDI: default auto.'),
    video_id: z
      .string()
      .max(11)
      .regex(/^[\w-]{11}$/u, 'must be 11 characters')
      .describe('VideoSite Live: id.'),
    has_passphrase: z.boolean().describe('Answered in place of the passphrase.'),
  })
  .partial()
  .strict();
export type ChannelSettings = Omit<z.infer<typeof settings>, 'has_passphrase'>;

const writable = {
  name: nameField,
  alias: z.string().max(100).nullable().default(null).describe('Short label.'),
  description: descriptionField.nullable().default(null),
  type: z.enum(CHANNEL_TYPES).describe('Kind of source.'),
  settings: clearable(settings.omit({ has_passphrase: true })).describe('Those of the type alone.'),
  enabled: z.boolean().default(true).describe('false: not listened for, and cannot be started.'),
  deviceId: reference('Device')
    .nullable()
    .default(null)
    .describe('RTMP-Push, SRT listener: Device that listens (default: this machine).'),
};

/** Fields without a default: null clears them. Stored rows hold no null (completeSettings). */
function clearable<S extends z.ZodRawShape>(object: z.ZodObject<S, 'strict'>): z.ZodObject<S, 'strict'> {
  const fields = ['transport', 'program', 'audiotrack', 'streamid', 'passphrase', 'port', 'allowed_senders'].map(
    (name) => {
      const field = object.shape[name] as z.ZodOptional<z.ZodTypeAny>;
      return [name, field.unwrap().nullable().optional()];
    },
  );
  return object.extend(Object.fromEntries(fields) as S).strict() as unknown as z.ZodObject<S, 'strict'>;
}

export const channelCreate = writable;
export const channelOutput = z
  .object({
    ...stampFields,
    ...writable,
    settings,
    ingest: ingestOutput.nullable().describe('State of the listener; null for other types.'),
  })
  .strict()
  .describe('Channel: a source.');
export type Channel = Omit<z.infer<typeof channelOutput>, 'settings' | 'ingest'> & { settings: ChannelSettings };

interface SettingsRule {
  required: readonly (keyof ChannelSettings)[];
  optional: readonly (keyof ChannelSettings)[];
  defaults: ChannelSettings;
}

export const CHANNEL_SETTINGS: Record<ChannelType, SettingsRule> = {
  File: { required: ['filename'], optional: ['loop'], defaults: { loop: true } },
  Stream: { required: ['url'], optional: ['transport', 'program', 'audiotrack'], defaults: {} },
  SRT: {
    required: ['host', 'port'],
    optional: ['mode', 'streamid', 'latency_ms', 'passphrase', 'encryption', 'allowed_senders'],
    defaults: { mode: 'caller', latency_ms: 200 },
  },
  'RTMP-Push': { required: ['app', 'stream_key'], optional: ['port', 'allowed_senders'], defaults: {} },
  'UDP-R Cloud': { required: ['cloudAccountId'], optional: ['port'], defaults: {} },
  'SRT Cloud': {
    required: ['cloudAccountId'],
    optional: ['port', 'latency_ms', 'passphrase', 'encryption'],
    defaults: { latency_ms: 200 },
  },
  SDI: { required: ['deviceId', 'input'], optional: [], defaults: {} },
  'AES/EBU': { required: ['deviceId', 'input'], optional: [], defaults: {} },
  NDI: { required: [], optional: ['source_name', 'discovery'], defaults: { discovery: 'auto' } },
  'VideoSite Live': { required: ['video_id'], optional: [], defaults: {} },
};

/** Port on which the cloud platform receives the source of a Channel that names none. */
export function defaultIngestPort(channelId: number): number {
  return 20_000 + (channelId % 10_000);
}

export const STREAM_SCHEMES = ['http', 'https', 'rtmp', 'rtmps', 'rtsp', 'rtsps', 'udp', 'rtp'] as const;

/** Fills the defaults of the type; null clears. Fields that the type does not know stay, and channelIssues names them. */
export function completeSettings(type: ChannelType, settings: ChannelSettings): ChannelSettings {
  const set = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null));
  return { ...CHANNEL_SETTINGS[type].defaults, ...set };
}

/** Checks the settings against the type and answers every finding, not the first alone. */
export function channelIssues(
  channel: Pick<Channel, 'type' | 'settings'> & { deviceId?: number | null },
): FieldIssue[] {
  const { type, settings } = channel;
  const rule = CHANNEL_SETTINGS[type];
  const issues: FieldIssue[] = [];
  const add = (field: string, code: string, message: string, limits: object = {}): void => {
    issues.push({ field: `settings.${field}`, code, message, ...limits });
  };
  const isListener = isPushed(channel);
  for (const field of rule.required) {
    // A listener binds where the Device's media port does.
    if (settings[field] === undefined && !(isListener && field === 'host'))
      add(field, 'required', `is required for a Channel of type ${type}`);
  }
  const allowedFields = [...rule.required, ...rule.optional];
  for (const field of Object.keys(settings)) {
    if (!allowedFields.includes(field as keyof ChannelSettings)) {
      add(field, 'unknown_field', `does not belong to a Channel of type ${type}`, { allowed: allowedFields });
    }
  }
  if (type === 'Stream' && settings.url !== undefined) {
    const message = sourceUrlIssue(settings.url);
    if (message !== undefined) add('url', 'invalid_url', message, { allowed: STREAM_SCHEMES });
  }
  if (type === 'Stream' && settings.transport !== undefined && !/^rtsps?:/iu.test(settings.url ?? ''))
    add('transport', 'unknown_field', 'belongs to sources with rtsp:// or rtsps://; send null');
  if (settings.host !== undefined && !isHost(settings.host))
    add('host', 'invalid_host', 'is neither a host name nor an IP address');
  const masked = maskIssue(settings.stream_key);
  if (masked !== undefined) add('stream_key', 'masked', masked);
  if (settings.stream_key?.trim() === '') add('stream_key', 'too_short', 'must not be blank', { min: 1 });
  if (type === 'SRT' && settings.streamid !== undefined) issues.push(...streamIdIssues(settings.streamid));
  if (settings.allowed_senders !== undefined) {
    if (!isListener)
      add('allowed_senders', 'unknown_field', 'belongs to sources that are pushed: RTMP-Push, SRT in mode listener');
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
  if (type === 'NDI' && settings.discovery === 'typed' && settings.source_name === undefined) {
    add('source_name', 'required', 'is required when discovery is typed');
  }
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

function streamIdIssues(streamId: string): FieldIssue[] {
  const issue = (code: string, message: string): FieldIssue[] => [{ field: 'settings.streamid', code, message }];
  const masked = maskIssue(streamId);
  if (masked !== undefined) return issue('masked', masked);
  if (streamId.trim() === '') return issue('too_short', 'must not be blank; send null for none');
  const unfit = streamIdIssue(streamId);
  return unfit === undefined ? [] : issue('invalid_format', unfit);
}

/** True for sources that come by SRT, from a peer or through the cloud platform. */
export function isSrt(type: ChannelType): boolean {
  return CHANNEL_SETTINGS[type].optional.includes('encryption');
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

/** Answers why a Stream cannot be pulled from the URL, or undefined. */
function sourceUrlIssue(url: string): string | undefined {
  return urlIssue(url, STREAM_SCHEMES) ?? portIssue(new URL(url));
}

/** The row as callers see it, with secrets masked or replaced by `has_…`. */
export function presentChannel(row: Channel): z.infer<typeof channelOutput> {
  const { passphrase, stream_key, streamid, url, ...rest } = row.settings;
  return {
    ...row,
    ingest: null,
    settings: {
      ...rest,
      ...(url !== undefined && { url: maskUrl(url) }),
      ...(stream_key !== undefined && { stream_key: maskSecret(stream_key) }),
      ...(streamid !== undefined && { streamid: maskSecret(streamid) }),
      ...(isSrt(row.type) && { encryption: srtKeyBits(row.settings), has_passphrase: passphrase !== undefined }),
    },
  };
}
