/** Streams of an HTTP/2 connection that carry HTTP as connections of their own do. */
import type { ClientHttp2Session } from 'node:http2';
import { Duplex } from 'node:stream';
import { StreamSocket } from '../stream-socket.ts';

/** `target` says at the other end what the stream is for. A connection that is over gives a stream that fails. */
export function openStream(session: ClientHttp2Session, target: string): Duplex {
  if (session.closed || session.destroyed) {
    const broken = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
    process.nextTick(() => broken.destroy(Object.assign(new Error('The Device is away.'), { code: 'ECONNRESET' })));
    return broken;
  }
  return new StreamSocket(session.request({ ':method': 'CONNECT', ':authority': target }));
}
