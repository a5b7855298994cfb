/** JSON-RPC as both generations of the protocol use it. Knows no SDK type. */
import { AppError, toProblem, type ErrorCode, type Problem } from '../domain/errors.ts';

export type RequestId = string | number;

/** A message, as far as its way depends on it. */
export interface Message {
  id?: RequestId;
  method?: string;
  params?: { _meta?: Record<string, unknown>; requestId?: RequestId } | null;
}

/** What one POST holds; older revisions allow several. */
export function messagesOf(body: unknown): Message[] {
  const messages: unknown[] = Array.isArray(body) ? body : [body];
  return messages.filter((message): message is Message => typeof message === 'object' && message !== null);
}

/** Whether it is of the generation without a handshake, where each request says its revision (MCP 2026-07-28, basic). */
export function statesRevision({ params }: Message): boolean {
  return params?._meta?.['io.modelcontextprotocol/protocolVersion'] !== undefined;
}

export const RPC_PARSE_ERROR = -32700;
export const RPC_INVALID_REQUEST = -32600;
export const RPC_METHOD_NOT_FOUND = -32601;
export const RPC_INVALID_PARAMS = -32602;
export const RPC_INTERNAL_ERROR = -32603;
/** A refusal by rules of ours (MCP 2025-11-25, basic/transports). */
export const RPC_REFUSED = -32000;
/** MCP 2025-11-25, server/resources; the SDK of 2026-07-28 writes it as -32602, which took its place there. */
const RPC_NO_SUCH_RESOURCE = -32002;

const CODES: Partial<Record<ErrorCode, number>> = {
  invalid_input: RPC_INVALID_PARAMS,
  not_found: RPC_NO_SUCH_RESOURCE,
  internal: RPC_INTERNAL_ERROR,
};

/**
 * The refusal of a request other than tools/call, which answers a result with isError. Both SDKs send code, message and data of
 * whatever is thrown.
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

/** With the problem object of REST as its data, as in a refused call. */
export function toRpcError(error: unknown, requestId: string): RpcError {
  if (error instanceof RpcError) return error;
  const problem = toProblem(error, requestId);
  return new RpcError(CODES[problem.code] ?? RPC_REFUSED, writtenProblem(problem), problem);
}

/** Of a method that is not offered; the lanes name those that are in their greeting. */
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

/** The answer to a request that no lane sees. */
export function toErrorMessage(id: RequestId | null, code: number, problem: Problem): ErrorMessage {
  return { jsonrpc: '2.0', id, error: { code, message: writtenProblem(problem), data: problem } };
}

/** For people and models who read. Findings of fields end without a full stop. */
export function writtenProblem({ detail, remedy }: Problem): string {
  return `${detail}${/[.!?]$/u.test(detail) ? '' : '.'} ${remedy}`;
}
