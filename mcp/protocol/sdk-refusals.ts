/**
 * Refusals that the SDK of the newer generation makes by itself, before our code sees the request. They get the problem object that all
 * refusals carry. The protocol's own `data` (MCP 2026-07-28, basic) stays there, as facts of the problem.
 */
import { AppError, ERROR_CODES, toProblem, type ErrorCode } from '../../domain/base/errors.ts';
import { isPlain } from '../../domain/base/schema.ts';
import {
  NO_SUCH_METHOD,
  RPC_INVALID_PARAMS,
  RPC_INVALID_REQUEST,
  RPC_METHOD_NOT_FOUND,
  RPC_REFUSED,
  writtenProblem,
} from '../rpc.ts';

interface Translation {
  code: ErrorCode;
  /** Left out: the text of the SDK. */
  detail?: string;
  /** Left out: the remedy of the code. */
  remedy?: string;
  facts?: Record<string, unknown>;
}

const HEADER_MISMATCH = -32020;
const UNSUPPORTED_REVISION = -32022;
const LIMIT = 'Subscription limit reached';

const TRANSLATIONS: Readonly<Record<number, Translation>> = {
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
const FULL: Translation = {
  code: 'unavailable',
  detail: 'As many subscriptions are open as there may be.',
  remedy: 'Ask for the state when it is wanted: nothing is told to subscriptions here.',
};
const FAILED: Translation = { code: 'internal', detail: 'The server failed to answer this request.' };

/** Translates a refusal into one of ours, and answers any other message as it is. */
export function translateRefusal<T extends object>(message: T, requestId: string): T {
  const { error } = message as { error?: unknown };
  if (!isPlain(error) || typeof error['code'] !== 'number') return message;
  const { code, message: text, data } = error;
  const facts = isPlain(data) ? data : {};
  if (typeof facts['code'] === 'string' && Object.hasOwn(ERROR_CODES, facts['code'])) return message;
  const translation = text === LIMIT ? FULL : (TRANSLATIONS[code as number] ?? FAILED);
  const { detail = sentenceOf(text), remedy } = translation;
  const extras = { facts: { ...translation.facts, ...facts }, ...(remedy !== undefined && { remedy }) };
  const problem = toProblem(new AppError(translation.code, detail, extras), requestId);
  return { ...message, error: { code, message: writtenProblem(problem), data: problem } };
}

/** Translates a refusal in the answer to a POST. */
export async function translateResponse(response: Response, requestId: string): Promise<Response> {
  if (response.headers.get('content-type')?.startsWith('application/json') !== true) return response;
  const { status, headers } = response;
  return Response.json(translateRefusal((await response.json()) as object, requestId), { status, headers });
}

/** The text of the SDK without the title of the status, with which it begins. */
function sentenceOf(message: unknown): string {
  const text = String(message).replace(/^(?:Bad Request|Invalid params|Unsupported Media Type): /u, '');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
