/**
 * The protocol of clients that begin with initialize: MCP 2025-11-25 and older, by the v1 SDK. It uses the low-level Server, because
 * McpServer would convert every schema again on each list.
 */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  JSONRPCMessageSchema,
  SUPPORTED_PROTOCOL_VERSIONS,
  type JSONRPCMessage,
  type JSONRPCRequest,
} from '@modelcontextprotocol/sdk/types.js';
import type { jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation';
import { AppError, toProblem } from '../../domain/base/errors.ts';
import { answer, CAPABILITIES, isOffered, type Connection } from '../calls/connection.ts';
import { serverInfo } from '../calls/server-info.ts';
import {
  MAX_BATCH_BYTES,
  openAccepted,
  openDocument,
  openStream,
  type MakeRefusal,
  type OpenPost,
  type PlainHeaders,
} from './open-post.ts';
import { frameRefusal } from './post-frame.ts';
import {
  noSuchMethod,
  RPC_REFUSED,
  toErrorMessage,
  type McpRequest,
  type Message,
  type RequestId,
  type RpcError,
} from '../rpc.ts';
import { createTurns } from '../calls/turns.ts';
import type { ProtocolSession, Send } from './wire.ts';

/** Nothing is elicited, so nothing is validated. */
const NO_VALIDATION: jsonSchemaValidator = {
  getValidator: () => () => ({ valid: false, data: undefined, errorMessage: 'nothing is elicited' }),
};

/**
 * All methods have one handler, the SDK's fallback. Behind a handler for each method the SDK would parse a call twice and its answer once
 * more, for a quarter of the price of the call. The frame of a call is checked where the call is read.
 */
function createServer(connection: Connection): Server {
  const { instructions, requestId: ofProblem } = connection;
  const options = { capabilities: CAPABILITIES, instructions, jsonSchemaValidator: NO_VALIDATION };
  const server = new Server(serverInfo(connection), options);
  server.fallbackRequestHandler = async ({ method, params = {} }, { requestId, signal, sendNotification }) => {
    if (!isOffered(method)) throw noSuchMethod(ofProblem);
    return answer(connection, method, {
      id: requestId,
      params,
      signal,
      // This fails when the client has gone, and its answer has nowhere to go either.
      notify: (notification) => void sendNotification(notification).catch(() => undefined),
    });
  };
  return server;
}

/** The place of the reply to a request. */
interface Place {
  connection: Connection;
  post: OpenPost;
  at: number;
}

/** The requests that the SDK answers. */
const OF_THE_SDK: readonly string[] = ['initialize', 'ping'];

/**
 * The greeting and the ping of many POSTs go through one server of the SDK, because making a server costs more than answering a call. They go
 * in under ids of our own, by which the replies find their POST. All else is answered here, because the SDK would cost each call more.
 */
class SharedServer {
  private readonly pending = new Map<RequestId, Place & { id: RequestId }>();
  private readonly transport: Transport = {
    start: () => Promise.resolve(),
    send: async (message) => this.take(message),
    close: () => Promise.resolve(),
  };
  private lastId = 0;

  constructor(connection: Connection) {
    void createServer(connection).connect(this.transport);
  }

  post(connection: Connection, messages: readonly JSONRPCMessage[], headers: PlainHeaders): Promise<Response> {
    const post = openPost(messages.filter(isRequest), headers, connection.requestId);
    void this.receive(connection, messages, post);
    return post.response;
  }

  private async receive(connection: Connection, messages: readonly JSONRPCMessage[], post: OpenPost): Promise<void> {
    const turns = createTurns();
    let at = 0;
    for (const message of messages) {
      const before = turns.next();
      if (before !== undefined) await before;
      if (isRequest(message)) this.request({ connection, post, at: at++ }, message);
      else this.notify(connection, message);
    }
  }

  private request(place: Place, request: JSONRPCRequest): void {
    if (!OF_THE_SDK.includes(request.method)) return void answerAt(place, request);
    const id = (this.lastId += 1);
    this.pending.set(id, { ...place, id: request.id });
    this.transport.onmessage?.({ ...untasked(request), id });
  }

  /** A cancellation has the client's own id, and its call may be in another POST, so the connection finds the call. */
  private notify(connection: Connection, message: JSONRPCMessage): void {
    const { method, params } = message as Message;
    if (method !== 'notifications/cancelled') this.transport.onmessage?.(message);
    else if (params?.requestId !== undefined) connection.cancelled?.(params.requestId);
  }

  /** The SDK may send a notification by itself, which has no POST to go to. */
  private take(message: JSONRPCMessage): void {
    if ('method' in message) return;
    const place = this.pending.get(message.id as RequestId);
    if (place === undefined) return;
    this.pending.delete(message.id as RequestId);
    place.post.reply(place.at, { ...message, id: place.id });
  }
}

/** Answers in the order of members that the SDK has. */
async function answerAt({ connection, post, at }: Place, request: JSONRPCRequest): Promise<void> {
  const { id, method, params = {} } = request;
  // A cancellation is a POST of its own, for which the connection has a signal.
  const { signal } = new AbortController();
  const notify: McpRequest['notify'] = (notification) => post.notify({ ...notification, jsonrpc: '2.0' });
  try {
    if (!isOffered(method)) throw noSuchMethod(connection.requestId);
    const result = await answer(connection, method, { id, params, signal, notify });
    post.reply(at, { result, jsonrpc: '2.0', id });
  } catch (error) {
    const { code, message, data } = error as RpcError;
    post.reply(at, { jsonrpc: '2.0', id, error: { code, message, data } });
  }
}

/**
 * A server without tasks takes a request for a task as any other (MCP 2025-11-25, basic/utilities/tasks), but the SDK answers an internal
 * error.
 */
function untasked<T extends Message>(message: T): T {
  if (message.params == null || !('task' in message.params)) return message;
  const { task: _task, ...params } = message.params;
  return { ...message, params };
}

function isRequest(message: JSONRPCMessage): message is JSONRPCRequest {
  return 'method' in message && 'id' in message;
}

/** One JSON document cannot carry progress; a stream costs twice as much, so only those who want progress get one. */
function openPost(requests: readonly JSONRPCRequest[], headers: PlainHeaders, requestId: string): OpenPost {
  if (requests.length === 0) return openAccepted(headers);
  const wantsProgress = requests.some(({ params }) => params?._meta?.progressToken !== undefined);
  const makeRefusal: MakeRefusal = (at) => {
    const { id, method } = requests[at]!;
    return toErrorMessage(id, RPC_REFUSED, toProblem(noRoom(method), requestId));
  };
  return (wantsProgress ? openStream : openDocument)(requests.length, headers, makeRefusal);
}

function noRoom(method: string): AppError {
  const wasDone = method === 'tools/call' ? ' The call itself was made.' : '';
  return new AppError(
    'too_large',
    `The answers to one batch may have ${MAX_BATCH_BYTES} bytes together; there was no room for this one.${wasDone}`,
    { remedy: 'Ask alone for what is large: send it as a request of its own.', facts: { max_bytes: MAX_BATCH_BYTES } },
  );
}

export interface Server2025 {
  /** Answers one POST; `headers` go with the answer. */
  answerPost(connection: Connection, request: Request, body: unknown, headers: PlainHeaders): Promise<Response>;
}

export function createServer2025(): Server2025 {
  // Two servers differ only in the instructions of their greeting.
  const servers = new Map<string, SharedServer>();
  const serverOf = (connection: Connection): SharedServer => {
    const server = servers.get(connection.instructions) ?? new SharedServer(connection);
    servers.set(connection.instructions, server);
    return server;
  };
  return {
    async answerPost(connection, request, body, headers) {
      const messages = parseMessages(body);
      const { requestId } = connection;
      const revisions = SUPPORTED_PROTOCOL_VERSIONS;
      const refusal = frameRefusal({ headers: request.headers, messages, requestId, revisions });
      return refusal ?? serverOf(connection).post(connection, messages ?? [], headers);
    },
  };
}

function parseMessages(body: unknown): JSONRPCMessage[] | undefined {
  const messages: unknown[] = Array.isArray(body) ? body : [body];
  return messages.every(isMessage) ? messages : undefined;
}

function isMessage(message: unknown): message is JSONRPCMessage {
  return JSONRPCMessageSchema.safeParse(message).success;
}

/** Opens a session for stdio: one server for the whole connection. */
export async function openSession2025(connection: Connection, send: Send): Promise<ProtocolSession> {
  const server = createServer(connection);
  const transport: Transport = {
    start: () => Promise.resolve(),
    send,
    close: async () => transport.onclose?.(),
  };
  server.onerror = (error) => connection.log?.warn({ err: error }, 'MCP message could not be handled');
  await server.connect(transport);
  return {
    receive: (message) => transport.onmessage?.(untasked(message) as JSONRPCMessage),
    close: () => server.close(),
  };
}
