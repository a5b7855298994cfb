/** Requests that ask to leave HTTP for another protocol (RFC 9110 §7.8). */
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';

/** The name of the protocol: one JSON-RPC message a line in both directions, as on stdio, for requests that need no greeting. */
export const LINE_PROTOCOL = 'onair-lines/1';

export function offers(protocol: string, { headers }: IncomingMessage): boolean {
  const protocols = headers.upgrade?.split(',') ?? [];
  return protocols.some((name) => name.trim().toLowerCase() === protocol);
}

/**
 * Answers as if there were no header Upgrade, which a server may do. A server that listens for upgrades gets all of them from Node: those
 * of Java's client too, which offers h2c to every http:// server and means a plain request.
 */
export function answerAsHttp(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { method, url, httpVersion, rawHeaders } = request;
  let text = `${method} ${url} HTTP/${httpVersion}\r\n`;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.toLowerCase() !== 'upgrade') text += `${rawHeaders[at]}: ${rawHeaders[at + 1]}\r\n`;
  // Node reads headers as latin1, so this writes the bytes that came.
  socket.unshift(Buffer.concat([Buffer.from(`${text}\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
}
