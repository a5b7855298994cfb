/**
 * GET /feed/pictures: the pictures of all tiles that a page shows, in one response. A browser has six connections to a server, and a page
 * has more tiles.
 */
import type { Context, Hono } from 'hono';
import type { Control } from '../../domain/control.ts';
import { credentialOf, type CredentialParts } from './credential.ts';
import { PictureSource } from './picture-source.ts';
import { pictureStream } from './picture-stream.ts';
import { parseWants } from './picture-want.ts';
import { serveStream, streamHeaders, type StreamRouteParts } from './stream-route.ts';

export interface PictureParts {
  control: Pick<Control, 'picture'>;
}

const NEEDS = { document: 'getFeedPictures', operations: ['getLivestreamPreview'] };

export function servePictures(app: Hono, parts: PictureParts & CredentialParts & StreamRouteParts): void {
  const source = new PictureSource(parts.control);

  async function answer(context: Context, requestId: string): Promise<Response> {
    const request = context.req.raw;
    const credential = await credentialOf(parts, request, requestId, NEEDS);
    const wants = parseWants(new URL(request.url).searchParams);
    const headers = streamHeaders('application/octet-stream', requestId);
    if (request.method === 'HEAD') return new Response(null, { headers });
    return new Response(pictureStream({ wants, source, credential }), { headers });
  }

  serveStream(app, parts, { path: '/feed/pictures', operation: 'getFeedPictures', methods: ['GET', 'HEAD'], answer });
}
