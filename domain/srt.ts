/** Encryption of SRT, of sources and outputs alike. */
import { z } from 'zod/v3';
import { byteLength } from './code-points.ts';
import type { FieldIssue } from './errors.ts';
import { controlIssue } from './schema.ts';

/** Bytes in UTF-8: what libsrt takes as SRTO_PASSPHRASE. Another one fails each attempt. */
const PASSPHRASE_BYTES = { min: 10, max: 79 } as const;
export const srtPassphrase = z.string().min(PASSPHRASE_BYTES.min).max(PASSPHRASE_BYTES.max);

export const srtEncryption = z
  .union([z.literal(0), z.literal(128), z.literal(192), z.literal(256)])
  .describe('AES bits; 128 if a passphrase is sent.');
type KeyBits = z.infer<typeof srtEncryption>;

/** By pbkeylen, which counts bytes. */
const KEY_BITS: Readonly<Record<string, KeyBits>> = { '16': 128, '24': 192, '32': 256 };

interface Encrypted {
  encryption?: KeyBits | undefined;
  passphrase?: string | null | undefined;
}

/** The key length in force. Who has set a passphrase wants it used: rows of earlier versions may say 0 beside one. */
export function srtKeyBits({ encryption, passphrase }: Encrypted): KeyBits {
  return encryption || (passphrase ? 128 : 0);
}

/**
 * The key length to store. `sent` is what the caller sent of it: a 0 of his own beside a passphrase stays, for srtIssues to refuse; one that
 * was stored before the passphrase came does not. A passphrase that is cleared takes the key length that was stored for it along.
 */
export function storedKeyBits(settings: Encrypted, sent: Encrypted | undefined): KeyBits {
  if (sent?.encryption === 0) return 0;
  const isCleared = sent?.passphrase === null && sent.encryption === undefined;
  return isCleared ? 0 : srtKeyBits(settings);
}

/** Of a passphrase that a schema has counted in characters, or that stands in an address. */
export function passphraseIssues(passphrase: string, field: string): FieldIssue[] {
  const control = controlIssue(passphrase);
  if (control !== undefined) return [{ field, code: 'invalid_format', message: control }];
  const { min, max } = PASSPHRASE_BYTES;
  const bytes = byteLength(passphrase);
  if (bytes >= min && bytes <= max) return [];
  const message = `has ${bytes} bytes in UTF-8; SRT takes ${min}-${max}`;
  return [bytes > max ? { field, code: 'too_long', message, max } : { field, code: 'too_short', message, min }];
}

/** Of an SRT URL; empty: none. */
export function addressPassphrase(address: string): string {
  return new URL(address).searchParams.get('passphrase') ?? '';
}

/** What one path is sent with: who writes a passphrase into the address wants it used where the settings have none. */
export function srtSecrecy(settings: Encrypted, address: string): { passphrase: string; keyBits: KeyBits } {
  const inAddress = addressPassphrase(address);
  const passphrase = settings.passphrase || inAddress;
  if (passphrase === '') return { passphrase, keyBits: 0 };
  const pbkeylen = new URL(address).searchParams.get('pbkeylen') ?? '';
  // A row of an earlier version may hold another one, which is refused where it is used.
  return { passphrase, keyBits: srtKeyBits(settings) || (KEY_BITS[pbkeylen] ?? 128) };
}

export function srtIssues({ encryption, passphrase }: Encrypted, field: string): FieldIssue[] {
  if (encryption !== 0 || !passphrase) return [];
  const message = 'is 0 beside a passphrase; leave it out for 128, send 192 or 256, or send the passphrase as null too';
  return [{ field, code: 'incompatible', message, allowed: [128, 192, 256] }];
}
