/** Parts of the answers to requests for media: types, headers for everyone, and answers without media. */
import { randomUUID } from 'node:crypto';
import type { FileVersion } from '../../domain/network/http-conditions.ts';
import { AppError, toProblem } from '../../domain/base/errors.ts';
import type { Refusal } from './access.ts';

export interface MediaAnswer {
  status: number;
  headers: Record<string, string>;
  /** Without `content` and `file` the answer has no content. Nobody may change the bytes: other answers share them. */
  content?: Buffer;
  /** Bytes of an open file, both included. The receiver of the answer closes it. */
  file?: { fd: number; first: number; last: number };
  /** Bytes that come while they are being made; their length is not known. */
  stream?: AsyncIterable<Buffer>;
}

export interface Kind {
  type: string;
  manifest: boolean;
}

/** Types of RFC 8216 §4, RFC 8216bis, ISO/IEC 23009-1 and ISO/IEC 23000-19. Other files (temporary ones, keys) are not served. */
export const KINDS: Record<string, Kind> = {
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
export const CORS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Accept-Ranges, Content-Length, Content-Range, Date, ETag, Last-Modified',
  'cross-origin-resource-policy': 'cross-origin',
  'timing-allow-origin': '*',
  'x-content-type-options': 'nosniff',
};
export const PREFLIGHT = {
  ...CORS,
  'access-control-allow-methods': 'GET, HEAD, OPTIONS',
  'access-control-allow-headers':
    'Range, If-Range, If-None-Match, If-Modified-Since, Content-Type, CMCD-Request, CMCD-Object, CMCD-Status, CMCD-Session',
  'access-control-max-age': '86400',
};

/** For reports of players (CMCD), which browsers ask about beforehand. */
export const REPORT_PREFLIGHT = { ...PREFLIGHT, 'access-control-allow-methods': 'POST, OPTIONS' };

export function notFound(isHead: boolean): MediaAnswer {
  // A playlist may appear a second later: a cache must not remember that it was missing.
  return textAnswer(404, 'Not found.', { 'cache-control': 'no-store' }, isHead);
}

/** The answer when all connections of viewers are in use. */
export function busyAnswer(detail: string): MediaAnswer {
  return problem(new AppError('unavailable', detail), { 'retry-after': '5' }, false);
}

/** A problem document (RFC 9457). */
export function problem(error: AppError, more: Record<string, string>, isHead: boolean): MediaAnswer {
  const body = JSON.stringify(toProblem(error, randomUUID()));
  const headers = { 'cache-control': 'no-store', 'content-type': 'application/problem+json', ...more };
  return textAnswer(error.status, body, headers, isHead);
}

export function textAnswer(status: number, body: string, more: Record<string, string>, isHead: boolean): MediaAnswer {
  const content = Buffer.from(body);
  const length = { 'content-length': String(content.length) };
  const headers = { ...CORS, 'content-type': 'text/plain; charset=UTF-8', ...more, ...length };
  return { status, headers, ...(!isHead && { content }) };
}

const REFUSALS: Record<Refusal, string> = {
  missing: 'This broadcast is not for everybody: its address needs the token that was given out with it.',
  wrong: 'This token is not for this broadcast. Use the address exactly as it was given out.',
  expired: 'This token has run out. Ask whoever gave it to you for a new address.',
};

const REMEDY = 'An address that works is made with createPlaybackLink.';

export function refusal(why: Refusal, isHead: boolean): MediaAnswer {
  return problem(
    new AppError('forbidden', REFUSALS[why], { facts: { reason: `token_${why}` }, remedy: REMEDY }),
    {},
    isHead,
  );
}

export function manifestHeaders(
  { type, etag, changedAt }: Pick<FileVersion, 'etag' | 'changedAt'> & { type: string },
  isTokened: boolean,
): Record<string, string> {
  return {
    ...CORS,
    'content-type': type,
    'cache-control': `${isTokened ? 'private' : 'public'}, no-cache, max-age=1`,
    vary: 'Accept-Encoding',
    // The tag is weak: gzip gives other bytes of the same content.
    etag: `W/${etag}`,
    'last-modified': changedAt.toUTCString(),
  };
}

export function acceptsGzip(header: string | null | undefined): boolean {
  const coding = header?.split(',').find((part) => /^\s*(?:gzip|x-gzip|\*)\s*(?:;|$)/iu.test(part));
  return coding !== undefined && !/;\s*q=0(?:\.0*)?\s*$/iu.test(coding);
}
