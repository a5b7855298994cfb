/** One request by the name of its operation. */
import { OPERATIONS, type OperationId } from '../gen/operations.ts';
import { client } from './client.ts';
import type { BodyOf, ParamsOf } from './operation-types.ts';

export interface CallOptions<O extends OperationId> {
  params?: ParamsOf<O> | undefined;
  body?: BodyOf<O> | undefined;
  etag?: string | undefined;
  idempotencyKey?: string;
  requestId?: string;
  signal?: AbortSignal;
}

export interface CallAnswer {
  /** The whole body of the answer. */
  body: unknown;
  etag: string | undefined;
  requestId: string | undefined;
}

/** openapi-fetch types a call by its path; here the operation's name has typed it already. */
type Request = (method: string, path: string, init: object) => Promise<{ data?: unknown; response: Response }>;

/** Splits flat parameters by the names in the path. */
export function splitParams(path: string, params: object): { path: object; query: object } {
  const isInPath = ([name]: [string, unknown]): boolean => path.includes(`{${name}}`);
  const entries = Object.entries(params).filter(([, value]) => value !== undefined && value !== '');
  return {
    path: Object.fromEntries(entries.filter(isInPath)),
    query: Object.fromEntries(entries.filter((entry) => !isInPath(entry))),
  };
}

/** Rejects with ProblemError. */
export async function call<O extends OperationId>(operation: O, options: CallOptions<O> = {}): Promise<CallAnswer> {
  const { method, path } = OPERATIONS[operation];
  const { params, body, etag, idempotencyKey, requestId, signal } = options;
  const { data, response } = await (client.request as unknown as Request)(method.toLowerCase(), path, {
    params: splitParams(path, params ?? {}),
    ...(body !== undefined && { body }),
    ...(signal !== undefined && { signal }),
    headers: {
      ...(etag !== undefined && { 'If-Match': etag }),
      ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
      ...(requestId !== undefined && { 'X-Request-Id': requestId }),
    },
  });
  return {
    body: data,
    etag: response.headers.get('ETag') ?? undefined,
    requestId: response.headers.get('X-Request-Id') ?? undefined,
  };
}

/** The `data` of an answer; undefined where it has none. */
export function dataIn(body: unknown): unknown {
  return typeof body === 'object' && body !== null && 'data' in body ? body.data : undefined;
}
