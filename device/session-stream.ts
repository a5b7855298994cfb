/** Streams of an HTTP/2 connection that carry HTTP as connections of their own do. */
import type { ClientHttp2Session, IncomingHttpHeaders, ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import { StreamSocket } from './stream-socket.ts';

/**
 * `target` says at the other end what the stream is for. A connection that is over gives a stream that fails. `onRefused` is called where the
 * other end has nothing for the target.
 */
export function openStream(session: ClientHttp2Session, target: string, onRefused?: () => void): StreamSocket {
  try {
    const stream = session.request({ ':method': 'CONNECT', ':authority': target });
    if (onRefused !== undefined) {
      let isTaken = false;
      stream.once('response', () => (isTaken = true));
      stream.once('close', () => !isTaken && !session.destroyed && !session.closed && onRefused());
    }
    return new StreamSocket(stream);
  } catch {
    // The session is over, or takes no more streams.
    return new StreamSocket(undefined);
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
