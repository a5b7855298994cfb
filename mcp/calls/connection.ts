/**
 * The offer to one client and the answers to its requests, for both generations of the protocol. This file knows no SDK type.
 */
import { invalidInput } from '../../domain/base/errors.ts';
import type { Log } from '../../domain/base/log.ts';
import { createProgress } from './progress.ts';
import { promptText } from './prompts.ts';
import { RESOURCES, RESOURCE_TEMPLATES, type ResourceText } from './resources.ts';
import type { ToolResult } from './results.ts';
import { toRpcError, type McpRequest, type RequestId } from '../rpc.ts';
import type { ToolCall } from './session.ts';
import type { Surface } from './surface.ts';

export interface Connection {
  version: string;
  instructions: string;
  /** The id in the problems that are answered. */
  requestId: string;
  surface(): Promise<Surface> | Surface;
  /** Must not reject. */
  call(call: ToolCall, id: RequestId): Promise<ToolResult>;
  /** Rejects with AppError or RpcError. */
  read(uri: string, id: RequestId): Promise<ResourceText>;
  /** Cancels a call over HTTP, where a cancellation is a POST of its own. The SDK gives the call another id and does not see it. */
  cancelled?: (id: RequestId) => void;
  log?: Log | undefined;
}

type Fields = Record<string, unknown>;
type Answer = (connection: Connection, request: McpRequest) => Promise<Fields>;

export const CAPABILITIES = { tools: {}, prompts: {}, resources: {} };

const ANSWERS = {
  'tools/list': async ({ surface }) => ({ tools: (await surface()).list }),
  'tools/call': callTool,
  'prompts/list': async ({ surface }) => ({ prompts: (await surface()).prompts.map(({ listed }) => listed) }),
  'prompts/get': async ({ surface }, { params }) => promptText((await surface()).prompts, params),
  'resources/list': async () => ({ resources: RESOURCES }),
  'resources/templates/list': async () => ({ resourceTemplates: RESOURCE_TEMPLATES }),
  'resources/read': async (connection, { params, id }) => ({
    contents: [await connection.read(textField(params, 'uri'), id)],
  }),
} as const satisfies Record<string, Answer>;

export type Method = keyof typeof ANSWERS;
export const METHODS = Object.keys(ANSWERS) as Method[];

export function isOffered(method: string): method is Method {
  return Object.hasOwn(ANSWERS, method);
}

/** Rejects with RpcError alone, because the text of any other error would reach the client. */
export async function answer(connection: Connection, method: Method, request: McpRequest): Promise<Fields> {
  try {
    return await ANSWERS[method](connection, request);
  } catch (error) {
    const refusal = toRpcError(error, connection.requestId);
    if ((refusal.data as { code?: unknown } | undefined)?.code === 'internal')
      connection.log?.error({ err: error, method, requestId: connection.requestId }, 'MCP request failed');
    throw refusal;
  }
}

function callTool(connection: Connection, request: McpRequest): Promise<ToolResult> {
  return withCall(request, (call) => connection.call(call, request.id));
}

/** frames.ts has checked the frame of the call before: its name is a string and its arguments are an object. */
export async function withCall<T>(request: McpRequest, run: (call: ToolCall) => Promise<T>): Promise<T> {
  const { name, arguments: args = {}, _meta: meta = {} } = request.params as Partial<Record<string, Fields>>;
  const { progress, end } = createProgress(request);
  try {
    return await run({ name: name as unknown as string, args, meta, signal: request.signal, progress });
  } finally {
    end();
  }
}

function textField(params: Record<string, unknown>, field: string): string {
  const value = params[field];
  if (typeof value === 'string') return value;
  throw invalidInput([{ field, code: 'invalid_type', message: 'must be a string', expected: 'string' }]);
}
