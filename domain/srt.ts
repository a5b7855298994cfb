/** Encryption of SRT, of sources and outputs alike. */
import { z } from 'zod/v3';
import type { FieldIssue } from './errors.ts';

export const srtEncryption = z
  .union([z.literal(0), z.literal(128), z.literal(192), z.literal(256)])
  .describe('AES bits; 128 if a passphrase is sent.');
type KeyBits = z.infer<typeof srtEncryption>;

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
 * was stored before the passphrase came does not.
 */
export function storedKeyBits(settings: Encrypted, sent: Encrypted | undefined): KeyBits {
  return sent?.encryption === 0 ? 0 : srtKeyBits(settings);
}

export function srtIssues({ encryption, passphrase }: Encrypted, field: string): FieldIssue[] {
  if (encryption !== 0 || !passphrase) return [];
  const message = 'is 0 beside a passphrase; leave it out for 128, send 192 or 256, or clear the passphrase with null';
  return [{ field, code: 'incompatible', message, allowed: [128, 192, 256] }];
}
