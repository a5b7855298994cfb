/** Serves a document of the page that stays open: its refusals are problem details, and it counts as answered when it begins. */
import { performance } from 'node:perf_hooks';
import type { Context, Hono } from 'hono';
import { AppError } from '../../domain/base/errors.ts';
import type { Log } from '../../domain/base/log.ts';
import { otherMethod } from '../methods.ts';
import type { Meters } from '../metrics/metrics.ts';
import { problemReply, requestIdOf, type HeaderFields } from '../replies.ts';
import { PREFIX } from '../routes.ts';

export interface StreamRouteDeps {
  log: Log;
  meters: Meters;
}

interface StreamRoute {
  /** Below the prefix of the API. */
  path: string;
  /** The name in the counters and in the description. */
  operation: string;
  methods: readonly string[];
  answer(context: Context, requestId: string): Promise<Response>;
}

export function serveStream(app: Hono, { log, meters }: StreamRouteDeps, route: StreamRoute): void {
  const meter = meters.meter(route.operation);
  app.all(`${PREFIX}${route.path}`, async (context) => {
    const request = context.req.raw;
    const requestId = requestIdOf(request);
    const startedMs = performance.now();
    let outcome = 'ok';
    try {
      if (!route.methods.includes(request.method)) return otherMethod(request, context.req.path, [...route.methods]);
      return await route.answer(context, requestId);
    } catch (error) {
      outcome = error instanceof AppError ? error.code : 'internal';
      if (!(error instanceof AppError)) log.error({ err: error, requestId }, `${route.operation} failed`);
      return problemReply(error, requestId);
    } finally {
      meter.record(outcome, (performance.now() - startedMs) / 1000);
    }
  });
}

export function streamHeaders(contentType: string, requestId: string): HeaderFields {
  return {
    'Content-Type': contentType,
    'Cache-Control': 'no-store',
    // nginx would hold messages back until its buffer is full.
    'X-Accel-Buffering': 'no',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
  };
}

/** @hono/node-server hands this to a route beside the request; a test without a socket has nothing of it. */
interface Surroundings {
  outgoing?: { destroy(): void };
}

/** Breaks the connection of the request, whatever waits for it. */
export function cutOf(context: Context): () => void {
  const { outgoing } = (context.env ?? {}) as Surroundings;
  return () => outgoing?.destroy();
}
