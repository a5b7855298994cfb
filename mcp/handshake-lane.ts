/**
 * The lane of clients that begin with initialize: MCP 2025-11-25 and older, by the v1 SDK. Its low-level Server, because McpServer
 * would convert every schema again on each list.
 */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { CancelledNotificationSchema, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation';
import { z } from 'zod/v3';
import { answer, CAPABILITIES, METHODS, serverInfo, type Connection } from './connection.ts';
import { messagesOf } from './rpc.ts';
import type { Lane, Send } from './wire.ts';

/** Nothing is elicited, so nothing is validated; an Ajv instance a request would cost as much as the request. */
const NO_VALIDATION: jsonSchemaValidator = {
  getValidator: () => () => ({ valid: false, data: undefined, errorMessage: 'nothing is elicited' }),
};

/** Loose: the SDK checks the params of a call again and answers invalid ones with -32602; a strict schema would make it -32603. */
const REQUESTS = METHODS.map((method) => ({
  method,
  schema: z.object({ method: z.literal(method), params: z.object({}).passthrough().optional() }).passthrough(),
}));

/** `asked`: the only methods that will come. */
function createServer(connection: Connection, asked?: ReadonlySet<unknown>): Server {
  const { instructions, cancelled } = connection;
  const options = { capabilities: CAPABILITIES, instructions, jsonSchemaValidator: NO_VALIDATION };
  const server = new Server(serverInfo(connection), options);
  for (const { method, schema } of REQUESTS) {
    if (asked?.has(method) === false) continue;
    server.setRequestHandler(schema, ({ params = {} }, { requestId, signal, sendNotification }) =>
      answer(connection, method, {
        id: requestId,
        params,
        signal,
        // Who asked for progress has gone: his answer has nowhere to go either.
        notify: (notification) => void sendNotification(notification).catch(() => undefined),
      }),
    );
  }
  if (cancelled !== undefined) {
    server.setNotificationHandler(CancelledNotificationSchema, ({ params }) => {
      if (params.requestId !== undefined) cancelled(params.requestId);
    });
  }
  return server;
}

/** Stateless: a server and a transport a POST, nothing kept between two. */
export async function answerHandshakePost(connection: Connection, request: Request, body: unknown): Promise<Response> {
  const messages = messagesOf(body);
  // A reply that is one JSON document cannot carry progress; a stream costs twice as much, so only those who want progress get one.
  const wantsProgress = messages.some(({ params }) => params?._meta?.['progressToken'] !== undefined);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: !wantsProgress });
  // Seven handlers a request would cost as much as the answer to it.
  await createServer(connection, new Set(messages.map(({ method }) => method))).connect(transport);
  return transport.handleRequest(request, { parsedBody: body });
}

/** For stdio: one server for the whole connection. */
export async function openHandshakeLane(connection: Connection, send: Send): Promise<Lane> {
  const server = createServer(connection);
  const transport: Transport = {
    start: () => Promise.resolve(),
    send,
    close: async () => transport.onclose?.(),
  };
  server.onerror = (error) => connection.log?.warn({ err: error }, 'MCP message could not be handled');
  await server.connect(transport);
  return { receive: (message) => transport.onmessage?.(message as JSONRPCMessage), close: () => server.close() };
}
