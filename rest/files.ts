/** Streams files as answers, with single byte ranges (RFC 9110 §14). */
import { open, rm, type FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { AppError } from '../domain/base/errors.ts';
import { isUnchanged, rangeOf, type FileVersion } from '../domain/network/http-conditions.ts';
import type { MadeFile, StoredFile } from '../toolkit/tool.ts';
import type { HeaderFields } from './replies.ts';

/** Whether the caller prefers the JSON to the file, because it names JSON with a higher weight than the file's type. */
export function prefersJson(accept: string | null, contentType: string): boolean {
  if (accept === null) return false;
  return weightOf(accept, 'application/json') > weightOf(accept, contentType);
}

/** The weight of a media type in an Accept header; the most specific range counts (RFC 9110 §12.5.1). */
function weightOf(accept: string, mediaType: string): number {
  const [type = ''] = mediaType.toLowerCase().split('/');
  const fullType = mediaType.toLowerCase().split(';')[0]?.trim();
  let best = { rank: 0, weight: 0 };
  for (const range of accept.toLowerCase().split(',')) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim());
    const rank = name === fullType ? 3 : name === `${type}/*` ? 2 : name === '*/*' ? 1 : 0;
    const weight = Number(parameters.find((part) => part.startsWith('q='))?.slice(2) ?? 1);
    if (rank > best.rank) best = { rank, weight: Number.isNaN(weight) ? 0 : weight };
  }
  return best.weight;
}

/**
 * Rejects with AppError not_found when the file is gone. `version` is the ETag of the resource, where it stands for the content too;
 * left out, the ETag is made of the file's time and size.
 */
export async function fileReply(
  request: Request,
  file: StoredFile,
  requestId: string,
  version?: string,
): Promise<Response> {
  const handle = await openFile(file.path);
  try {
    if (file.temporary === true) await rm(file.path, { force: true });
    const { size, mtime } = await handle.stat();
    const etag = version ?? `"${mtime.getTime().toString(36)}-${size.toString(36)}"`;
    const fileVersion: FileVersion = { size, etag, changedAt: mtime };
    const header = (name: string): string | null => request.headers.get(name);
    const headers: HeaderFields = {
      'Content-Type': file.contentType,
      'Cache-Control': 'private, no-cache',
      // The next request makes another temporary file, so there is nothing to continue.
      'Accept-Ranges': file.temporary === true ? 'none' : 'bytes',
      ...(file.temporary !== true && { ETag: etag, 'Last-Modified': mtime.toUTCString() }),
      ...(file.filename !== undefined && { 'Content-Disposition': disposition(file.filename) }),
      'X-Request-Id': requestId,
      // Users brought the content: it is never a page of ours, whatever a browser takes it for.
      'X-Content-Type-Options': 'nosniff',
      'Content-Security-Policy': "default-src 'none'; sandbox",
    };
    if (file.temporary !== true && isUnchanged(header, fileVersion, true)) {
      await handle.close();
      return new Response(null, { status: 304, headers });
    }
    const span = file.temporary === true ? undefined : rangeOf(header, fileVersion);
    if (span === 'unsatisfiable') {
      await handle.close();
      return new Response(null, { status: 416, headers: { ...headers, 'Content-Range': `bytes */${size}` } });
    }
    const [start, end] = span ?? [0, size - 1];
    headers['Content-Length'] = String(end - start + 1);
    if (span !== undefined) headers['Content-Range'] = `bytes ${start}-${end}/${size}`;
    const status = span === undefined ? 200 : 206;
    if (request.method === 'HEAD' || size === 0) {
      await handle.close();
      return new Response(null, { status, headers });
    }
    // The stream closes the handle, also when the client goes away.
    const stream = Readable.toWeb(handle.createReadStream({ start, end }));
    return new Response(stream as unknown as ReadableStream, { status, headers });
  } catch (error) {
    // The first error is the one to report; on Linux even a close(2) that fails leaves no descriptor open.
    await handle.close().catch(() => undefined);
    throw error;
  }
}

/** The next request makes another file, so this one is neither cached nor sent in parts. */
export function madeReply(request: Request, { content, contentType, policy }: MadeFile, requestId: string): Response {
  const headers: HeaderFields = {
    'Content-Type': contentType,
    'Content-Length': String(content.byteLength),
    'Cache-Control': 'no-store',
    'X-Request-Id': requestId,
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': policy ?? "default-src 'none'; sandbox",
  };
  const body = request.method === 'HEAD' ? null : (content as Uint8Array<ArrayBuffer>);
  return new Response(body, { status: 200, headers });
}

/** Content-Disposition has the plain form for old clients, and the encoded one for names beyond ASCII (RFC 6266). */
function disposition(filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]|["\\%]/gu, '_');
  return `attachment; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(filename)}`;
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r');
  } catch (cause) {
    throw new AppError('not_found', 'The file of this resource is no longer there. Upload it again.', { cause });
  }
}
