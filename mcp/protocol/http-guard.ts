/** Checks an HTTP request before a message in it is read. Each check throws AppError. */
import { withDeadline } from '../../domain/time/deadline.ts';
import { AppError, toProblem } from '../../domain/base/errors.ts';
import type { Fault } from '../frames.ts';
import { RPC_INVALID_PARAMS, RPC_REFUSED, toErrorMessage } from '../rpc.ts';

function shown(value: string | null): string {
  return JSON.stringify((value ?? '').slice(0, 100));
}

/**
 * Reads the body as text, at most `limit` bytes of it: the promised length may be a lie or missing. Rejects when the body is not whole
 * after `withinMs`: the server itself sets no bound, because uploads over REST may take hours.
 */
export async function readBody(request: Request, limit: number, withinMs: number): Promise<string> {
  try {
    return await withDeadline(textOf(request, limit), withinMs, () => {
      throw new AppError('invalid_input', `The request body did not arrive within ${withinMs / 1000} s.`);
    });
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError('invalid_input', 'The request body ended before it was complete. Send it again.', { cause });
  }
}

async function textOf(request: Request, limit: number): Promise<string> {
  const coding = request.headers.get('content-encoding');
  if (coding !== null && coding.toLowerCase() !== 'identity') {
    const detail = `The body is encoded with ${shown(coding)}. Send application/json, not compressed.`;
    throw new AppError('unsupported_media', detail, { facts: { allowed: ['application/json'] } });
  }
  const promised = request.headers.get('content-length');
  if (promised !== null && Number(promised) <= limit) return request.text();
  if (promised !== null) throw tooLarge(limit);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function tooLarge(limit: number): AppError {
  return new AppError('too_large', `The request body may have ${limit} bytes. Send less, or upload files over REST.`, {
    facts: { max_bytes: limit },
  });
}

/** A caller's own id is kept when it is printable, because it goes into logs and replies. */
export function requestIdOf(headers: Headers): string {
  const own = headers.get('x-request-id');
  return own !== null && /^[\x21-\x7e]{1,128}$/u.test(own) ? own : crypto.randomUUID();
}

interface RefusalOptions {
  /** Default: -32000, a refusal by our own rules. */
  rpcCode?: number;
  /** The HTTP status, where it differs from that of the error's code. */
  status?: number;
  headers?: Record<string, string>;
}

/** A refusal of the whole POST: a JSON-RPC error without an id, with the problem object of REST as its data. */
export function refuse(error: unknown, requestId: string, options: RefusalOptions = {}): Response {
  const problem = toProblem(error, requestId);
  const { rpcCode = RPC_REFUSED, status = problem.status, headers = {} } = options;
  return Response.json(toErrorMessage(null, rpcCode, { ...problem, status }), {
    status,
    headers: {
      'X-Request-Id': requestId,
      ...headers,
    },
  });
}

/** A refusal of one request in a POST. Wrong params are answered as a reply, as both protocols answer them. */
export function refuseFrame({ id, rpcCode, error }: Fault, requestId: string): Response {
  const problem = toProblem(error, requestId);
  const status = rpcCode === RPC_INVALID_PARAMS && id !== null ? 200 : problem.status;
  const headers = { 'X-Request-Id': requestId };
  return Response.json(toErrorMessage(id, rpcCode, problem), { status, headers });
}
