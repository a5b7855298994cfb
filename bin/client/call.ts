/** The one way by which commands call operations of the server: over REST, by the name of the operation. */
import type { IncomingMessage } from 'node:http';
import { AppError } from '../../domain/errors.ts';
import { jsonOf } from '../../domain/json.ts';
import { isWorkflow, routeOf, type Tool } from '../../toolkit/tool.ts';
import type { Target } from '../credentials.ts';
import { bytesOf, cutOff, fromProblem, requestAs } from './request.ts';
import { progressParts } from './silence.ts';
import { ROUTES, type OperationName } from './routes.ts';

export interface CallOptions {
  idempotencyKey?: string;
  /** Receives the progress of a workflow, as an assistant does; operations report none. */
  progress?: ((message: string, seconds: number) => void) | undefined;
}

export type Arguments = Record<string, unknown>;

/** The answer of an operation of this name, from the server of this command line. Rejects as sendCall does. */
export async function callServer<T = unknown>(
  name: OperationName,
  args: Arguments = {},
  options: CallOptions = {},
): Promise<T> {
  return (await sendCall(await server(), toolNamed(name), args, options)) as T;
}

/** All rows of a list, whatever the size of its pages. */
export async function listAll<Row>(name: OperationName, args: Arguments = {}): Promise<Row[]> {
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
export async function readFileOf(name: OperationName, args: Arguments): Promise<Buffer> {
  const chosen = await server();
  const response = await respond(chosen, toolNamed(name), args, '*/*', {});
  const bytes = await bytesOf(response, chosen);
  if ((response.statusCode ?? 500) < 300) return bytes;
  throw fromProblem(jsonOf(bytes.toString()), response.statusCode ?? 500);
}

/** Completion names its server itself: it reads no schema of a setting. */
async function server(): Promise<Target> {
  return (await import('../target.ts')).target();
}

export function toolNamed(name: OperationName): Pick<Tool, 'name' | 'rest'> {
  const rest = ROUTES[name];
  return { name, ...(rest !== null && { rest }) };
}

/**
 * Answers a workflow's object itself, as it is over MCP, and the body of any other operation. Rejects with AppError: the server's own
 * problem, or NoAnswer.
 */
export async function sendCall(
  server: Target,
  tool: Pick<Tool, 'name' | 'rest'>,
  args: Arguments,
  options: CallOptions = {},
): Promise<unknown> {
  const takesEvents = isWorkflow(tool) && options.progress !== undefined;
  const accept = takesEvents ? 'application/json, text/event-stream' : 'application/json';
  const response = await respond(server, tool, args, accept, options);
  const status = response.statusCode ?? 500;
  const body = await bodyOf(response, server, options.progress);
  // A refusal that ends a stream has come with the status of the stream.
  if (status > 299 || isProblem(body)) throw fromProblem(body, status);
  if (!isWorkflow(tool)) return body;
  const { data } = (body ?? {}) as { data?: unknown };
  if (data === undefined) throw fromProblem(undefined, status);
  return data;
}

function respond(
  server: Target,
  tool: Pick<Tool, 'name' | 'rest'>,
  args: Arguments,
  accept: string,
  { idempotencyKey }: CallOptions,
): Promise<IncomingMessage> {
  const { method, path: template } = routeOf(tool);
  const rest = { ...args };
  const path = template.replace(/\{(\w+)\}/gu, (_, name: string) => {
    const value = rest[name];
    delete rest[name];
    return encodeURIComponent(String(value));
  });
  const url = new URL(`${server.url}/svcapiv2${path}`);
  const inQuery = method === 'GET' || method === 'DELETE';
  if (inQuery) for (const [name, value] of Object.entries(rest)) url.searchParams.set(name, String(value));
  return requestAs(server, url, {
    method,
    headers: {
      accept,
      ...(!inQuery && { 'content-type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    },
    ...(!inQuery && { body: JSON.stringify(rest) }),
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
