/**
 * The lane of clients without a handshake: MCP 2026-07-28, by the v2 SDK. Each request says its revision and who sends it in _meta,
 * server/discover takes the place of initialize, and over HTTP a call is cancelled by closing its connection.
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
import type { Log } from '../../toolkit/tool.ts';
import { answer, CAPABILITIES, METHODS, serverInfo, type Asked, type Connection } from '../calls/connection.ts';
import { messagesOf, statesRevision } from '../rpc.ts';
import { asOurs, responseAsOurs } from './sdk-refusals.ts';
import type { ProtocolSession, Send } from './wire.ts';

/** As in the other lane: nothing is elicited. */
const NO_VALIDATION: jsonSchemaValidator = {
  getValidator: (_schema: JsonSchemaType) => () => ({
    valid: false,
    data: undefined,
    errorMessage: 'nothing is elicited',
  }),
};

/** The lists change with a new version of the server, and are another's for another role: a client may keep its own for a minute. */
const LIST_CACHE = { ttlMs: 60_000, cacheScope: 'private' } as const;
const CACHE_HINTS = {
  'tools/list': LIST_CACHE,
  'prompts/list': LIST_CACHE,
  'resources/list': LIST_CACHE,
  'resources/templates/list': LIST_CACHE,
  'server/discover': LIST_CACHE,
};

/** They are acknowledged and hear nothing, for states are polled: enough for clients that subscribe by habit, too few to hold many sockets. */
const MAX_SUBSCRIPTIONS = 64;

/** Loose: what does not fit a schema of the SDK would be an internal error with the SDK's words, and ours say what is wrong. */
const PARAMS = z.object({}).passthrough();

function createServer(connection: Connection): Server {
  const { instructions } = connection;
  const server = new Server(serverInfo(connection), {
    capabilities: CAPABILITIES,
    instructions,
    jsonSchemaValidator: NO_VALIDATION,
    cacheHints: CACHE_HINTS,
  });
  for (const method of METHODS) {
    server.setRequestHandler(method, { params: PARAMS }, (params, { mcpReq }) => {
      const { id, signal } = mcpReq;
      // Who asked for progress has gone: his answer has nowhere to go either.
      const notify: Asked['notify'] = (notification) => void mcpReq.notify(notification).catch(() => undefined);
      return answer(connection, method, { id, params, signal, notify });
    });
  }
  return server;
}

export interface StatelessServer {
  /** Whether the request is of this lane, also where it is wrongly made: the lane then says what is wrong. */
  isItsOwn(request: Request, body: unknown): Promise<boolean>;
  answerPost(connection: Connection, request: Request, body: unknown): Promise<Response>;
}

/** Revisions are dates. Whatever states none is of the older generation, and the SDK's own look at it costs a tenth of a call. */
function mayBeIts({ headers }: Request, body: unknown): boolean {
  return (headers.get('mcp-protocol-version') ?? '') >= '2026' || messagesOf(body).some(statesRevision);
}

/** By the SDK. Its refusals have a status of their own, but those of subscriptions; to look at every answer would cost each call. */
function mayBeRefused({ status }: Response, body: unknown): boolean {
  return status >= 400 || messagesOf(body).some(({ method }) => method === 'subscriptions/listen');
}

/** One handler for all requests; each gets a server of its own, over the connection that it came with. */
export function createStatelessServer(log: Log | undefined): StatelessServer {
  const connections = new WeakMap<Request, Connection>();
  const handler: McpHttpHandler = createMcpHandler(
    ({ requestInfo }) => {
      const connection = requestInfo && connections.get(requestInfo);
      if (connection === undefined) throw new Error('A request came in by no door.');
      return createServer(connection);
    },
    {
      legacy: 'reject',
      maxSubscriptions: MAX_SUBSCRIPTIONS,
      onerror: (err) => log?.warn({ err }, 'MCP request refused'),
    },
  );
  return {
    isItsOwn: async (request, body) => mayBeIts(request, body) && !(await isLegacyRequest(request, body)),
    async answerPost(connection, request, body) {
      connections.set(request, connection);
      const response = await handler.fetch(request, { parsedBody: body });
      return mayBeRefused(response, body) ? responseAsOurs(response, connection.requestId) : response;
    },
  };
}

/** For stdio: the SDK checks what each request says of itself, then hands it to one server for the whole connection. */
export async function openStatelessSession(connection: Connection, send: Send): Promise<ProtocolSession> {
  const transport: Transport = {
    start: () => Promise.resolve(),
    send: (message) => send(asOurs(message, connection.requestId)),
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
