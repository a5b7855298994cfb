/** Requests that ask to leave HTTP for another protocol (RFC 9110 §7.8). */
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';

/** One JSON-RPC message a line, both ways: as on stdio, for requests that need no greeting. */
export const LINES = 'onair-lines/1';

export function asksFor(protocol: string, { headers }: IncomingMessage): boolean {
  const asked = headers.upgrade?.split(',') ?? [];
  return asked.some((name) => name.trim().toLowerCase() === protocol);
}

/**
 * Answers as if there were no header Upgrade, which a server may. Where anybody listens for upgrades Node hands all of them over: those
 * of Java's client too, which asks every http:// server for h2c and means a plain request.
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
