/** GET /feed/walls/{wallId}: the tiles of a wall as they are now, for the page and for displays. What is in the tiles comes by the feed. */
import type { Context, Hono } from 'hono';
import { notFound } from '../../domain/base/errors.ts';
import { jsonReply } from '../replies.ts';
import { credentialOf, type CredentialDeps } from './credential.ts';
import { DisplayCredential, shownWall } from './display.ts';
import { serveStream, type StreamRouteDeps } from './stream-route.ts';

const NEEDS = { document: 'getFeedWall', operations: ['getAllWalls'], forDisplays: true };
const ID = /\/feed\/walls\/([1-9]\d{0,14})$/u;

export function serveWalls(app: Hono, deps: CredentialDeps & StreamRouteDeps): void {
  async function answer(context: Context, requestId: string): Promise<Response> {
    const request = context.req.raw;
    const credential = await credentialOf(deps, request, requestId, NEEDS);
    const wallId = Number(ID.exec(new URL(request.url).pathname)?.[1]);
    const own = credential instanceof DisplayCredential ? credential.shown : await shownWall(deps.store, wallId);
    // A display learns nothing of other walls, not even whether they are there.
    if (own?.id !== wallId) throw notFound('Wall', wallId);
    return jsonReply(200, { data: own }, requestId);
  }

  const route = { path: '/feed/walls/*', operation: 'getFeedWall', methods: ['GET', 'HEAD'] };
  serveStream(app, deps, { ...route, answer });
}
