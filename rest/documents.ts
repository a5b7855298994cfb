/** Documents that are the same for everybody. All answers refer to the same bytes, so a client that does not read holds no copy. */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { namesEtag } from '../domain/network/http-conditions.ts';
import { requestIdOf, type HeaderFields } from './replies.ts';

interface Version {
  bytes: Uint8Array<ArrayBuffer>;
  headers: HeaderFields;
  etag: string;
}

/** TLS encrypts a write as a whole and keeps it until it is taken: in pieces, a client that does not read holds one of them. */
const PIECE_BYTES = 64 << 10;

export function bytesReply(bytes: Uint8Array<ArrayBuffer>, headers: HeaderFields): Response {
  if (bytes.length <= PIECE_BYTES) return new Response(bytes, { headers });
  let at = 0;
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    controller.enqueue(bytes.subarray(at, (at += PIECE_BYTES)));
    if (at >= bytes.length) controller.close();
  };
  const body = new ReadableStream({ pull }, { highWaterMark: 0 });
  return new Response(body, { headers: { ...headers, 'Content-Length': String(bytes.length) } });
}

/** Answers with the text that `read` gives at the first request, or with its bytes. */
export function documentReply(
  read: () => string | Uint8Array<ArrayBuffer>,
  contentType: string,
  extra: HeaderFields = {},
): (request: Request) => Response {
  let plainVersion: Version | undefined;
  let gzipVersion: Version | undefined;
  const versionOf = (bytes: Uint8Array<ArrayBuffer>, more: HeaderFields): Version => {
    const etag = `"${createHash('sha256').update(bytes).digest('base64')}"`;
    return {
      bytes,
      etag,
      headers: {
        'Content-Type': contentType,
        'Cache-Control': 'no-cache',
        'X-Content-Type-Options': 'nosniff',
        Vary: 'Accept-Encoding',
        ETag: etag,
        ...more,
        ...extra,
      },
    };
  };
  return (request) => {
    plainVersion ??= versionOf(bytesOf(read()), {});
    const takesGzip = takes(request.headers.get('accept-encoding'), 'gzip');
    if (takesGzip) gzipVersion ??= versionOf(gzipSync(plainVersion.bytes), { 'Content-Encoding': 'gzip' });
    const { bytes, headers, etag } = (takesGzip ? gzipVersion : undefined) ?? plainVersion;
    const replyHeaders = { ...headers, 'X-Request-Id': requestIdOf(request) };
    if (namesEtag(request.headers.get('if-none-match') ?? '', etag))
      return new Response(null, { status: 304, headers: replyHeaders });
    return bytesReply(bytes, replyHeaders);
  };
}

function bytesOf(text: string | Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return typeof text === 'string' ? Buffer.from(text) : text;
}

/** The first of `codings` that the client takes, else `identity`; the weights of those that it takes are not compared. */
export function codingFor(accepted: string | null, codings: readonly string[]): string {
  return codings.find((coding) => takes(accepted, coding)) ?? 'identity';
}

/** Reads RFC 9110 §12.5.3 as far as clients write it: a name with a weight. */
function takes(accepted: string | null, coding: string): boolean {
  return (accepted ?? '').split(',').some((part) => {
    const [name = '', weight = ''] = part.split(';');
    const isNamed = name.trim().toLowerCase() === coding || (coding === 'gzip' && name.trim() === '*');
    return isNamed && !/^\s*q=0(?:\.0*)?\s*$/iu.test(weight);
  });
}
