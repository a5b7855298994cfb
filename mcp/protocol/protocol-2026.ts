/**
 * The protocol of clients without a handshake: MCP 2026-07-28, by the v2 SDK. Each request states its revision and its sender in _meta,
 * server/discover takes the place of initialize, and over HTTP a client cancels a call by closing its connection.
 */
import {
  createMcpHandler,
  isLegacyRequest,
  Server,
  type JSONRPCMessage,
  type JsonSchemaType,
  type jsonSchemaValidator,
  type McpHttpHandler,
  type Transport,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod/v3';
import type { Log } from '../../domain/base/log.ts';
import { answer, CAPABILITIES, METHODS, type Connection } from '../calls/connection.ts';
import { serverName } from '../calls/server-info.ts';
import { messagesOf, type McpRequest } from '../rpc.ts';
import { translateRefusal, translateResponse } from './sdk-refusals.ts';
import type { ProtocolSession, Send } from './wire.ts';

/** Nothing is elicited, so nothing is validated. */
const NO_VALIDATION: jsonSchemaValidator = {
  getValidator: (_schema: JsonSchemaType) => () => ({
    valid: false,
    data: undefined,
    errorMessage: 'nothing is elicited',
  }),
};

/** The lists change with a new version of the server and differ by role, so a client may keep its own list for a minute. */
const LIST_CACHE = { ttlMs: 60_000, cacheScope: 'private' } as const;
const CACHE_HINTS = {
  'tools/list': LIST_CACHE,
  'prompts/list': LIST_CACHE,
  'resources/list': LIST_CACHE,
  'resources/templates/list': LIST_CACHE,
  'server/discover': LIST_CACHE,
};

/**
 * Subscriptions are acknowledged and get nothing, because states are polled. The bound is enough for clients that subscribe by habit, and
 * too small to hold many sockets.
 */
const MAX_SUBSCRIPTIONS = 64;

/** The schema is loose, because the SDK answers a misfit with an internal error in its own words, and our checks say what is wrong. */
const PARAMS = z.object({}).passthrough();

function createServer(connection: Connection): Server {
  const { instructions } = connection;
  const server = new Server(serverName(connection), {
    capabilities: CAPABILITIES,
    instructions,
    jsonSchemaValidator: NO_VALIDATION,
    cacheHints: CACHE_HINTS,
  });
  for (const method of METHODS) {
    server.setRequestHandler(method, { params: PARAMS }, (params, { mcpReq }) => {
      const { id, signal } = mcpReq;
      // This fails when the client has gone, and its answer has nowhere to go either.
      const notify: McpRequest['notify'] = (notification) => void mcpReq.notify(notification).catch(() => undefined);
      return answer(connection, method, { id, params, signal, notify });
    });
  }
  return server;
}

export interface Server2026 {
  /** Whether the request is of this protocol. A wrong request of it counts too, because the protocol then says what is wrong. */
  accepts(request: Request, body: unknown): Promise<boolean>;
  answerPost(connection: Connection, request: Request, body: unknown): Promise<Response>;
}

/**
 * Whether the SDK may have refused the request by itself. Its refusals have an error status, except for subscriptions; reading every answer
 * would cost each call.
 */
function mayBeRefusal({ status }: Response, body: unknown): boolean {
  return status >= 400 || messagesOf(body).some(({ method }) => method === 'subscriptions/listen');
}

/** One handler serves all requests, and each request gets a server of its own, over the connection that it came with. */
export function createServer2026(log: Log | undefined): Server2026 {
  const connections = new WeakMap<Request, Connection>();
  const handler: McpHttpHandler = createMcpHandler(
    ({ requestInfo }) => {
      const connection = requestInfo && connections.get(requestInfo);
      if (connection === undefined) throw new Error('A request came in without its connection.');
      return createServer(connection);
    },
    {
      legacy: 'reject',
      maxSubscriptions: MAX_SUBSCRIPTIONS,
      onerror: (err) => log?.warn({ err }, 'MCP request refused'),
    },
  );
  return {
    accepts: async (request, body) => !(await isLegacyRequest(request, body)),
    async answerPost(connection, request, body) {
      connections.set(request, connection);
      const response = await handler.fetch(request, { parsedBody: body });
      return mayBeRefusal(response, body) ? translateResponse(response, connection.requestId) : response;
    },
  };
}

/** Opens a session for stdio: the SDK checks the _meta of each request, then hands it to one server for the whole connection. */
export async function openSession2026(connection: Connection, send: Send): Promise<ProtocolSession> {
  const transport: Transport = {
    start: () => Promise.resolve(),
    send: (message) => send(translateRefusal(message, connection.requestId)),
    close: async () => transport.onclose?.(),
  };
  const onerror = (err: Error): void => connection.log?.warn({ err }, 'MCP message could not be handled');
  const handle = serveStdio(() => createServer(connection), {
    legacy: 'reject',
    transport,
    maxSubscriptions: MAX_SUBSCRIPTIONS,
    onerror,
  });
  return { receive: (message) => transport.onmessage?.(message as JSONRPCMessage), close: () => handle.close() };
}
