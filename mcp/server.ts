/**
 * The SDK's v1 lane: a low-level Server for one connection. McpServer would convert every schema again on each list, and a throw in
 * a handler would reach the client with its text: handlers here never throw.
 */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CancelledNotificationSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type RequestId,
  type ServerNotification,
} from '@modelcontextprotocol/sdk/types.js';
import type { jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation';
import { z } from 'zod/v3';
import type { Log } from '../toolkit/tool.ts';
import type { ToolCall } from './call.ts';
import type { ToolResult } from './results.ts';
import type { ListedTool } from './surface.ts';

export interface Connection {
  version: string;
  instructions: string;
  list(): Promise<readonly ListedTool[]> | readonly ListedTool[];
  /** Must not reject. */
  call(call: ToolCall, requestId: RequestId): Promise<ToolResult>;
  /** For a transport that has a server a request: the cancellation comes to another server than the call. */
  cancelled?: (requestId: RequestId) => void;
  log?: Log | undefined;
}

/** Nothing is elicited, so nothing is validated; an Ajv instance a request would cost as much as the request. */
const NO_VALIDATION: jsonSchemaValidator = {
  getValidator: () => () => ({ valid: false, data: undefined, errorMessage: 'nothing is elicited' }),
};

/** Loose: the SDK checks the params again and answers invalid ones with -32602; a strict schema here would make it -32603. */
const callRequest = z
  .object({ method: z.literal('tools/call'), params: z.object({}).passthrough().optional() })
  .passthrough();

interface CallParams {
  name: string;
  arguments?: Record<string, unknown>;
  _meta?: Record<string, unknown>;
}

export function createMcpServer(connection: Connection): Server {
  const server = new Server(
    { name: 'onair', title: 'onair', version: connection.version },
    { capabilities: { tools: {} }, instructions: connection.instructions, jsonSchemaValidator: NO_VALIDATION },
  );
  server.setRequestHandler(ListToolsRequestSchema, async () => {
    try {
      return { tools: (await connection.list()) as ListedTool[] };
    } catch (error) {
      connection.log?.error({ err: error }, 'the list of tools could not be built');
      throw new McpError(ErrorCode.InternalError, 'The list of tools could not be built; the log has the cause.');
    }
  });
  server.setRequestHandler(callRequest, (request, extra) => {
    const { name, arguments: args, _meta: meta } = request.params as unknown as CallParams;
    const token = meta?.['progressToken'];
    const progress = isToken(token)
      ? rising((notification) => void extra.sendNotification(notification).catch(() => undefined), token)
      : undefined;
    return connection.call(
      { name, args: args ?? {}, meta: meta ?? {}, signal: extra.signal, progress },
      extra.requestId,
    );
  });
  const { cancelled } = connection;
  if (cancelled !== undefined) {
    server.setNotificationHandler(CancelledNotificationSchema, ({ params }) => {
      if (params.requestId !== undefined) cancelled(params.requestId);
    });
  }
  return server;
}

function isToken(token: unknown): token is string | number {
  return typeof token === 'string' || typeof token === 'number';
}

/** Progress must grow with each notification (MCP 2025-11-25, basic/utilities/progress). */
function rising(
  send: (notification: ServerNotification) => void,
  progressToken: string | number,
): NonNullable<ToolCall['progress']> {
  let last = -1;
  return (progress, total, message) => {
    if (progress <= last) return;
    last = progress;
    send({ method: 'notifications/progress', params: { progressToken, progress, total, message } });
  };
}
