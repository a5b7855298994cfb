/** The CLI's calls to the server, over REST. */
import { AppError, invalidInput, type Problem } from '../domain/errors.ts';
import { eventsOf } from '../mcp/uplink/post-transport.ts';
import { parseInput } from '../toolkit/input/input.ts';
import { isWorkflow, routeOf, type Tool } from '../toolkit/tool.ts';
import { VIA_HEADER } from '../toolkit/via.ts';
import { readCredentials, type Target } from './credentials.ts';
import { fetchFrom } from './trust.ts';

export interface CallOptions {
  idempotencyKey?: string;
  /** Receives the progress of a workflow, as an assistant does; operations report none. */
  progress?: ((message: string, seconds: number) => void) | undefined;
}

/**
 * Answers a workflow's object itself, as it is over MCP, and the body of any other operation. Rejects with AppError: the server's own
 * problem, or unavailable when nobody answers.
 */
export async function callOperation(
  target: Target,
  tool: Tool,
  args: Record<string, unknown>,
  options: CallOptions = {},
): Promise<unknown> {
  const route = routeOf(tool);
  const rest = { ...args };
  // A wrong parameter would make another address, and the answer would be about that address.
  const mask = Object.fromEntries(route.params.map((name) => [name, true as const]));
  parseInput(
    tool.input.pick(mask),
    Object.fromEntries(route.params.map((name) => [name, rest[name] === '' ? undefined : rest[name]])),
  );
  assertIds(route.params, rest);
  const path = route.path.replace(/\{(\w+)\}/gu, (_, name: string) => {
    const value = rest[name];
    delete rest[name];
    return encodeURIComponent(String(value));
  });
  const url = new URL(`${target.url}/svcapiv2${path}`);
  const takesEvents = isWorkflow(tool) && options.progress !== undefined;
  const inQuery = route.method === 'GET' || route.method === 'DELETE';
  if (inQuery) for (const [name, value] of Object.entries(rest)) url.searchParams.set(name, String(value));
  const response = await request(target, url, {
    method: route.method,
    headers: {
      accept: takesEvents ? 'application/json, text/event-stream' : 'application/json',
      ...(!inQuery && { 'content-type': 'application/json' }),
      ...(options.idempotencyKey !== undefined && { 'idempotency-key': options.idempotencyKey }),
    },
    ...(!inQuery && { body: JSON.stringify(rest) }),
  });
  const body = await bodyOf(response, target, options.progress);
  // A refusal that ends a stream has come with the status of the stream.
  if (!response.ok || isProblem(body)) throw fromProblem(body, response.status);
  if (!isWorkflow(tool)) return body;
  const { data } = (body ?? {}) as { data?: unknown };
  if (data === undefined) throw fromProblem(undefined, response.status);
  return data;
}

function isProblem(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'code' in body && 'request_id' in body;
}

/** A number that JSON cannot hold has become another number by now. Throws AppError invalid_input. */
function assertIds(params: readonly string[], args: Record<string, unknown>): void {
  const max = Number.MAX_SAFE_INTEGER;
  const issues = params
    .filter((name) => typeof args[name] === 'number' && args[name] > max)
    .map((field) => ({
      field,
      code: 'too_large',
      message: `is no id; ids are positive integers up to ${max}`,
      max,
    }));
  if (issues.length > 0) throw invalidInput(issues);
}

/** An event of a stream. The one that ends it has neither field. */
interface Progress {
  progress?: number;
  message?: string;
}

/** The answer is a document, or the end of a stream of progress. Rejects with AppError unavailable when the stream is cut off. */
async function bodyOf(response: Response, { url }: Target, progress: CallOptions['progress']): Promise<unknown> {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  // A body that is no JSON is no problem object either; fromProblem says so.
  if (!isStream || response.body === null) return response.json().catch(() => undefined);
  const cutOff = (cause?: unknown): AppError =>
    new AppError(
      'unavailable',
      `The server at ${url} has gone before it answered; what was begun there may go on. Look with: onair status`,
      { cause },
    );
  try {
    for await (const event of eventsOf<Progress>(response.body)) {
      if (event.progress === undefined) return event;
      progress?.(event.message ?? '', event.progress);
    }
  } catch (cause) {
    throw cutOff(cause);
  }
  throw cutOff();
}

async function request(
  target: Target,
  url: URL,
  init: { method: string; headers: Record<string, string>; body?: string },
): Promise<Response> {
  if (target.token === undefined) {
    throw new AppError(
      'unauthenticated',
      `There is no token for ${target.url}. Set ONAIR_TOKEN, or start the server once on this machine.${knownServers()}`,
      { remedy: 'Set ONAIR_TOKEN to a token of that server.' },
    );
  }
  const headers = { ...init.headers, authorization: `Bearer ${target.token}`, [VIA_HEADER]: 'cli' };
  let at = url;
  for (let hops = 0; ; hops += 1) {
    const response = await fetchFrom(target, at, { ...init, headers }).catch((cause: unknown) => {
      throw new AppError('unavailable', `No server answers at ${target.url}. Start it with: onair serve`, { cause });
    });
    const location = response.headers.get('location');
    if (response.status < 300 || response.status > 399 || location === null) return response;
    at = redirected(at, location, hops < MAX_HOPS && (init.method === 'GET' || KEEPS_METHOD.has(response.status)));
    await response.body?.cancel();
  }
}

const MAX_HOPS = 5;
/** After any other redirect a call with a body would become one that only reads. */
const KEEPS_METHOD = new Set([307, 308]);

/** A call is redirected within the same server alone: its arguments may hold stream keys, and its token is for that server. */
function redirected(from: URL, location: string, mayFollow: boolean): URL {
  const to = URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  if (mayFollow && to?.origin === from.origin) return to;
  const where = to === undefined ? 'an address that is none' : to.origin === from.origin ? 'itself' : to.origin;
  throw new AppError(
    'unavailable',
    `The server at ${from.origin} redirects the call to ${where}. It was not followed: neither the arguments nor the token were sent there.`,
    { remedy: 'If the server has moved, set ONAIR_URL to its new address.' },
  );
}

/** A server with ONAIR_PORT=0 has another address at each start. */
function knownServers(): string {
  const urls = Object.keys(readCredentials());
  return urls.length === 0 ? '' : ` There is one for ${urls.slice(-3).join(', ')}: set ONAIR_URL to speak to it.`;
}

/** Turns the server's problem object back into the error that it stands for. */
export function fromProblem(body: unknown, status: number): AppError {
  const problem = body as Partial<Problem> | undefined;
  if (problem?.code === undefined)
    return new AppError('upstream_failed', `The server answered ${status} without a reason.`);
  const {
    code,
    detail = '',
    errors,
    upstream,
    remedy,
    type: _type,
    title: _title,
    status: _status,
    ...facts
  } = problem;
  return new AppError(code, detail, {
    ...(errors && { errors }),
    ...(upstream !== undefined && { upstream }),
    ...(remedy !== undefined && { remedy }),
    facts,
  });
}
