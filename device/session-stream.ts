/** Streams of an HTTP/2 connection that carry HTTP as connections of their own do. */
import type { ClientHttp2Session, IncomingHttpHeaders, ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import { Duplex } from 'node:stream';
import { StreamSocket } from './stream-socket.ts';

/** `target` says at the other end what the stream is for. A connection that is over gives a stream that fails. */
export function openStream(session: ClientHttp2Session, target: string): Duplex {
  try {
    return new StreamSocket(session.request({ ':method': 'CONNECT', ':authority': target }));
  } catch {
    // The session is over, or takes no more streams.
    const broken = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
    process.nextTick(() => broken.destroy(Object.assign(new Error('The Device is away.'), { code: 'ECONNRESET' })));
    return broken;
  }
}

/**
 * Hands on each stream that the other end opens, with what it is for. Where `take` answers undefined, there is nothing for it here. A stream
 * may be over before the listener runs: to answer it would throw.
 */
export function onStreams(session: ServerHttp2Session, take: (target: string) => StreamTaker | undefined): void {
  session.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    stream.on('error', () => undefined);
    if (stream.destroyed || stream.closed) return;
    const taker = take(headers[':authority'] ?? '');
    if (taker === undefined) return stream.close();
    stream.respond({ ':status': 200 });
    taker(new StreamSocket(stream));
  });
}

type StreamTaker = (stream: StreamSocket) => void;
