/** JSON-RPC as both generations of the protocol use it. This file knows no SDK type. */
import { AppError, toProblem, type ErrorCode, type Problem } from '../domain/base/errors.ts';

export type RequestId = string | number;

/** In the older generation a cancellation is a POST of its own, which finds its call by the session that both name. */
export const SESSION_HEADER = 'mcp-session-id';

/** The parts of a message that decide where it goes. */
export interface Message {
  id?: RequestId;
  method?: string;
  params?: { _meta?: Record<string, unknown>; requestId?: RequestId } | null;
}

/** A request as a session of either protocol hands it over. */
export interface McpRequest {
  id: RequestId;
  params: Record<string, unknown>;
  signal: AbortSignal;
  /** Sends a notification that belongs to this request. */
  notify(notification: ProgressNotification): void;
}

export interface ProgressNotification {
  method: 'notifications/progress';
  params: { progressToken: RequestId; progress: number; total?: number; message: string };
}

/** The messages of one POST; older revisions allow several. */
export function messagesOf(body: unknown): Message[] {
  const messages: unknown[] = Array.isArray(body) ? body : [body];
  return messages.filter((message): message is Message => typeof message === 'object' && message !== null);
}

/** The member of _meta that states the revision. */
export const REVISION = 'io.modelcontextprotocol/protocolVersion';

/** Whether the message is of the generation without a handshake, where each request states its revision (MCP 2026-07-28, basic). */
export function statesRevision({ params }: Message): boolean {
  return params?._meta?.[REVISION] !== undefined;
}

export const RPC_PARSE_ERROR = -32700;
export const RPC_INVALID_REQUEST = -32600;
export const RPC_METHOD_NOT_FOUND = -32601;
export const RPC_INVALID_PARAMS = -32602;
export const RPC_INTERNAL_ERROR = -32603;
/** The code of a refusal by our own rules (MCP 2025-11-25, basic/transports). */
export const RPC_REFUSED = -32000;
/** MCP 2025-11-25, server/resources. In 2026-07-28 -32602 takes its place, and that SDK writes it so. */
const RPC_NO_SUCH_RESOURCE = -32002;

const CODES: Partial<Record<ErrorCode, number>> = {
  invalid_input: RPC_INVALID_PARAMS,
  not_found: RPC_NO_SUCH_RESOURCE,
  internal: RPC_INTERNAL_ERROR,
};

/**
 * The refusal of a request other than tools/call, which answers a result with isError. Both SDKs send code, message and data of a thrown
 * error.
 */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** The data of the error is the problem object of REST, as in a refused call. */
export function toRpcError(error: unknown, requestId: string): RpcError {
  if (error instanceof RpcError) return error;
  const problem = toProblem(error, requestId);
  return new RpcError(CODES[problem.code] ?? RPC_REFUSED, writtenProblem(problem), problem);
}

/** The problem of a method that is not offered. Each protocol names the offered ones in its greeting. */
export const NO_SUCH_METHOD = {
  code: 'unknown_operation',
  detail: 'There is no such method here.',
  remedy: 'Send one of the methods of what the greeting offers: tools, prompts and resources.',
} as const;

export function noSuchMethod(requestId: string): RpcError {
  const { code, detail, remedy } = NO_SUCH_METHOD;
  const problem = toProblem(new AppError(code, detail, { remedy }), requestId);
  return new RpcError(RPC_METHOD_NOT_FOUND, writtenProblem(problem), problem);
}

export interface ErrorMessage {
  jsonrpc: '2.0';
  id: RequestId | null;
  error: { code: number; message: string; data: Problem };
}

/** The answer to a request that reaches no session. */
export function toErrorMessage(id: RequestId | null, code: number, problem: Problem): ErrorMessage {
  return { jsonrpc: '2.0', id, error: { code, message: writtenProblem(problem), data: problem } };
}

/** The text for people and models who read. Findings about fields come without a full stop. */
export function writtenProblem({ detail, remedy }: Problem): string {
  return `${detail}${/[.!?]$/u.test(detail) ? '' : '.'} ${remedy}`;
}
