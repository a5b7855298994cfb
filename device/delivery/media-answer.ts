/**
 * Answers to requests for a Destination's playlists, manifests and segments: read-only, with CORS for everyone. The agent's port and the
 * control plane's give the same answers.
 */
import { randomUUID } from 'node:crypto';
import { close, constants, fstat, open } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Clock } from '../../domain/clock.ts';
import { AppError, toProblem } from '../../domain/errors.ts';
import { isUnchanged, rangeOf, type FileVersion, type HeaderReader } from '../../domain/http-conditions.ts';
import { MEDIA_FILE, playbackPath, PLAYBACK_TOKEN_HEADER } from '../../domain/playback.ts';
import { liveDir } from '../run-dir.ts';
import { accessOf, type Refusal } from './access.ts';
import { madeManifest } from './made-manifests.ts';

export interface MediaRequest {
  method: string;
  /** Path and query as they were sent. */
  target: string;
  header: HeaderReader;
}

export interface MediaAnswer {
  status: number;
  headers: Record<string, string>;
  /** Without `content` and `file` the answer has no content. Nobody may change the bytes: other answers share them. */
  content?: Buffer;
  /** Bytes of an open file, both included. The receiver of the answer closes it. */
  file?: { fd: number; first: number; last: number };
}

interface Kind {
  type: string;
  manifest: boolean;
}

/** Types of RFC 8216 §4, RFC 8216bis, ISO/IEC 23009-1 and ISO/IEC 23000-19. Other files (temporary ones, keys) are not served. */
const KINDS: Record<string, Kind> = {
  m3u8: { type: 'application/vnd.apple.mpegurl', manifest: true },
  mpd: { type: 'application/dash+xml', manifest: true },
  ts: { type: 'video/mp2t', manifest: false },
  m4s: { type: 'video/iso.segment', manifest: false },
  mp4: { type: 'video/mp4', manifest: false },
  m4v: { type: 'video/mp4', manifest: false },
  m4a: { type: 'audio/mp4', manifest: false },
  aac: { type: 'audio/aac', manifest: false },
  vtt: { type: 'text/vtt', manifest: false },
};
/** Ids as the store gives them. A path without a file means the playlist. */
const PATH = new RegExp(`^/live/([1-9][0-9]{0,14})/([1-9][0-9]{0,14})/(${MEDIA_FILE})?$`, 'u');

const CORS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Accept-Ranges, Content-Length, Content-Range, Date, ETag, Last-Modified',
  'cross-origin-resource-policy': 'cross-origin',
  'timing-allow-origin': '*',
  'x-content-type-options': 'nosniff',
};
const PREFLIGHT = {
  ...CORS,
  'access-control-allow-methods': 'GET, HEAD, OPTIONS',
  'access-control-allow-headers': 'Range, If-Range, If-None-Match, If-Modified-Since, Content-Type',
  'access-control-max-age': '86400',
};

const openFd = promisify(open);
const statFd = promisify(fstat);

export function closeFd(fd: number): void {
  // The file was only read: an error of close loses nothing.
  close(fd, () => undefined);
}

/** Tells whether a request's target is media. */
export function isMediaTarget(target: string): boolean {
  return target.startsWith('/live/');
}

export async function mediaAnswer(deviceDir: string, request: MediaRequest, clock: Clock): Promise<MediaAnswer> {
  const { method, target, header } = request;
  if (method === 'OPTIONS') return { status: 204, headers: PREFLIGHT };
  if (method !== 'GET' && method !== 'HEAD')
    return textAnswer(405, 'Only GET and HEAD.', { allow: 'GET, HEAD, OPTIONS' }, false);
  const isHead = method === 'HEAD';
  const [path = '', query = ''] = target.split(/\?(.*)/su);
  const [mediaPath, livestream, publishing, file = 'index.m3u8'] = PATH.exec(path) ?? [];
  const kind = KINDS[file.slice(file.lastIndexOf('.') + 1)];
  if (mediaPath === undefined || kind === undefined) return notFound(isHead);
  const dir = liveDir(deviceDir, Number(livestream), Number(publishing));
  const queryToken = new URLSearchParams(query).get('token');
  const token = queryToken ?? header(PLAYBACK_TOKEN_HEADER) ?? null;
  const playback = playbackPath(Number(livestream), Number(publishing));
  const access = await accessOf(dir, playback, token, clock.now());
  if (access !== 'open' && access !== 'tokened') return refusal(access, isHead);
  let fd: number;
  try {
    // O_NOFOLLOW: no link in the folder is one of ours. O_NONBLOCK: opening a FIFO must not wait for its writer.
    fd = await openFd(join(dir, file), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    // A viewer learns no more than that there is no such file: segments go as new ones come.
    return notFound(isHead);
  }
  let isKept = false;
  try {
    const stat = await statFd(fd);
    if (!stat.isFile()) return notFound(isHead);
    const etag = `"${stat.ino.toString(36)}-${stat.size.toString(36)}-${Math.floor(stat.mtimeMs).toString(36)}"`;
    const found: Found = { fd, type: kind.type, size: stat.size, etag, changedAt: stat.mtime };
    const isTokened = access === 'tokened';
    const answer = kind.manifest
      ? await manifestAnswer(
          found,
          header,
          { isTokened, token: isTokened ? (queryToken ?? undefined) : undefined },
          isHead,
        )
      : segmentAnswer(found, header, isTokened, isHead);
    isKept = answer.file !== undefined;
    return answer;
  } finally {
    if (!isKept) closeFd(fd);
  }
}

interface Found extends FileVersion {
  fd: number;
  type: string;
}

/** A live manifest changes with every segment: caches always ask again, which is cheap when it has not changed, and small with gzip. */
async function manifestAnswer(
  found: Found,
  header: HeaderReader,
  { isTokened, token }: { isTokened: boolean; token: string | undefined },
  isHead: boolean,
): Promise<MediaAnswer> {
  const gzip = acceptsGzip(header('accept-encoding'));
  const headers = {
    ...CORS,
    'content-type': found.type,
    'cache-control': `${isTokened ? 'private' : 'public'}, no-cache, max-age=1`,
    vary: 'Accept-Encoding',
    // The tag is weak: gzip gives other bytes of the same content.
    etag: `W/${found.etag}`,
    'last-modified': found.changedAt.toUTCString(),
  };
  if (isUnchanged(header, found, false)) return { status: 304, headers };
  const coding = gzip ? { 'content-encoding': 'gzip' } : undefined;
  if (!gzip && token === undefined) return wholeFile({ status: 200, headers }, found, isHead);
  const content = await madeManifest(found, { token, gzip });
  const length = { 'content-length': String(content.length) };
  return { status: 200, headers: { ...headers, ...coding, ...length }, ...(!isHead && { content }) };
}

/** A segment never changes once a playlist names it, and its name is never used again. */
function segmentAnswer(found: Found, header: HeaderReader, isTokened: boolean, isHead: boolean): MediaAnswer {
  const { size } = found;
  const headers = {
    ...CORS,
    'content-type': found.type,
    // Only the viewer's own player may cache media that is not public.
    'cache-control': `${isTokened ? 'private' : 'public'}, max-age=31536000, immutable`,
    'accept-ranges': 'bytes',
    etag: found.etag,
    'last-modified': found.changedAt.toUTCString(),
  };
  if (isUnchanged(header, found, true)) return { status: 304, headers };
  const range = rangeOf(header, found);
  if (range === 'unsatisfiable')
    return { status: 416, headers: { ...headers, 'content-range': `bytes */${size}`, 'content-length': '0' } };
  if (range === undefined) return wholeFile({ status: 200, headers }, found, isHead);
  const [first, last] = range;
  const partial = { 'content-range': `bytes ${first}-${last}/${size}`, 'content-length': String(last - first + 1) };
  const file = isHead ? undefined : { file: { fd: found.fd, first, last } };
  return { status: 206, headers: { ...headers, ...partial }, ...file };
}

function wholeFile({ status, headers }: MediaAnswer, { fd, size }: Found, isHead: boolean): MediaAnswer {
  const file = isHead || size === 0 ? undefined : { file: { fd, first: 0, last: size - 1 } };
  return { status, headers: { ...headers, 'content-length': String(size) }, ...file };
}

function notFound(isHead: boolean): MediaAnswer {
  // A playlist may appear a second later: a cache must not remember that it was missing.
  return textAnswer(404, 'Not found.', { 'cache-control': 'no-store' }, isHead);
}

const REFUSALS: Record<Refusal, string> = {
  missing: 'This broadcast is not for everybody: its address needs the token that was given out with it.',
  wrong: 'This token is not for this broadcast. Use the address exactly as it was given out.',
  expired: 'This token has run out. Ask whoever gave it to you for a new address.',
};

const REMEDY = 'An address that works is made with createPlaybackLink.';

function refusal(why: Refusal, isHead: boolean): MediaAnswer {
  return problem(
    new AppError('forbidden', REFUSALS[why], { facts: { reason: `token_${why}` }, remedy: REMEDY }),
    {},
    isHead,
  );
}

/** The answer when all connections of viewers are in use. */
export function busyAnswer(detail: string): MediaAnswer {
  return problem(new AppError('unavailable', detail), { 'retry-after': '5' }, false);
}

/** A problem document (RFC 9457). */
function problem(error: AppError, more: Record<string, string>, isHead: boolean): MediaAnswer {
  const body = JSON.stringify(toProblem(error, randomUUID()));
  const headers = { 'cache-control': 'no-store', 'content-type': 'application/problem+json', ...more };
  return textAnswer(error.status, body, headers, isHead);
}

function textAnswer(status: number, body: string, more: Record<string, string>, isHead: boolean): MediaAnswer {
  const content = Buffer.from(body);
  const length = { 'content-length': String(content.length) };
  const headers = { ...CORS, 'content-type': 'text/plain; charset=UTF-8', ...more, ...length };
  return { status, headers, ...(!isHead && { content }) };
}

function acceptsGzip(header: string | null | undefined): boolean {
  const coding = header?.split(',').find((part) => /^\s*(?:gzip|x-gzip|\*)\s*(?:;|$)/iu.test(part));
  return coding !== undefined && !/;\s*q=0(?:\.0*)?\s*$/iu.test(coding);
}
