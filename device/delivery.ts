/**
 * HTTP delivery of what Destinations keep under liveDir(): playlists, manifests and segments for players and CDNs. Read-only,
 * CORS for everyone, streamed from the disk. The agent and the control plane mount the same app.
 */
import { createReadStream } from 'node:fs';
import { constants, open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { Hono, type Context } from 'hono';
import { parseRange } from './agent/byte-range.ts';
import { liveDir } from './run-dir.ts';

interface Kind {
  type: string;
  manifest: boolean;
}

/** RFC 8216 §4, RFC 8216bis, ISO/IEC 23009-1, ISO/IEC 23000-19. What is not listed (temporary files, keys) is not served. */
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
/** One path element: no separator, no leading dot, nothing to decode. */
const FILE_NAME = /^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,199}$/u;
/** Ids as the store gives them. */
const ID = /^[1-9][0-9]{0,14}$/u;

const CORS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Accept-Ranges, Content-Length, Content-Range, Date, ETag, Last-Modified',
  'cross-origin-resource-policy': 'cross-origin',
  'timing-allow-origin': '*',
  'x-content-type-options': 'nosniff',
};

export function mediaApp(deviceDir: string): Hono {
  const app = new Hono();
  app.options('/live/*', (context) =>
    context.body(null, 204, {
      ...CORS,
      'access-control-allow-methods': 'GET, HEAD, OPTIONS',
      'access-control-allow-headers': 'Range, If-Range, If-None-Match, If-Modified-Since, Content-Type',
      'access-control-max-age': '86400',
    }),
  );
  // HEAD is answered by the same handler, which then opens no stream.
  app.get('/live/:livestream/:publishing/', (context) => serve(context, deviceDir, 'index.m3u8'));
  app.get('/live/:livestream/:publishing/:file', (context) => serve(context, deviceDir, context.req.param('file')));
  // One folder a rendition, named by its Encoding's id, or a track, named by its PID.
  app.get('/live/:livestream/:publishing/:encoding/:file', (context) => {
    const { encoding, file } = context.req.param();
    return ID.test(encoding) ? serve(context, deviceDir, file, encoding) : missing(context);
  });
  app.all('/live/*', (context) => {
    const known = context.req.method === 'GET' || context.req.method === 'HEAD';
    return known ? missing(context) : context.text('Only GET and HEAD.', 405, { ...CORS, allow: 'GET, HEAD, OPTIONS' });
  });
  return app;
}

function missing(context: Context): Response {
  // A playlist may appear a second later: a cache must not remember that it was not there.
  return context.text('Not found.', 404, { ...CORS, 'cache-control': 'no-store' });
}

async function serve(context: Context, deviceDir: string, name: string, rendition = ''): Promise<Response> {
  const { livestream = '', publishing = '' } = context.req.param() as Record<string, string>;
  const kind = KINDS[name.slice(name.lastIndexOf('.') + 1)];
  if (!ID.test(livestream) || !ID.test(publishing) || !FILE_NAME.test(name) || kind === undefined)
    return missing(context);
  const path = join(liveDir(deviceDir, Number(livestream), Number(publishing)), rendition, name);
  let file: FileHandle;
  try {
    // O_NOFOLLOW: a link in there would be none of ours. O_NONBLOCK: opening a FIFO must not wait for its writer.
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return missing(context);
  }
  let kept = false;
  try {
    const stat = await file.stat();
    if (!stat.isFile()) return missing(context);
    const found = {
      file,
      size: stat.size,
      etag: `"${stat.ino.toString(36)}-${stat.size.toString(36)}-${Math.floor(stat.mtimeMs).toString(36)}"`,
      changed: stat.mtime,
    };
    const reply = kind.manifest ? manifestReply(context, kind, found) : segmentReply(context, kind, found);
    kept = reply.body !== null;
    return reply;
  } finally {
    if (!kept) await file.close();
  }
}

interface Found {
  file: FileHandle;
  size: number;
  etag: string;
  changed: Date;
}

/** A live manifest is new every segment: always asked for again, cheap when it has not changed, small with gzip. */
function manifestReply(context: Context, kind: Kind, found: Found): Response {
  const zipped = acceptsGzip(context.req.header('accept-encoding'));
  const headers = {
    ...CORS,
    'content-type': kind.type,
    'cache-control': 'public, no-cache, max-age=1',
    vary: 'Accept-Encoding',
    // Weak: gzip gives other bytes of the same content.
    etag: `W/${found.etag}`,
    'last-modified': found.changed.toUTCString(),
    ...(zipped ? { 'content-encoding': 'gzip' } : { 'content-length': String(found.size) }),
  };
  if (isUnchanged(context, found)) return unchanged(headers);
  if (context.req.method === 'HEAD') return new Response(null, { headers });
  const body = bytes(found, 0, found.size - 1);
  return new Response(Readable.toWeb(zipped ? pipeline(body, createGzip(), ignore) : body) as ReadableStream, {
    headers,
  });
}

/** A segment never changes once a playlist names it; its name is never used again. */
function segmentReply(context: Context, kind: Kind, found: Found): Response {
  const { size } = found;
  const headers = {
    ...CORS,
    'content-type': kind.type,
    'cache-control': 'public, max-age=31536000, immutable',
    'accept-ranges': 'bytes',
    etag: found.etag,
    'last-modified': found.changed.toUTCString(),
  };
  if (isUnchanged(context, found)) return unchanged(headers);
  const range = rangeOf(context, found);
  if (range === 'unsatisfiable')
    return new Response(null, { status: 416, headers: { ...headers, 'content-range': `bytes */${size}` } });
  const [first, last] = range ?? [0, size - 1];
  const partial = range === undefined ? undefined : { 'content-range': `bytes ${first}-${last}/${size}` };
  const init = {
    status: partial ? 206 : 200,
    headers: { ...headers, ...partial, 'content-length': String(last - first + 1) },
  };
  if (context.req.method === 'HEAD') return new Response(null, init);
  return new Response(Readable.toWeb(bytes(found, first, last)) as ReadableStream, init);
}

/** The file is closed with the stream, also when the viewer goes away. `last` −1: an empty file. */
function bytes({ file }: Found, first: number, last: number): Readable {
  if (last < first) {
    void file.close();
    return new PassThrough().end();
  }
  return createReadStream('', { fd: file, start: first, end: last, autoClose: true });
}

/** RFC 9110 §13.1.2 and §13.1.3: If-None-Match, compared weakly, stands before If-Modified-Since. */
function isUnchanged(context: Context, { etag, changed }: Found): boolean {
  const match = context.req.header('if-none-match');
  if (match !== undefined) {
    return match.split(',').some((given) => given.trim() === '*' || given.trim().replace(/^W\//u, '') === etag);
  }
  const since = Date.parse(context.req.header('if-modified-since') ?? '');
  // HTTP dates have whole seconds, and a live manifest changes within one: equal is not old enough.
  return Math.floor(changed.getTime() / 1000) * 1000 < since;
}

function unchanged(headers: Record<string, string>): Response {
  const { 'content-length': _length, 'content-encoding': _encoding, ...rest } = headers;
  return new Response(null, { status: 304, headers: rest });
}

/** RFC 9110 §13.1.5: a range of another version of the file is no range. */
function rangeOf(context: Context, { size, etag, changed }: Found): [number, number] | 'unsatisfiable' | undefined {
  const condition = context.req.header('if-range');
  if (condition !== undefined && condition !== etag && condition !== changed.toUTCString()) return undefined;
  return parseRange(context.req.header('range'), size);
}

function acceptsGzip(header: string | undefined): boolean {
  const coding = header?.split(',').find((part) => /^\s*(?:gzip|x-gzip|\*)\s*(?:;|$)/iu.test(part));
  return coding !== undefined && !/;\s*q=0(?:\.0*)?\s*$/iu.test(coding);
}

function ignore(): void {
  // pipeline destroys both streams on an error; the viewer sees a broken transfer and asks again.
}
