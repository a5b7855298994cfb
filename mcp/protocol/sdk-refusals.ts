/**
 * What the SDK of the newer generation refuses by itself, before anything of ours sees it: told with the problem object that all
 * refusals carry. What the protocol has in `data` (MCP 2026-07-28, basic) stays there, as facts of the problem.
 */
import { AppError, ERROR_CODES, toProblem, type ErrorCode } from '../../domain/errors.ts';
import { isPlain } from '../../domain/schema.ts';
import {
  NO_SUCH_METHOD,
  RPC_INVALID_PARAMS,
  RPC_INVALID_REQUEST,
  RPC_METHOD_NOT_FOUND,
  RPC_REFUSED,
  writtenProblem,
} from '../rpc.ts';

interface Telling {
  code: ErrorCode;
  /** Left out: what the SDK says. */
  detail?: string;
  /** Left out: that of the code. */
  remedy?: string;
  facts?: Record<string, unknown>;
}

const HEADER_MISMATCH = -32020;
const UNSUPPORTED_REVISION = -32022;
const LIMIT = 'Subscription limit reached';

const TELLINGS: Readonly<Record<number, Telling>> = {
  [HEADER_MISMATCH]: {
    code: 'invalid_input',
    remedy: 'Send MCP-Protocol-Version, Mcp-Method and Mcp-Name as headers that say what the body says.',
  },
  [UNSUPPORTED_REVISION]: { code: 'invalid_input', remedy: 'State one of the revisions named under supported.' },
  [RPC_METHOD_NOT_FOUND]: NO_SUCH_METHOD,
  [RPC_INVALID_REQUEST]: { code: 'invalid_input', remedy: 'Send each message in a POST of its own.' },
  [RPC_INVALID_PARAMS]: {
    code: 'invalid_input',
    remedy: 'Send params, with their _meta, as the revision has them that the request states.',
  },
  [RPC_REFUSED]: { code: 'unsupported_media', facts: { allowed: ['application/json'] } },
};
const FULL: Telling = {
  code: 'unavailable',
  detail: 'As many subscriptions are open as there may be.',
  remedy: 'Ask for the state when it is wanted: nothing is told to subscriptions here.',
};
const FAILED: Telling = { code: 'internal', detail: 'The server failed to answer this request.' };

/** A refusal as one of ours; anything else as it is. */
export function asOurs<T extends object>(message: T, requestId: string): T {
  const { error } = message as { error?: unknown };
  if (!isPlain(error) || typeof error['code'] !== 'number') return message;
  const { code, message: said, data } = error;
  const facts = isPlain(data) ? data : {};
  if (typeof facts['code'] === 'string' && Object.hasOwn(ERROR_CODES, facts['code'])) return message;
  const { detail = sentence(said), ...told } = said === LIMIT ? FULL : (TELLINGS[code as number] ?? FAILED);
  const { remedy } = told;
  const extras = { facts: { ...told.facts, ...facts }, ...(remedy !== undefined && { remedy }) };
  const problem = toProblem(new AppError(told.code, detail, extras), requestId);
  return { ...message, error: { code, message: writtenProblem(problem), data: problem } };
}

/** The same of the answer to a POST. */
export async function responseAsOurs(response: Response, requestId: string): Promise<Response> {
  if (response.headers.get('content-type')?.startsWith('application/json') !== true) return response;
  const { status, headers } = response;
  return Response.json(asOurs((await response.json()) as object, requestId), { status, headers });
}

/** Without the title of its status, which begins it. */
function sentence(said: unknown): string {
  const text = String(said).replace(/^(?:Bad Request|Invalid params|Unsupported Media Type): /u, '');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
