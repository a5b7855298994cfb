/** Answers a method that a known path does not have (RFC 9110 §15.5.6), and OPTIONS (§9.3.7). */
import type { Context, Hono } from 'hono';
import { AppError } from '../domain/base/errors.ts';
import { problemReply, requestIdOf } from './replies.ts';

/** Serves GET, and HEAD as Hono does by itself, and nothing else at the path. */
export function serveReads(app: Hono, path: string, answer: (context: Context) => Response | Promise<Response>): void {
  app.get(path, answer);
  app.all(path, ({ req }) => otherMethod(req.raw, req.path, ['GET', 'HEAD']));
}

/** The answer to a request whose method is none of those that the path has. */
export function otherMethod(request: Request, path: string, methods: readonly string[]): Response {
  const requestId = requestIdOf(request);
  return request.method === 'OPTIONS'
    ? allowReply(methods, requestId)
    : problemReply(methodNotAllowed(request.method, path, methods), requestId);
}

export function allowReply(methods: readonly string[], requestId: string): Response {
  const headers = { Allow: [...methods, 'OPTIONS'].join(', '), 'X-Request-Id': requestId };
  return new Response(null, { status: 204, headers });
}

/** `path` is shown as it is. problemReply turns the methods into the Allow header. */
export function methodNotAllowed(method: string, path: string, known: readonly string[]): AppError {
  const methods = [...known, 'OPTIONS'];
  const place = JSON.stringify(path.slice(0, 200));
  return new AppError(
    'method_not_allowed',
    `There is no ${method.slice(0, 20)} at ${place}. The methods there are ${methods.join(', ')}.`,
    { facts: { methods } },
  );
}
