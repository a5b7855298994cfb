/** One request by the name of its operation. */
import type { OperationId } from '../../client/request.ts';
import { requestFor, send } from './client.ts';
import type { BodyOf, ParamsOf } from './operation-types.ts';

export interface CallOptions<O extends OperationId> {
  params?: ParamsOf<O> | undefined;
  body?: BodyOf<O> | undefined;
  etag?: string | undefined;
  idempotencyKey?: string;
  requestId?: string;
  signal?: AbortSignal;
  /** It stands for a display, where nobody is signed in. */
  token?: string | undefined;
}

export interface CallAnswer {
  /** The whole body of the answer. */
  body: unknown;
  etag: string | undefined;
  requestId: string | undefined;
}

/** The flat arguments of a call; a parameter that is empty asks for nothing. */
export function argumentsOf(params: unknown, body: unknown): Record<string, unknown> {
  return {
    ...Object.fromEntries(Object.entries(params ?? {}).filter(([, value]) => value !== '')),
    ...(body as object | undefined),
  };
}

/** Rejects with ProblemError. */
export async function call<O extends OperationId>(operation: O, options: CallOptions<O> = {}): Promise<CallAnswer> {
  const { params, body, etag, idempotencyKey, requestId, signal, token } = options;
  const request = requestFor(operation, argumentsOf(params, body), {
    ...(etag !== undefined && { 'If-Match': etag }),
    ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
    ...(requestId !== undefined && { 'X-Request-Id': requestId }),
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
  });
  const response = await send(operation, request, signal);
  const text = await response.text();
  return {
    body: text === '' ? undefined : (JSON.parse(text) as unknown),
    etag: response.headers.get('ETag') ?? undefined,
    requestId: response.headers.get('X-Request-Id') ?? undefined,
  };
}

/** The `data` of an answer; undefined where it has none. */
export function dataIn(body: unknown): unknown {
  return typeof body === 'object' && body !== null && 'data' in body ? body.data : undefined;
}

/** The address of a report, which is a page of the server's own. */
export function reportAddress(params: ParamsOf<'getRunReport'>): string {
  return requestFor('getRunReport', argumentsOf({ ...params, format: 'html' }, undefined)).address;
}

/** The address of the picture that viewers saw last at this instant, which is ISO 8601. */
export function pictureAddress(livestreamId: number, at: string): string {
  return requestFor('getLivestreamPreview', argumentsOf({ livestreamId, at }, undefined)).address;
}
