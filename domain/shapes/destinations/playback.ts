/** Watching the outputs that a Device serves itself: their addresses, and tokens for those that are not public. */
import { createHmac } from 'node:crypto';
import { judgeSignature, signPath, type SignatureVerdict } from '../../network/signed-path.ts';

/**
 * A request that carries its token in this field gets manifests without one: for the server itself, which reads media of Devices for people
 * who are signed in.
 */
export const PLAYBACK_TOKEN_HEADER = 'onair-playback-token';

/** How the server calls itself when it reads media for people who are signed in: they look after the broadcast, and are no viewers. */
export const PAGE_AGENT = 'onair-page';

/**
 * A file below the path of a Destination, for a regular expression: one name without a separator, a leading dot or anything to decode, in the
 * Destination's own folder, or in that of a rendition (named by its Encoding's id), a track (by its PID), or one of several sounds or texts.
 */
export const MEDIA_FILE = '(?:(?:[1-9][0-9]{0,14}|(?:sound|text)-[a-z0-9-]{1,20})/)?[A-Za-z0-9_-][A-Za-z0-9_.-]{0,199}';

/** Beside the manifest of a Destination with low latency: the time of the Device, ISO 8601. */
export const TIME_FILE = 'time.txt';

/** Lasts an evening with its rehearsal. */
export const PLAYBACK_SECONDS = 12 * 3600;
/** A link cannot be revoked, so none is valid for longer than a week. */
export const MAX_PLAYBACK_SECONDS = 7 * 86_400;

/** The way to a Destination that another machine serves. */
export interface DevicePlace {
  /** Lists of two runs are never mixed. */
  runId: string;
  /** The same for all runs of a broadcast that goes from one Device to another. */
  broadcast: string;
  /** The Device's address of its folder, with a slash at its end; undefined while nothing is heard of the Device. */
  url: string | undefined;
  /** Those who watch need a token that `key` has signed. It is undefined where this server has no key, too. */
  isPrivate: boolean;
  key: string | undefined;
  /** Goes into PLAYBACK_TOKEN_HEADER. */
  token: string | undefined;
  /** The broadcast, or its path, was ended: so may its lists. */
  isOver: boolean;
}

/** `address` is a folder of the cloud platform, whose address stays. */
export type DeliveryPlace = DevicePlace | { address: string };

/** An address that a player opens as it is, until it expires. */
export interface PlaybackLink {
  url: string;
  /** The same at the Device itself; null where `url` is that already, and while the Device is not known. */
  device_url: string | null;
  expires_at: string;
}

export interface WatchAddress {
  publishingId: number;
  name: string;
  type: string;
  url: string;
  /** As that of PlaybackLink. */
  device_url: string | null;
  /** null when everybody may watch. */
  expires_at: string | null;
}

/** A token is valid for everything that is served below this path. */
export function playbackPath(livestreamId: number, publishingId: number): string {
  return `/live/${livestreamId}/${publishingId}/`;
}

/** A Destination's own key, base64url: a Device that has it can sign and check for that Destination alone. */
export function playbackKey(linkKey: Buffer, publishingId: number): string {
  return createHmac('sha256', linkKey).update(`playback\n${publishingId}`).digest('base64url');
}

/** The value of `token` in the query of all addresses below `path`; nothing in it needs escaping in a playlist, XML or a shell. */
export function playbackToken(key: string, path: string, expiresAtMs: number): string {
  const expires = String(Math.floor(expiresAtMs / 1000));
  return `${expires}.${signPath(Buffer.from(key, 'base64url'), path, expires)}`;
}

export function checkPlaybackToken(key: string, path: string, token: string, nowMs: number): SignatureVerdict {
  const [expires = null, signature = null, ...more] = token.split('.');
  if (more.length > 0) return 'wrong';
  return judgeSignature(Buffer.from(key, 'base64url'), path, expires, signature, nowMs);
}
