/** The target of a packaged stream that is pushed: addresses on the origin, and credentials for them. */
import {
  bucketUrl,
  DEFAULT_REGION,
  escapedKey,
  isBucket,
  parseBucketAddress,
} from '../../../domain/network/bucket-address.ts';
import { assertDeliverable } from '../../../domain/network/delivery-address.ts';
import type { BucketKeys } from './bucket-signature.ts';

export interface PushTarget {
  /** Folder on the origin; it ends with a slash. */
  base: URL;
  /** Query of every request: some origins check a token there. */
  query: string;
  /** Header of Basic authorisation, RFC 7617. */
  authorization: string | undefined;
  /** A bucket of S3: each request is signed with these. */
  bucket: BucketKeys | undefined;
  /** Host and port, for messages. */
  host: string;
  /** Name of the main manifests without extension, when the address has one. */
  stem: string | undefined;
}

const MANIFEST = /^(.+)\.(?:m3u8|mpd)$/iu;

/**
 * Reads an address, which is the folder or the manifest in it: `https://o/live/` gives live/index.m3u8 and live/manifest.mpd,
 * `https://o/live/news.m3u8` gives live/news.m3u8 and live/news.mpd. webdav:// and webdavs:// are http:// and https://, and s3:// is the
 * address of the bucket's server. Throws TypeError.
 */
export function pushTarget(
  address: string,
  username: string | null,
  password: string | null,
  keys?: Pick<BucketKeys, 'accessKey' | 'secretKey'>,
): PushTarget {
  assertDeliverable(address);
  const bucket = isBucket(address) ? parseBucketAddress(address) : undefined;
  if (bucket !== undefined && keys === undefined) throw new TypeError('A bucket needs an access key and a secret key.');
  const url = bucket === undefined ? new URL(address.replace(/^webdav(s?):/iu, 'http$1:')) : bucketUrl(bucket);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new TypeError('An origin is written to by http, https, webdav, webdavs or s3.');
  const parts = url.pathname.split('/');
  // The address of a bucket's folder ends with a slash, whatever stands before it.
  if (bucket !== undefined) parts.pop();
  const stem = MANIFEST.exec(decodeURIComponent(parts.at(-1)!))?.[1];
  if (stem !== undefined) parts.pop();
  const folder = parts.filter((part) => part !== '').join('/');
  const user = username ?? decodeURIComponent(url.username);
  const secret = password ?? decodeURIComponent(url.password);
  const isKnown = bucket === undefined && (user !== '' || secret !== '');
  return {
    base: new URL(folder === '' ? '/' : `/${folder}/`, url.origin),
    query: url.search,
    authorization: isKnown ? `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}` : undefined,
    bucket: bucket && { ...keys!, region: bucket.region ?? DEFAULT_REGION },
    host: bucket === undefined ? url.host : `${bucket.bucket} (${url.host})`,
    stem,
  };
}

/** `path` is relative to the folder, as the Device has it on its disk. */
export function remoteUrl({ base, query, stem, bucket }: PushTarget, path: string): URL {
  const extension = stem === undefined || path.includes('/') ? undefined : /\.(?:m3u8|mpd)$/u.exec(path)?.[0];
  const name = extension === undefined ? path : `${stem}${extension}`;
  const url = new URL(
    name
      .split('/')
      .map(bucket === undefined ? encodeURIComponent : escapedKey)
      .join('/'),
    base,
  );
  url.search = query;
  return url;
}

/** Returns every folder above the file, from the top; a WebDAV server makes one at a time (RFC 4918 §9.3). */
export function foldersAbove({ pathname, origin, search }: URL): URL[] {
  const parts = pathname.split('/').slice(1, -1);
  return parts.map((_, i) => new URL(`/${parts.slice(0, i + 1).join('/')}/${search}`, origin));
}

const TYPES: Record<string, string> = {
  m3u8: 'application/vnd.apple.mpegurl',
  mpd: 'application/dash+xml',
  ts: 'video/mp2t',
  m4s: 'video/iso.segment',
  mp4: 'video/mp4',
  vtt: 'text/vtt',
};

export function contentType(path: string): string {
  return TYPES[path.split('.').at(-1)!] ?? 'application/octet-stream';
}

/** How long a cache may hold the file of a bucket, as the Device says of what it serves itself. */
export function cacheControl(path: string): string {
  return isManifest(path) ? 'public, no-cache, max-age=1' : 'public, max-age=31536000, immutable';
}

export function isManifest(path: string): boolean {
  return MANIFEST.test(path);
}
