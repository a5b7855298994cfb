/** Links whose query carries the right to read: HMAC-SHA256 over method, path and time of expiry. */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** `expires` is in seconds since the Unix epoch. HEAD is covered by the right to GET. */
export function signPath(key: Buffer, path: string, expires: string): string {
  return createHmac('sha256', key).update(`GET\n${path}\n${expires}`).digest('base64url');
}

/** expired: it was signed here, and its time is over. */
export type SignatureVerdict = 'good' | 'expired' | 'wrong';

export function judgeSignature(
  key: Buffer,
  path: string,
  expires: string | null,
  signature: string | null,
  nowMs: number,
): SignatureVerdict {
  if (expires === null || signature === null || !/^\d{1,12}$/u.test(expires)) return 'wrong';
  // The comparison is as text, because the last character holds two bits that decoding drops.
  const candidate = Buffer.from(signature);
  const own = Buffer.from(signPath(key, path, expires));
  // The time is checked last, so that the duration of a refusal says nothing about either.
  if (candidate.length !== own.length || !timingSafeEqual(candidate, own)) return 'wrong';
  return nowMs < Number(expires) * 1000 ? 'good' : 'expired';
}
