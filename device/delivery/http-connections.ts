/**
 * Bounds the memory that a client of an HTTP server takes without reading, for which Node has no bound. Of requests that came together the
 * next one begins when the answer to the one before is out, so a connection that does not read has one answer in memory.
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { turn } from './turns.ts';

/** Browsers, proxies and libraries send the next request of a connection when they have the answer, so few ever wait. */
const MAX_WAITING = 16;
/**
 * Waiting requests of all connections take some 4 KB each. Beyond the bound a connection may have one: the next request can be here before
 * Node says that the former answer has left.
 */
const MAX_WAITING_IN_ALL = 1000;

/** A sign-in has 16 KB, and all else that is not let in is told so at once: of those that are let in, more comes soon. */
const MAX_BEGINNING = 32 << 10;

/** Receiving: the beginning of a request is there, which says nothing of who sends it. */
export type ConnectionState = 'receiving' | 'answering' | 'idle';

export interface BoundConnections {
  /** Undefined when no request has come on the connection yet. */
  stateOf(socket: Socket): ConnectionState | undefined;
}

interface Exchange {
  incoming: IncomingMessage;
  response: ServerResponse;
}

interface Connection {
  isAnswering: boolean;
  /** The request that came last, and the bytes of the connection until then. */
  last?: Exchange;
  bytesBefore: number;
  waiting: Exchange[];
}

/** It is called when the listeners of `server` for requests are registered. */
export function boundConnections(server: Server, stallMs: number): BoundConnections {
  const listeners = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  const connections = new WeakMap<Socket, Connection>();
  let waitingInAll = 0;

  const open = (socket: Socket): Connection => {
    const connection: Connection = { isAnswering: false, bytesBefore: 0, waiting: [] };
    connections.set(socket, connection);
    socket.once('close', () => drop(connection));
    return connection;
  };
  const drop = ({ waiting }: Connection): void => {
    waitingInAll -= waiting.length;
    waiting.length = 0;
  };
  const begin = (connection: Connection, { incoming, response }: Exchange): void => {
    connection.isAnswering = true;
    connection.last = { incoming, response };
    connection.bytesBefore = incoming.socket.bytesRead;
    response.once('close', () => void beginNext(incoming.socket, connection));
    for (const listener of listeners) listener.call(server, incoming, response);
  };
  /** A client with credentials does not queue behind a crowd without: those take turns. */
  const arrive = (connection: Connection, exchange: Exchange): void => {
    const { headers, socket } = exchange.incoming;
    if (headers.authorization !== undefined || headers.cookie !== undefined) return begin(connection, exchange);
    connection.isAnswering = true;
    void turn().then(() => {
      if (!socket.destroyed) begin(connection, exchange);
    });
  };
  const beginNext = async (socket: Socket, connection: Connection): Promise<void> => {
    connection.isAnswering = connection.waiting.length > 0;
    if (!connection.isAnswering) return;
    await turn();
    const next = connection.waiting.shift();
    if (next === undefined) return;
    waitingInAll -= 1;
    // The answer before was the last one of this connection: Node has no place for another.
    if (next.response.socket !== socket) return drop(connection);
    begin(connection, next);
  };

  server.on('request', (incoming: IncomingMessage, response: ServerResponse) => {
    const { socket } = incoming;
    // Node goes on with the bytes that it has read of a connection that was cut.
    if (socket.destroyed) return;
    const connection = connections.get(socket) ?? open(socket);
    const { isAnswering, waiting } = connection;
    if (!isAnswering) return arrive(connection, { incoming, response });
    const isGreedy = waiting.length >= MAX_WAITING || (waiting.length > 0 && waitingInAll >= MAX_WAITING_IN_ALL);
    if (isGreedy) return void socket.destroy();
    waiting.push({ incoming, response });
    waitingInAll += 1;
  });
  // Node's timer counts bytes that the kernel has taken of a write, too: a slow reader does not count as a stalled one.
  server.setTimeout(stallMs, (socket) => {
    // Between two requests the same timer is that of a kept connection.
    if (socket.writableLength > 0 || connections.get(socket)?.isAnswering === false) socket.destroy();
  });
  return {
    stateOf: (socket) => {
      const connection = connections.get(socket);
      if (connection?.isAnswering !== true) return connection && 'idle';
      return isBeginning(socket, connection) ? 'receiving' : 'answering';
    },
  };
}

function isBeginning({ bytesRead }: Socket, { last, bytesBefore }: Connection): boolean {
  if (last === undefined || last.incoming.complete || last.response.headersSent) return false;
  return bytesRead - bytesBefore < MAX_BEGINNING;
}
