/** The one way by which commands call operations of the server: over REST, by the name of the operation. */
import type { IncomingMessage } from 'node:http';
import { OPERATIONS, requestOf, type OperationId } from '../../client/request.ts';
import { AppError } from '../../domain/base/errors.ts';
import { jsonOf } from '../../domain/base/json.ts';
import type { Target } from '../settings/credentials.ts';
import { bytesOf, cutOff, fromProblem, requestAs } from './request.ts';
import { progressParts } from './silence.ts';

export interface CallOptions {
  idempotencyKey?: string;
  /** Receives the progress of a workflow, as an assistant does; operations report none. */
  progress?: ((message: string, seconds: number) => void) | undefined;
}

export type Arguments = Record<string, unknown>;

/** The answer of an operation of this name, from the server of this command line. Rejects as sendCall does. */
export async function callServer<T = unknown>(
  name: OperationId,
  args: Arguments = {},
  options: CallOptions = {},
): Promise<T> {
  return (await sendCall(await server(), name, args, options)) as T;
}

/** All rows of a list, whatever the size of its pages. */
export async function listAll<Row>(name: OperationId, args: Arguments = {}): Promise<Row[]> {
  const rows: Row[] = [];
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const answer = await callServer<{ rows: Row[]; pagination: { totalPages: number } }>(name, {
      ...args,
      page,
      pageSize: PAGE,
    });
    rows.push(...answer.rows);
    pages = answer.pagination.totalPages;
  }
  return rows;
}

/** The API gives no larger page. */
const PAGE = 500;

/** The file that an operation answers over REST in place of its object. */
export async function readFileOf(name: OperationId, args: Arguments): Promise<Buffer> {
  const chosen = await server();
  const response = await respond(chosen, name, args, '*/*', {});
  const bytes = await bytesOf(response, chosen);
  if ((response.statusCode ?? 500) < 300) return bytes;
  throw fromProblem(jsonOf(bytes.toString()), response.statusCode ?? 500);
}

/** Completion names its server itself: it reads no schema of a setting. */
async function server(): Promise<Target> {
  return (await import('../settings/target.ts')).target();
}

/** A workflow tells its progress on the way, and its object is `data` of what REST answers. */
function isWorkflow(name: OperationId): boolean {
  return OPERATIONS[name].path.includes('/workflows/');
}

/**
 * Answers a workflow's object itself, as it is over MCP, and the body of any other operation. Rejects with AppError: the server's own
 * problem, or NoAnswer.
 */
export async function sendCall(
  server: Target,
  name: OperationId,
  args: Arguments,
  options: CallOptions = {},
): Promise<unknown> {
  const takesEvents = isWorkflow(name) && options.progress !== undefined;
  const accept = takesEvents ? 'application/json, text/event-stream' : 'application/json';
  const response = await respond(server, name, args, accept, options);
  const status = response.statusCode ?? 500;
  const body = await bodyOf(response, server, options.progress);
  // A refusal that ends a stream has come with the status of the stream.
  if (status > 299 || isProblem(body)) throw fromProblem(body, status);
  if (!isWorkflow(name)) return body;
  const { data } = (body ?? {}) as { data?: unknown };
  if (data === undefined) throw fromProblem(undefined, status);
  return data;
}

function respond(
  server: Target,
  name: OperationId,
  args: Arguments,
  accept: string,
  { idempotencyKey }: CallOptions,
): Promise<IncomingMessage> {
  const { method, place, body } = requestOf(name, args);
  return requestAs(server, new URL(`${server.url}${place}`), {
    method,
    headers: {
      accept,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    },
    ...(typeof body === 'string' && { body }),
  });
}

function isProblem(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'code' in body && 'request_id' in body;
}

/** An event of a stream. The one that ends it has neither field. */
interface Progress {
  progress?: number;
  message?: string;
}

/** The answer is a document, or the end of a stream of progress. Rejects with NoAnswer when it is cut off. */
async function bodyOf(response: IncomingMessage, server: Target, progress: CallOptions['progress']): Promise<unknown> {
  const isStream = response.headers['content-type']?.startsWith('text/event-stream') === true;
  // A body that is no JSON is no problem object either; fromProblem says so.
  if (!isStream) return jsonOf((await bytesOf(response, server)).toString());
  const { eventReader } = await import('../../mcp/posts.ts');
  let answer: unknown;
  const read = eventReader<Progress>((event) => {
    if (event.progress === undefined) answer = event;
    else progress?.(event.message ?? '', event.progress);
  });
  try {
    for await (const part of progressParts(response, new URL(server.url))) {
      read(part);
      if (answer !== undefined) return answer;
    }
  } catch (cause) {
    throw cause instanceof AppError ? cause : cutOff(server.url, cause);
  }
  throw cutOff(server.url);
}
