/** Takes TLS off connections, before an HTTP server or the delivery of media has them. */
import type { Socket } from 'node:net';
import { createServer, TLSSocket } from 'node:tls';
import { Handshakes, type Places } from '../handshakes.ts';
import type { TlsPair } from './tls-pair.ts';

/** A handshake is two round trips, and a poor mobile line has one second each. */
const HANDSHAKE_MS = 10_000;

/**
 * Answers a function that takes raw connections. `secured` has each one whose handshake is done, in place of the raw one; until then the
 * raw one has a place among `connections`. `protocols` are those that clients may choose from, the preferred one first.
 */
export function tlsConnections(
  pair: TlsPair,
  connections: Places,
  secured: (socket: TLSSocket) => void,
  protocols: readonly ('h2' | 'http/1.1')[] = ['http/1.1'],
): (raw: Socket) => void {
  const handshakes = new Handshakes(connections, HANDSHAKE_MS);
  // An empty list would refuse a client that names any.
  const choice = protocols.length === 0 ? {} : { ALPNProtocols: [...protocols] };
  const server = createServer(choice, (socket) => {
    handshakes.finish(socket);
    secured(socket);
  });
  // Clients that speak no TLS, or refuse the certificate, are no fault of this process; Node closes their connections.
  server.on('tlsClientError', () => undefined);
  pair.onPair(({ cert, key }) => server.setSecureContext({ cert, key }));
  return (raw) => handshakes.begin(raw, server);
}

export function isSecured(socket: Socket): boolean {
  return socket instanceof TLSSocket;
}

/** RFC 6797: a browser that was here once takes no plain HTTP from this host for a year. */
export const STRICT_TRANSPORT = { 'strict-transport-security': 'max-age=31536000' };
