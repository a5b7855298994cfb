/** Bounds what a client of an HTTP server can hold without reading: Node itself has none for either. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that wait on one connection. Browsers, proxies and libraries send the next one when they have the answer. */
const MAX_WAITING = 16;

interface Connection {
  waiting: number;
  last: ServerResponse;
}

const connections = new WeakMap<Socket, Connection>();
const earlier = new WeakMap<IncomingMessage, ServerResponse>();

/** Cuts a connection that takes no byte for a while though an answer waits, and one that asks on and on without reading. */
export function boundConnections(server: Server, stallMs: number): void {
  server.prependListener('request', (incoming: IncomingMessage, response: ServerResponse) => {
    const { socket } = incoming;
    const before = connections.get(socket);
    if (before !== undefined && before.waiting > 0) earlier.set(incoming, before.last);
    const connection = before ?? { waiting: 0, last: response };
    connection.last = response;
    connection.waiting += 1;
    connections.set(socket, connection);
    response.once('close', () => (connection.waiting -= 1));
    if (connection.waiting > MAX_WAITING) socket.destroy();
  });
  // Node looks at what the kernel has taken of a write, too: a slow reader is not a stalled one.
  server.setTimeout(stallMs, (socket) => {
    // Between two requests the same timer is that of a kept connection.
    if (socket.writableLength > 0 || connections.get(socket)?.waiting === 0) socket.destroy();
  });
}

/** Resolves when all answers before this one are out, or the connection is gone. */
export async function itsTurn(incoming: IncomingMessage): Promise<void> {
  const before = earlier.get(incoming);
  if (before === undefined || before.closed) return;
  await new Promise<void>((resolve) => before.once('close', () => resolve()));
}
