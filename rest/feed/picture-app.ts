/**
 * GET /feed/pictures: the pictures of all tiles that a page shows, in one response. A browser has six connections to a server, and a page
 * has more tiles.
 */
import type { Context, Hono } from 'hono';
import { monotonicClock, type Clock } from '../../domain/time/clock.ts';
import type { Control } from '../../domain/ports/control.ts';
import { credentialOf, type CredentialDeps } from './credential.ts';
import { PictureSource } from './picture-source.ts';
import { pictureStream } from './picture-stream.ts';
import { parseWants } from './picture-want.ts';
import { serveStream, streamHeaders, type StreamRouteDeps } from './stream-route.ts';

export interface PictureDeps {
  control: Pick<Control, 'picture'>;
  /** Tells when a picture is due. */
  pictureClock?: Clock | undefined;
}

const NEEDS = { document: 'getFeedPictures', operations: ['getLivestreamPreview'], forDisplays: true };

export function servePictures(app: Hono, deps: PictureDeps & CredentialDeps & StreamRouteDeps): void {
  const { control, pictureClock: clock = monotonicClock } = deps;
  const source = new PictureSource(control, clock);

  async function answer(context: Context, requestId: string): Promise<Response> {
    const request = context.req.raw;
    const credential = await credentialOf(deps, request, requestId, NEEDS);
    const wants = parseWants(new URL(request.url).searchParams);
    const headers = streamHeaders('application/octet-stream', requestId);
    if (request.method === 'HEAD') return new Response(null, { headers });
    return new Response(pictureStream({ wants, source, credential, clock }), { headers });
  }

  serveStream(app, deps, { path: '/feed/pictures', operation: 'getFeedPictures', methods: ['GET', 'HEAD'], answer });
}
