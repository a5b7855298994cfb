/**
 * GET /feed/pictures: the pictures of all tiles that a page shows, in one response. A browser has six connections to a server, and a page
 * has more tiles.
 */
import { performance } from 'node:perf_hooks';
import { Hono } from 'hono';
import { bearerOf, type Auth } from '../../auth/auth.ts';
import type { Control } from '../../domain/control.ts';
import { AppError } from '../../domain/errors.ts';
import type { Log } from '../../domain/log.ts';
import type { Caller } from '../../domain/security.ts';
import { otherMethod } from '../methods.ts';
import type { Meters } from '../metrics/metrics.ts';
import { problemReply, requestIdOf } from '../replies.ts';
import { PREFIX } from '../routes.ts';
import type { SessionAuth } from '../session-cookie.ts';
import { PictureSource } from './picture-source.ts';
import { pictureStream } from './picture-stream.ts';
import { parseWants } from './picture-want.ts';

export interface PictureAppParts {
  control: Pick<Control, 'picture'>;
  auth: Auth;
  sessionAuth: Pick<SessionAuth, 'callerOf' | 'assertOurOrigin'>;
  log: Log;
  meters: Meters;
}

const METHODS = ['GET', 'HEAD'];
/** The name in the counters and in the description. */
const OPERATION = 'getFeedPictures';

export function pictureApp({ control, auth, sessionAuth, log, meters }: PictureAppParts): Hono {
  const app = new Hono();
  const source = new PictureSource(control);
  const meter = meters.meter(OPERATION);

  async function callerOf(request: Request, requestId: string): Promise<Caller> {
    sessionAuth.assertOurOrigin(request.headers);
    const bearer = bearerOf(request.headers.get('authorization'));
    return bearer === undefined ? sessionAuth.callerOf(request) : auth.authenticate(bearer, { via: 'rest', requestId });
  }

  async function answer(request: Request, requestId: string): Promise<Response> {
    await callerOf(request, requestId);
    const wants = parseWants(new URL(request.url).searchParams);
    const headers = {
      'Content-Type': 'application/octet-stream',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      // A proxy that gathers bytes would deliver old pictures.
      'X-Accel-Buffering': 'no',
      'X-Request-Id': requestId,
    };
    if (request.method === 'HEAD') return new Response(null, { headers });
    const assertAllowed = (): Promise<unknown> => callerOf(request, requestId);
    return new Response(pictureStream({ wants, source, assertAllowed }), { headers });
  }

  app.all(`${PREFIX}/feed/pictures`, async (c) => {
    const request = c.req.raw;
    const requestId = requestIdOf(request);
    const startedMs = performance.now();
    let outcome = 'ok';
    try {
      return METHODS.includes(request.method)
        ? await answer(request, requestId)
        : otherMethod(request, c.req.path, METHODS);
    } catch (error) {
      outcome = error instanceof AppError ? error.code : 'internal';
      if (!(error instanceof AppError)) log.error({ err: error, requestId }, `${OPERATION} failed`);
      return problemReply(error, requestId);
    } finally {
      // A stream counts as answered when it begins.
      meter.record(outcome, (performance.now() - startedMs) / 1000);
    }
  });
  return app;
}
