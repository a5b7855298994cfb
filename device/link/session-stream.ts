/** Streams of an HTTP/2 connection that carry HTTP as connections of their own do. */
import type { ClientHttp2Session } from 'node:http2';
import { StreamSocket } from '../stream-socket.ts';

/** `target` says at the other end what the stream is for. A connection that is over gives a stream that fails. */
export function openStream(session: ClientHttp2Session, target: string): StreamSocket {
  if (session.closed || session.destroyed) return new StreamSocket(undefined);
  try {
    return new StreamSocket(session.request({ ':method': 'CONNECT', ':authority': target }));
  } catch {
    // The other end says by GOAWAY, or by its settings, that it takes no more.
    return new StreamSocket(undefined);
  }
}
