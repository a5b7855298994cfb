/** GET /feed: what happens to broadcasts and rows, as server-sent events, for the page. It is no tool: assistants ask for a status instead. */
import { performance } from 'node:perf_hooks';
import { Hono, type Context } from 'hono';
import { AppError } from '../../domain/errors.ts';
import type { Log } from '../../domain/log.ts';
import { otherMethod } from '../methods.ts';
import { family } from '../metrics/exposition.ts';
import type { Meters } from '../metrics/metrics.ts';
import { problemReply, requestIdOf } from '../replies.ts';
import { PREFIX } from '../routes.ts';
import { credentialOf, type CredentialParts } from './credential.ts';
import type { Feed } from './feed.ts';

interface FeedAppParts extends CredentialParts {
  feed: Feed;
  log: Log;
  meters: Meters;
}

/** @hono/node-server hands this to a route beside the request; a test without a socket has nothing of it. */
interface Surroundings {
  outgoing?: { destroy(): void };
}

export function feedApp(parts: FeedAppParts): Hono {
  const { feed, log, meters } = parts;
  const meter = meters.meter('getFeed');
  const app = new Hono();

  async function answer(context: Context, requestId: string): Promise<Response> {
    const request = context.req.raw;
    // HEAD would open a feed that nobody reads.
    if (request.method !== 'GET') return otherMethod(request, context.req.path, ['GET']);
    const credential = await credentialOf(parts, request, requestId);
    const lastId = request.headers.get('last-event-id') ?? undefined;
    const { outgoing } = (context.env ?? {}) as Surroundings;
    const stream = await feed.join(credential, lastId, () => outgoing?.destroy());
    const headers = {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
      // nginx would hold messages back until its buffer is full.
      'X-Accel-Buffering': 'no',
      'X-Content-Type-Options': 'nosniff',
      'X-Request-Id': requestId,
    };
    return new Response(stream, { headers });
  }

  app.all(`${PREFIX}/feed`, async (context) => {
    const requestId = requestIdOf(context.req.raw);
    const startedMs = performance.now();
    let outcome = 'ok';
    try {
      return await answer(context, requestId);
    } catch (error) {
      outcome = error instanceof AppError ? error.code : 'internal';
      if (!(error instanceof AppError)) log.error({ err: error, requestId }, 'getFeed failed');
      return problemReply(error, requestId);
    } finally {
      // The time until the first message: how long a page stays open is no property of the service.
      meter.record(outcome, (performance.now() - startedMs) / 1000);
    }
  });
  return app;
}

export function feedMetrics(feed: Feed): string {
  return family('onair_feed_viewers', 'gauge', 'Connections to the feed of the page.', [{ value: feed.size }]);
}
