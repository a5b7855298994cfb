/** Encryption of SRT, of sources and outputs alike. */
import { z } from 'zod/v3';
import { byteLength } from '../base/code-points.ts';
import type { FieldIssue } from '../base/errors.ts';
import { controlIssue } from '../base/schema.ts';

/** Bytes in UTF-8 that libsrt takes as SRTO_PASSPHRASE; any other length fails each attempt. */
const PASSPHRASE_BYTES = { min: 10, max: 79 } as const;
export const srtPassphrase = z.string().min(PASSPHRASE_BYTES.min).max(PASSPHRASE_BYTES.max);

export const srtEncryption = z
  .union([z.literal(0), z.literal(128), z.literal(192), z.literal(256)])
  .describe('AES bits; 128 if a passphrase is sent.');
type KeyBits = z.infer<typeof srtEncryption>;

/** Bits by pbkeylen, which counts bytes. */
const KEY_BITS: Readonly<Record<string, KeyBits>> = { '16': 128, '24': 192, '32': 256 };

interface Encrypted {
  encryption?: KeyBits | undefined;
  passphrase?: string | null | undefined;
}

/** The key length in force. A stored passphrase is meant to be used, and rows of earlier versions may say 0 beside one. */
export function srtKeyBits({ encryption, passphrase }: Encrypted): KeyBits {
  return encryption || (passphrase ? 128 : 0);
}

/**
 * The key length to store. `sent` is the caller's input: a 0 that he sends beside a passphrase stays, and srtIssues refuses it; a 0 that
 * was stored before the passphrase does not.
 */
export function storedKeyBits(settings: Encrypted, sent: Encrypted | undefined): KeyBits {
  return sent?.encryption === 0 ? 0 : srtKeyBits(settings);
}

/** Finds what would end encryption. It ends only when somebody says so: a passphrase that is cleared or overwritten says nothing of it. */
export function lostEncryption(before: KeyBits, sent: unknown, field: string): FieldIssue[] {
  if (before === 0 || sent === 0) return [];
  const message = `would leave the stream unencrypted, which has ${before} bits now; send a passphrase, or encryption 0 for none`;
  return [{ field, code: 'required', message }];
}

/** Checks a passphrase that a schema has counted in characters, or that stands in an address. */
export function passphraseIssues(passphrase: string, field: string): FieldIssue[] {
  const control = controlIssue(passphrase);
  if (control !== undefined) return [{ field, code: 'invalid_format', message: control }];
  const { min, max } = PASSPHRASE_BYTES;
  const bytes = byteLength(passphrase);
  if (bytes >= min && bytes <= max) return [];
  const message = `has ${bytes} bytes in UTF-8; SRT takes ${min}-${max}`;
  return [bytes > max ? { field, code: 'too_long', message, max } : { field, code: 'too_short', message, min }];
}

/** Passphrase of an SRT URL; empty for none. */
export function addressPassphrase(address: string): string {
  return new URL(address).searchParams.get('passphrase') ?? '';
}

/** Passphrase and key length of one path: a passphrase in the address counts where the settings have none. */
export function srtSecrecy(settings: Encrypted, address: string): { passphrase: string; keyBits: KeyBits } {
  const inAddress = addressPassphrase(address);
  const passphrase = settings.passphrase || inAddress;
  if (passphrase === '') return { passphrase, keyBits: 0 };
  const pbkeylen = new URL(address).searchParams.get('pbkeylen') ?? '';
  // A row of an earlier version may hold another value, which is refused where it is used.
  return { passphrase, keyBits: srtKeyBits(settings) || (KEY_BITS[pbkeylen] ?? 128) };
}

export function srtIssues({ encryption, passphrase }: Encrypted, field: string): FieldIssue[] {
  if (encryption !== 0 || !passphrase) return [];
  const message = 'is 0 beside a passphrase; leave it out for 128, send 192 or 256, or send the passphrase as null too';
  return [{ field, code: 'incompatible', message, allowed: [128, 192, 256] }];
}
