/** GET /feed: what happens to broadcasts and rows, as server-sent events, for the page. It is no tool: assistants ask for a status instead. */
import { Hono, type Context } from 'hono';
import { createDisplays, type DisplayDeps } from '../../auth/displays.ts';
import { family } from '../metrics/exposition.ts';
import { credentialOf, type CredentialDeps } from './credential.ts';
import type { Feed } from './feed.ts';
import { serveMedia, type MediaDeps } from './media-app.ts';
import { servePictures, type PictureDeps } from './picture-app.ts';
import { serveWalls } from './wall-app.ts';
import { cutOf, serveStream, streamHeaders, type StreamRouteDeps } from './stream-route.ts';

type FeedAppDeps = Omit<CredentialDeps, 'displays'> &
  DisplayDeps &
  StreamRouteDeps &
  PictureDeps &
  MediaDeps & { feed: Feed };

/** The messages that every reader gets; those of changed rows are for callers who may list them. */
const NEEDS = {
  document: 'getFeed',
  operations: ['getLivestreamsStatus', 'getDevicesLiveStatus', 'getAllEvents'],
  forDisplays: true,
};

export function feedApp(parts: FeedAppDeps): Hono {
  const { feed } = parts;
  const deps = { ...parts, displays: createDisplays(parts) };
  const app = new Hono();

  async function answer(context: Context, requestId: string): Promise<Response> {
    const request = context.req.raw;
    const credential = await credentialOf(deps, request, requestId, NEEDS);
    const lastId = request.headers.get('last-event-id') ?? undefined;
    const stream = await feed.join(credential, lastId, cutOf(context));
    return new Response(stream, { headers: streamHeaders('text/event-stream; charset=utf-8', requestId) });
  }

  // HEAD would open a feed that nobody reads.
  serveStream(app, deps, { path: '/feed', operation: 'getFeed', methods: ['GET'], answer });
  servePictures(app, deps);
  serveMedia(app, deps);
  serveWalls(app, deps);
  return app;
}

export function feedMetrics(feed: Feed): string {
  return family('onair_feed_viewers', 'gauge', 'Connections to the feed of the page.', [{ value: feed.size }]);
}
