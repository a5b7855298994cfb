/** RIST, of sources and outputs alike: its addresses, and the settings beside them (VSF TR-06-1, TR-06-2). */
import { z } from 'zod/v3';
import { byteLength } from '../base/code-points.ts';
import type { FieldIssue } from '../base/errors.ts';
import { secretField } from '../base/schema.ts';

/** librist keeps a secret in 128 bytes, one of which ends it; a shorter one than six could be guessed from what is sent. */
const SECRET_BYTES = { min: 6, max: 127 } as const;
/** ffmpeg takes no larger buffer. */
const BUFFER_MS = { min: 50, max: 30_000 } as const;

export const ristBuffer = z.number().int().min(BUFFER_MS.min).max(BUFFER_MS.max);
export const ristKeyBits = z.union([z.literal(128), z.literal(256)]);
export const ristSecret = secretField(SECRET_BYTES.min, SECRET_BYTES.max);

const profile = z.enum(['main', 'simple']).describe('simple: two ports, no secret.');
const bufferMs = ristBuffer.describe('RIST: for lost packets, ms.');
const keyBits = ristKeyBits.describe('RIST: AES bits.');
export const ristIn = z
  .object({
    profile: profile.default('main'),
    buffer_ms: bufferMs.default(1000),
    secret: ristSecret.nullable().default(null).describe('RIST. Write-only.'),
    key_bits: keyBits.default(128),
  })
  .strict();
export const ristOut = z
  .object({
    profile,
    buffer_ms: bufferMs,
    key_bits: keyBits,
    has_secret: z.boolean().describe('Whether a secret is stored.'),
  })
  .strict();

export type RistSettings = z.infer<typeof ristIn>;
/** The settings of a RIST address without any. */
export const DEFAULT_RIST: Readonly<RistSettings> = ristIn.parse({});

/** The listener of the cloud platform for what the settings of a UDP-R Channel ask for. */
export function ristOfCloud(
  sent: Partial<Pick<RistSettings, 'buffer_ms' | 'key_bits'>> & { secret?: string | undefined },
): RistSettings {
  const { buffer_ms = DEFAULT_RIST.buffer_ms, key_bits = DEFAULT_RIST.key_bits, secret = null } = sent;
  return { profile: 'main', buffer_ms, key_bits, secret };
}

export function presentRist({ secret, ...rest }: RistSettings): z.infer<typeof ristOut> {
  return { ...rest, has_secret: secret !== null };
}

export function isRist(address: string | null | undefined): boolean {
  return /^rist:/iu.test(address ?? '');
}

/** True for `rist://@host:port`, which waits for its sender on an address of this machine. */
export function listensForRist(address: string | null | undefined): boolean {
  return /^rist:\/\/@/iu.test(address ?? '');
}

/** No URL may leave the host out, so `rist://@:port` names every address of this machine. */
export function withRistHost(address: string): string {
  return address.replace(/^(rist:\/\/@)(?=:)/iu, '$10.0.0.0');
}

/** Answers half a sentence about the address of a source, or undefined. `address` is a URL. */
export function ristSourceIssue(address: string, { profile }: RistSettings): string | undefined {
  const issue = ristAddressIssue(address, profile);
  if (issue !== undefined) return issue;
  // A sender of the simple profile keeps no port open for a receiver that calls it (TR-06-1, §5).
  return profile === 'simple' && !listensForRist(address)
    ? 'calls a sender, which the simple profile has no way for; listen with rist://@:port, or use the main profile'
    : undefined;
}

/** Answers half a sentence about the address of an output, or undefined. `address` is a URL. */
export function ristTargetIssue(address: string, { profile }: Pick<RistSettings, 'profile'>): string | undefined {
  return listensForRist(address)
    ? 'waits for a receiver; name the receiver that is called, as in rist://host:5004'
    : ristAddressIssue(address, profile);
}

function ristAddressIssue(address: string, profile: RistSettings['profile']): string | undefined {
  const { username, password, pathname, search, port } = new URL(address);
  if (username !== '' || password !== '') return 'holds a user name or password, which RIST has no place for here';
  if (search !== '' || pathname.length > 1)
    return 'holds more than host and port; send profile, buffer_ms, secret and key_bits as settings.rist';
  if (profile === 'simple' && Number(port) % 2 === 1)
    return `names port ${port}; the simple profile needs an even one, and takes the next for its reports`;
  return undefined;
}

/** Checks what a secret needs beside its form; `at` is its field. */
export function ristSecretIssues(
  { profile, secret }: Pick<RistSettings, 'profile' | 'secret'>,
  at: string,
): FieldIssue[] {
  if (secret === null) return [];
  if (profile === 'simple') {
    const message = 'belongs to the main profile; the simple one has no encryption. Send profile main, or secret null';
    return [{ field: at, code: 'incompatible', message }];
  }
  const bytes = byteLength(secret);
  if (bytes <= SECRET_BYTES.max) return [];
  const message = `has ${bytes} bytes in UTF-8; RIST takes ${SECRET_BYTES.max} here`;
  return [{ field: at, code: 'too_long', message, max: SECRET_BYTES.max }];
}
