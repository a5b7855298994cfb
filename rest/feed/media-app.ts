/**
 * GET /feed/live: the media of a Destination, read from its Device for callers who are signed in. A page that came by https may not load
 * the http address of a Device, and its browser may not reach the Device at all.
 */
import type { IncomingMessage } from 'node:http';
import type { Context, Hono } from 'hono';
import type { Control } from '../../domain/ports/control.ts';
import { AppError } from '../../domain/base/errors.ts';
import { MEDIA_FILE } from '../../domain/shapes/destinations/playback.ts';
import { PREFIX } from '../routes.ts';
import type { HeaderFields } from '../replies.ts';
import { credentialOf, whileAllowed, type CredentialDeps } from './credential.ts';
import { deviceMedia, type MediaOrder } from './device-media.ts';
import type { Credential } from './feed-reader.ts';
import { cutOf, serveStream, streamHeaders, type StreamRouteDeps } from './stream-route.ts';

export interface MediaDeps {
  control: Pick<Control, 'mediaSource'>;
  /** Certificates that a Device over TLS is trusted by, beyond those that this machine trusts by itself. */
  trust?: ((url: string) => Promise<MediaOrder['trust']>) | undefined;
}

/** Bounds the connections to Devices; a page listens to one broadcast at a time. */
const MAX_OPEN = 200;
const RETRY_SECONDS = 1;
const PATH = new RegExp(`/feed/live/([1-9][0-9]{0,14})/([1-9][0-9]{0,14})/(${MEDIA_FILE})$`, 'u');
const REQUEST_FIELDS = ['range', 'if-range', 'if-none-match', 'if-modified-since', 'accept-encoding'];
const ANSWER_FIELDS: Record<string, string> = {
  'content-type': 'Content-Type',
  'content-length': 'Content-Length',
  'content-range': 'Content-Range',
  'content-encoding': 'Content-Encoding',
  'accept-ranges': 'Accept-Ranges',
  etag: 'ETag',
  'last-modified': 'Last-Modified',
  vary: 'Vary',
};

/** A player with low latency waits for these. Nothing else of a query goes to a Device. */
const WAITS = ['_HLS_msn', '_HLS_part', '_HLS_skip'];
const WAIT_VALUE = /^(?:\d{1,15}|YES|v2)$/u;

function waitsIn(query: URLSearchParams): string {
  const waits = WAITS.flatMap((name) => {
    const value = query.get(name);
    return value !== null && WAIT_VALUE.test(value) ? [`${name}=${value}`] : [];
  });
  return waits.length === 0 ? '' : `?${waits.join('&')}`;
}

/** A caller who may see a picture of the broadcast may watch it. */
const NEEDS = { document: 'getFeedMedia', operations: ['getLivestreamPreview'] };

export function serveMedia(app: Hono, deps: MediaDeps & CredentialDeps & StreamRouteDeps): void {
  let open = 0;

  async function answer(context: Context, requestId: string): Promise<Response> {
    const request = context.req.raw;
    const credential = await credentialOf(deps, request, requestId, NEEDS);
    const [path, livestreamId, publishingId, file = ''] = PATH.exec(new URL(request.url).pathname) ?? [];
    if (path === undefined)
      throw new AppError('not_found', `Media is at ${PREFIX}/feed/live/{livestreamId}/{publishingId}/{file}.`);
    const source = await deps.control.mediaSource(Number(livestreamId), Number(publishingId));
    if (open >= MAX_OPEN)
      throw new AppError('unavailable', `${MAX_OPEN} answers with media are under way.`, {
        retryAfterSeconds: RETRY_SECONDS,
      });
    open += 1;
    const trust = await deps.trust?.(source.url);
    const search = waitsIn(new URL(request.url).searchParams);
    const method = request.method === 'HEAD' ? 'HEAD' : 'GET';
    const order = { method, file, search, signal: request.signal, trust } as const;
    const incoming = await deviceMedia(source, { ...order, headers: requestFields(request) }).catch(
      (error: unknown) => {
        open -= 1;
        throw error;
      },
    );
    incoming.once('close', () => (open -= 1));
    const hasContent = order.method === 'GET' && (incoming.statusCode === 200 || incoming.statusCode === 206);
    if (!hasContent) incoming.destroy();
    const headers = answerFields(incoming, requestId);
    return new Response(hasContent ? contentOf(incoming, credential, cutOf(context)) : null, {
      status: incoming.statusCode ?? 502,
      headers,
    });
  }

  serveStream(app, deps, { path: '/feed/live/*', operation: 'getFeedMedia', methods: ['GET', 'HEAD'], answer });
}

/** Neither the caller's credential nor a query goes to the Device. */
function requestFields({ headers }: Request): Record<string, string> {
  const fields = REQUEST_FIELDS.map((name) => [name, headers.get(name)] as const);
  return Object.fromEntries(fields.filter((field): field is [string, string] => field[1] !== null));
}

function answerFields({ headers }: IncomingMessage, requestId: string): HeaderFields {
  const fields: HeaderFields = {
    ...streamHeaders('application/octet-stream', requestId),
    // The browser may keep it for the one who is signed in, and asks each time whether that still counts.
    'Cache-Control': 'private, no-cache',
  };
  for (const [name, written] of Object.entries(ANSWER_FIELDS)) {
    const value = headers[name];
    if (typeof value === 'string') fields[written] = value;
  }
  return fields;
}

/**
 * Nothing is read ahead of the caller: what waits is in the buffers of the two connections. `cut` breaks the caller's, who would take media
 * that ends early for whole otherwise.
 */
function contentOf(incoming: IncomingMessage, credential: Credential, cut: () => void): ReadableStream<Uint8Array> {
  const end = (): void => void incoming.destroy(new Error('The caller may not watch any more.'));
  const stopChecking = whileAllowed(credential, end);
  // Whoever reads learns of an error by the next read.
  incoming.once('close', stopChecking).on('error', () => undefined);
  const pieces = incoming[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await pieces.next();
          if (done !== true) return controller.enqueue(value);
        } catch {
          cut();
        }
        controller.close();
      },
      cancel: () => void incoming.destroy(),
    },
    { highWaterMark: 0 },
  );
}
