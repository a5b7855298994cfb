/** The mechanism of links whose right to read is in their query: HMAC-SHA256 over method, path and time of expiry. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { PublishingType } from './publishing.ts';

/** `expires`: seconds since the Unix epoch. HEAD asks for the same as GET: one right covers both. */
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
  // As text: the last character holds two bits that decoding drops.
  const given = Buffer.from(signature);
  const own = Buffer.from(signPath(key, path, expires));
  // The time is looked at last: how long a refusal takes says nothing about either.
  if (given.length !== own.length || !timingSafeEqual(given, own)) return 'wrong';
  return nowMs < Number(expires) * 1000 ? 'good' : 'expired';
}

/** What the right to watch a Destination covers: all that is served below it. */
export function playbackPath(livestreamId: number, publishingId: number): string {
  return `/live/${livestreamId}/${publishingId}/`;
}

/** What a viewer opens first, of what a Device serves itself; beside the HLS of CMAF there is a manifest.mpd, too. */
export const MANIFESTS: Partial<Record<PublishingType, string>> = {
  'HLS / TS': 'index.m3u8',
  CMAF: 'index.m3u8',
  DASH: 'manifest.mpd',
};

/** The query of all addresses below `playbackPath`: without a character that a playlist, XML or a shell would have to escape. */
export function playbackToken(key: Buffer, path: string, expiresAtMs: number): string {
  const expires = String(Math.floor(expiresAtMs / 1000));
  return `${expires}.${signPath(key, path, expires)}`;
}

export function judgePlaybackToken(key: Buffer, path: string, token: string | null, nowMs: number): SignatureVerdict {
  const [expires = null, signature = null] = token?.split('.') ?? [];
  return judgeSignature(key, path, expires, signature, nowMs);
}

/** One Destination's own key: a Device that holds it can sign and check for that Destination alone. */
export function playbackKey(linkKey: Buffer, path: string): Buffer {
  return createHmac('sha256', linkKey).update(`playback\n${path}`).digest();
}
