import { z } from 'zod/v3';
import type { FieldIssue } from '../../base/errors.ts';
import { maskUrl, nameField, secretField, stampFields } from '../../base/schema.ts';
import { certificatePem, deliveryKeyField, newDeliveryKey } from './delivery-key.ts';
import { serviceUrlIssue } from '../sources/service-url.ts';
import { validationFields, type Validation } from '../../base/validation.ts';

/** SPEKE: a CPIX key server spoken to by SPEKE v2. STATIC: keys that this service holds, for tests and ClearKey. */
export const PROVIDER_TYPES = ['SPEKE', 'STATIC'] as const;
export const SUPPORTED_SYSTEMS = ['WIDEVINE', 'PLAYREADY', 'FAIRPLAY'] as const;
export type DrmSystem = (typeof SUPPORTED_SYSTEMS)[number];
/** Tracks that a content key encrypts: one key for all tracks, or one for each kind. */
export const KEY_TRACKS = ['ALL', 'VIDEO', 'AUDIO'] as const;
export type KeyTrack = (typeof KEY_TRACKS)[number];

const hex16 = z
  .string()
  .max(32)
  .regex(/^[0-9a-f]{32}$/iu, 'must be 32 hexadecimal digits (16 bytes)');
const staticKey = z
  .object({
    contentid: z.string().min(1).max(255).nullable().default(null).describe('Content it belongs to; null: any other.'),
    track: z.enum(KEY_TRACKS).default('ALL').describe('Tracks that it encrypts.'),
    kid: hex16.describe('Key id, 32 hexadecimal digits.'),
    key: hex16.describe('AES-128 key, 32 hexadecimal digits.'),
    iv: hex16.nullable().default(null).describe('Constant IV of cbcs; null: the key id.'),
  })
  .strict();

const secret = (max: number) => secretField(1, max).nullable().default(null);
const text = (max: number) => z.string().min(1).max(max).nullable().default(null);
// The text travels in a header of its own, so a character that no header can carry could never be right.
const headerText = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[\x21-\x7e]*$/u, 'must be printable ASCII without spaces')
    .nullable()
    .default(null);
const credentials = z
  .object({
    username: secret(255).describe('SPEKE: user of HTTP Basic.'),
    password: secret(255).describe('SPEKE: password of HTTP Basic.'),
    api_key: headerText(2048).describe('SPEKE: bearer token, in place of user and password.'),
    keys: z.array(staticKey).max(100).default([]).describe('STATIC: the keys, replaced as a whole.'),
  })
  .strict();

const writable = {
  name: nameField,
  provider_type: z.enum(PROVIDER_TYPES).describe('SPEKE: a key server. STATIC: keys held here.'),
  speke_url: text(2048).describe('SPEKE: http(s) URL of the key server, without credentials.'),
  tenant_id: headerText(255).describe('SPEKE: tenant at the key server, sent as the header X-Tenant-Id.'),
  enabled: z.boolean().default(true).describe('Whether Destinations may use it.'),
  supported_systems: z
    .array(z.enum(SUPPORTED_SYSTEMS))
    .min(1)
    .max(3)
    .default([...SUPPORTED_SYSTEMS])
    .describe('DRM systems that it delivers.'),
  encrypt_keys: z
    .boolean()
    .default(false)
    .describe('SPEKE: content keys come encrypted for the certificate of this provider, beside TLS.'),
};

export const drmProviderCreate = {
  ...writable,
  credentials: credentials.nullable().default(null).describe('Write-only; null: none.'),
};
export const drmProviderOutput = z
  .object({
    ...stampFields,
    ...writable,
    has_credentials: z.boolean().describe('Whether credentials or keys are stored.'),
    certificate: z
      .string()
      .nullable()
      .describe(
        'With encrypt_keys: the certificate for which the key server encrypts, PEM; it may be registered there.',
      ),
    ...validationFields,
  })
  .strict()
  .describe('DRM provider: where content keys come from.');
export const storedDrmProvider = drmProviderOutput.omit({ has_credentials: true, certificate: true }).extend({
  credentials: credentials.nullable(),
  // Rows of earlier versions have neither.
  encrypt_keys: z.boolean().optional(),
  delivery_key: deliveryKeyField.nullable().optional(),
});
export type DrmCredentials = z.infer<typeof credentials>;
export type DrmProvider = z.infer<typeof storedDrmProvider> & Validation;

const NO_CREDENTIALS: DrmCredentials = { username: null, password: null, api_key: null, keys: [] };

/** Fields that a type does not take, by their path. */
export const FOREIGN_FIELDS: Record<DrmProvider['provider_type'], readonly string[]> = {
  SPEKE: ['credentials.keys'],
  STATIC: [
    'speke_url',
    'tenant_id',
    'encrypt_keys',
    'credentials.username',
    'credentials.password',
    'credentials.api_key',
  ],
};

/**
 * Hexadecimal digits are stored in lower case, so that a key id is found whichever case it was written in. On a change of type, stored
 * fields of the other type go; sent ones stay and are checked.
 */
export function completeProvider(row: DrmProvider, present?: Readonly<DrmProvider>): DrmProvider {
  const next = { ...row, credentials: row.credentials === null ? null : { ...row.credentials } };
  if (present !== undefined && present.provider_type !== row.provider_type) dropCarriedOver(next, present);
  // Who switches it off and on again gets a new pair.
  next.delivery_key = next.encrypt_keys === true ? (next.delivery_key ?? newDeliveryKey()) : null;
  if (next.credentials === null) return next;
  const keys = next.credentials.keys.map((key) => ({
    ...key,
    kid: key.kid.toLowerCase(),
    key: key.key.toLowerCase(),
    iv: key.iv?.toLowerCase() ?? null,
  }));
  return { ...next, credentials: { ...next.credentials, keys } };
}

function dropCarriedOver(next: DrmProvider, present: Readonly<DrmProvider>): void {
  const foreign = FOREIGN_FIELDS[next.provider_type];
  const before = present.credentials ?? NO_CREDENTIALS;
  for (const field of ['speke_url', 'tenant_id'] as const) {
    if (foreign.includes(field) && next[field] === present[field]) next[field] = null;
  }
  if (foreign.includes('encrypt_keys') && present.encrypt_keys === true) next.encrypt_keys = false;
  if (next.credentials === null) return;
  for (const field of ['username', 'password', 'api_key'] as const) {
    if (foreign.includes(`credentials.${field}`) && next.credentials[field] === before[field])
      next.credentials[field] = null;
  }
  const isKept = JSON.stringify(next.credentials.keys) === JSON.stringify(before.keys);
  if (foreign.includes('credentials.keys') && isKept) next.credentials.keys = [];
}

/** Checks the fields against the type and answers every finding, not the first alone. No finding repeats a secret. */
export function providerIssues(provider: DrmProvider): FieldIssue[] {
  const { provider_type: type, speke_url: url, supported_systems: systems } = provider;
  const { username, password, api_key, keys } = provider.credentials ?? NO_CREDENTIALS;
  const issues: FieldIssue[] = [];
  const add = (field: string, code: string, message: string, limits: object = {}): void => {
    issues.push({ field, code, message, ...limits });
  };
  for (const field of FOREIGN_FIELDS[type]) {
    if (isSet(provider, field)) add(field, 'unknown_field', `does not belong to a DRM provider of type ${type}`);
  }
  systems.forEach((system, index) => {
    if (systems.indexOf(system) < index) add(`supported_systems.${index}`, 'duplicate', `${system} is named twice`);
  });
  if (type === 'STATIC') return [...issues, ...keyIssues(keys)];
  if (url === null) add('speke_url', 'required', 'is required for a DRM provider of type SPEKE');
  const wrong = url === null ? undefined : serviceUrlIssue(url);
  if (wrong !== undefined) add('speke_url', 'invalid_url', wrong, { allowed: ['http', 'https'] });
  // RFC 7617 §2: the first colon ends the user-id.
  if (username?.includes(':')) add('credentials.username', 'invalid_format', 'must not contain a colon');
  if (username !== null && password === null) add('credentials.password', 'required', 'is required with username');
  if (username === null && password !== null) add('credentials.username', 'required', 'is required with password');
  if (api_key !== null && (username !== null || password !== null)) {
    add('credentials.api_key', 'exclusive', 'and username with password exclude each other; send one of them as null');
  }
  return issues;
}

function isSet(provider: DrmProvider, path: string): boolean {
  const [first, second] = path.split('.') as [keyof DrmProvider, keyof DrmCredentials | undefined];
  const value: unknown = second === undefined ? provider[first] : provider.credentials?.[second];
  return Array.isArray(value) ? value.length > 0 : value != null && value !== false;
}

function keyIssues(keys: DrmCredentials['keys']): FieldIssue[] {
  if (keys.length === 0) {
    const message = 'a DRM provider of type STATIC needs at least one key';
    return [{ field: 'credentials.keys', code: 'required', message, min: 1 }];
  }
  return keys.flatMap((key, index) => {
    const before = keys.slice(0, index);
    const field = `credentials.keys.${index}`;
    if (before.some(({ kid }) => kid === key.kid)) {
      return [
        { field: `${field}.kid`, code: 'duplicate', message: `key id ${key.kid} is used twice; each key has its own` },
      ];
    }
    if (!before.some(({ contentid, track }) => contentid === key.contentid && track === key.track)) return [];
    const content = key.contentid === null ? 'any other content' : `content ${JSON.stringify(key.contentid)}`;
    return [
      { field: `${field}.track`, code: 'duplicate', message: `${content} has a key for ${key.track} tracks already` },
    ];
  });
}

/** Query values may be keys of the tenant, so they are answered masked. */
export function presentProvider({
  credentials: secret,
  delivery_key: delivery,
  ...row
}: DrmProvider): z.infer<typeof drmProviderOutput> {
  const { username, password, api_key, keys } = secret ?? NO_CREDENTIALS;
  const has_credentials = keys.length > 0 || [username, password, api_key].some((value) => value !== null);
  return {
    ...row,
    speke_url: row.speke_url === null ? null : maskUrl(row.speke_url),
    encrypt_keys: row.encrypt_keys ?? false,
    has_credentials,
    certificate: delivery == null ? null : certificatePem(delivery),
  };
}
