/** The answers of REST: request ids, JSON and problems. Headers go out as one plain object, which is the server's fast path. */
import { randomUUID } from 'node:crypto';
import { AppError, toProblem, type Problem } from '../domain/base/errors.ts';
import { toJson } from '../toolkit/output/views.ts';

export type HeaderFields = Record<string, string>;

export const JSON_TYPE = 'application/json';
const PROBLEM_TYPE = 'application/problem+json';

/** Answers the caller's own X-Request-Id of 1 to 128 printable ASCII characters, else a new one. */
export function requestIdOf(request: Request): string {
  const own = request.headers.get('x-request-id');
  return own !== null && /^[\x20-\x7e]{1,128}$/u.test(own) ? own : randomUUID();
}

/** The answer of an operation belongs to one caller, so no cache may keep it. */
export function jsonReply(status: number, body: unknown, requestId: string, extra?: HeaderFields): Response {
  const headers: HeaderFields = { 'Content-Type': JSON_TYPE, 'Cache-Control': 'no-store', 'X-Request-Id': requestId };
  return new Response(toJson(body), {
    status,
    headers: extra === undefined ? headers : Object.assign(headers, extra),
  });
}

/** Answers RFC 9457 problem details for any error; an unexpected one shows nothing of itself. */
export function problemReply(error: unknown, requestId: string, extra?: HeaderFields): Response {
  const problem = toProblem(error, requestId);
  const headers: HeaderFields = {
    'Content-Type': PROBLEM_TYPE,
    'Cache-Control': 'no-store',
    'X-Request-Id': requestId,
    ...(problem.code === 'unauthenticated' && { 'WWW-Authenticate': 'Bearer' }),
    ...(error instanceof AppError && error.extras.replayed && { 'Idempotency-Replayed': 'true' }),
    ...allowHeader(problem),
    ...(problem.retry_after_seconds !== undefined && { 'Retry-After': String(Math.ceil(problem.retry_after_seconds)) }),
    ...extra,
  };
  return new Response(JSON.stringify(problem), { status: problem.status, headers });
}

/** A refused method is answered with those that are allowed (RFC 9110 §15.5.6). */
function allowHeader({ code, methods }: Problem): HeaderFields | undefined {
  return code === 'method_not_allowed' && Array.isArray(methods) ? { Allow: methods.join(', ') } : undefined;
}

export function textReply(body: string, contentType: string, requestId: string, extra?: HeaderFields): Response {
  const headers: HeaderFields = {
    'Content-Type': contentType,
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
  };
  return new Response(body, { status: 200, headers: { ...headers, ...extra } });
}
