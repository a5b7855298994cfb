/** Reads the body of a POST, or refuses the POST before a protocol sees it, with the calls in it. */
import { AppError } from '../../domain/base/errors.ts';
import { jsonOf } from '../../domain/base/json.ts';
import { assertBounded } from '../../toolkit/input/json-bounds.ts';
import type { KnownHosts } from '../../toolkit/input/known-hosts.ts';
import { faultOfBody, faultOfKey, FRAME_BOUNDS, withoutNulls, type Fault } from '../frames.ts';
import { readBody } from './http-guard.ts';
import { meantCalls, meantInText, type MeantCall } from '../calls/refused-calls.ts';
import { RPC_PARSE_ERROR, RPC_REFUSED } from '../rpc.ts';

const KEY_HEADER = 'idempotency-key';

export interface RefusedPost {
  fault: Fault;
  calls: readonly MeantCall[];
}

export interface Post {
  fault?: undefined;
  body: unknown;
  /** The key of its one call. */
  idempotencyKey: string | undefined;
}

export interface PostBounds {
  /** The host names by which the server is reached. */
  hosts: KnownHosts;
  maxBodyBytes: number;
  bodyTimeoutMs: number;
}

export async function readPost(
  request: Request,
  { hosts, maxBodyBytes, bodyTimeoutMs }: PostBounds,
): Promise<Post | RefusedPost> {
  let text = '';
  try {
    hosts.assertKnown(request.headers, request.url);
    text = await readBody(request, maxBodyBytes, bodyTimeoutMs);
    assertBounded(text, 'body', FRAME_BOUNDS);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { fault: { id: null, rpcCode: RPC_REFUSED, error }, calls: meantInText(text) };
  }
  const body = withoutNulls(jsonOf(text));
  if (body === undefined) {
    const error = new AppError('invalid_input', 'The body is not JSON.');
    return { fault: { id: null, rpcCode: RPC_PARSE_ERROR, error }, calls: meantInText(text) };
  }
  const idempotencyKey = request.headers.get(KEY_HEADER) ?? undefined;
  const fault = faultOfBody(body) ?? (idempotencyKey === undefined ? undefined : faultOfKey(meantCalls(body).length));
  return fault === undefined ? { body, idempotencyKey } : { fault, calls: meantCalls(body) };
}
