/** What one client is offered, and the answers to its requests, whichever generation of the protocol it speaks. Knows no SDK type. */
import { invalidInput } from '../../domain/errors.ts';
import type { Log } from '../../toolkit/tool.ts';
import type { ToolCall } from './call.ts';
import { createTeller } from './progress.ts';
import { promptText } from './prompts.ts';
import { RESOURCES, RESOURCE_TEMPLATES, type ResourceText } from './resources.ts';
import type { ToolResult } from './results.ts';
import { toRpcError, type RequestId } from '../rpc.ts';
import type { Surface } from './surface.ts';

export interface Connection {
  version: string;
  instructions: string;
  /** Stands in the problems that are answered. */
  requestId: string;
  surface(): Promise<Surface> | Surface;
  /** Must not reject. */
  call(call: ToolCall, id: RequestId): Promise<ToolResult>;
  /** Rejects with AppError or RpcError. */
  read(uri: string, id: RequestId): Promise<ResourceText>;
  /** For a door where a cancellation comes by itself: the SDK, to whom its call has another id, does not hear of it. */
  cancelled?: (id: RequestId) => void;
  log?: Log | undefined;
}

/** A request as a lane hands it over. */
export interface Asked {
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

type Fields = Record<string, unknown>;
type Answer = (connection: Connection, asked: Asked) => Promise<Fields>;

export const serverInfo = ({ version }: Connection): { name: string; title: string; version: string } => ({
  name: 'onair',
  title: 'onair',
  version,
});

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

/** Rejects with RpcError alone: what else a handler throws would reach the client with its text. */
export async function answer(connection: Connection, method: Method, asked: Asked): Promise<Fields> {
  try {
    return await ANSWERS[method](connection, asked);
  } catch (error) {
    const refusal = toRpcError(error, connection.requestId);
    if ((refusal.data as { code?: unknown } | undefined)?.code === 'internal')
      connection.log?.error({ err: error, method, requestId: connection.requestId }, 'MCP request failed');
    throw refusal;
  }
}

function callTool(connection: Connection, asked: Asked): Promise<ToolResult> {
  return withCall(asked, (call) => connection.call(call, asked.id));
}

/** The frame of a call has been checked before (frames.ts): its name is a string and its arguments are an object. */
export async function withCall<T>(asked: Asked, run: (call: ToolCall) => Promise<T>): Promise<T> {
  const { name, arguments: args = {}, _meta: meta = {} } = asked.params as Partial<Record<string, Fields>>;
  const { progress, end } = createTeller(asked);
  try {
    return await run({ name: name as unknown as string, args, meta, signal: asked.signal, progress });
  } finally {
    end();
  }
}

function textField(params: Record<string, unknown>, field: string): string {
  const value = params[field];
  if (typeof value === 'string') return value;
  throw invalidInput([{ field, code: 'invalid_type', message: 'must be a string', expected: 'string' }]);
}
