/** Watching what a Device serves itself: its addresses, and tokens where that is not for everybody. */
import { createHmac } from 'node:crypto';
import type { PublishingType } from './publishing-types.ts';
import { judgeSignature, signPath, type SignatureVerdict } from './signed-path.ts';

/** What a viewer opens first; beside the HLS of CMAF there is a manifest.mpd, too. */
export const MANIFESTS: Partial<Record<PublishingType, string>> = {
  'HLS / TS': 'index.m3u8',
  CMAF: 'index.m3u8',
  DASH: 'manifest.mpd',
};

/** An evening with its rehearsal. */
export const PLAYBACK_SECONDS = 12 * 3600;
/** A link cannot be called back: longer than for a week nothing is promised. */
export const MAX_PLAYBACK_SECONDS = 7 * 86_400;

/** What the right to watch a Destination covers: all that is served below it. */
export function playbackPath(livestreamId: number, publishingId: number): string {
  return `/live/${livestreamId}/${publishingId}/`;
}

/** A Destination's own key, base64url: a Device that holds it can sign and check for that Destination alone. */
export function playbackKey(linkKey: Buffer, publishingId: number): string {
  return createHmac('sha256', linkKey).update(`playback\n${publishingId}`).digest('base64url');
}

/** The value of `token` in the query of all addresses below `path`: nothing in it is to be escaped in a playlist, XML or a shell. */
export function playbackToken(key: string, path: string, expiresAtMs: number): string {
  const expires = String(Math.floor(expiresAtMs / 1000));
  return `${expires}.${signPath(Buffer.from(key, 'base64url'), path, expires)}`;
}

export function judgePlaybackToken(key: string, path: string, token: string, nowMs: number): SignatureVerdict {
  const [expires = null, signature = null, ...more] = token.split('.');
  if (more.length > 0) return 'wrong';
  return judgeSignature(Buffer.from(key, 'base64url'), path, expires, signature, nowMs);
}
