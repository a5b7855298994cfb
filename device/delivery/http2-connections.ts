/**
 * Media over HTTP/2 (RFC 9113): many requests at a time on one connection, as players of low latency ask. The first bytes of a connection, or
 * TLS, have said that it is spoken.
 */
import { createServer, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { busyAnswer, type MediaAnswer } from './answers.ts';
import { closeFd, mediaAnswer } from './media-answer.ts';
import type { Elsewhere, MediaParts } from './media-connection.ts';
import { piecesOf } from './pieces.ts';
import { isSecured, STRICT_TRANSPORT } from './tls-connections.ts';

/** A player asks for a playlist and a part of each of its tracks at a time. Each request that is not read has a piece in memory. */
const MAX_REQUESTS = 32;
/** Megabytes that Node keeps of a session: headers and settings of its requests. */
const MAX_SESSION_MB = 2;
/** A playlist may be waited for 90 s, three segments of 30 s; players ask again within a segment. */
const IDLE_MS = 120_000;

/** Answers the function that takes connections. */
export function http2Connections(parts: Omit<MediaParts, 'http2'>): Elsewhere {
  const server = createServer({
    maxSessionMemory: MAX_SESSION_MB,
    settings: { maxConcurrentStreams: MAX_REQUESTS, enablePush: false },
  });
  server.on('sessionError', ignore);
  server.on('session', (session) => {
    session.on('error', ignore);
    session.setTimeout(IDLE_MS, () => session.destroy());
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', ignore);
    void answer(stream, headers, parts).catch(() => stream.destroy());
  });
  return (socket, bytes) => {
    const address = parts.addressOf(socket, () => undefined);
    const refusal = parts.viewers.enter(address);
    if (refusal !== undefined) return void socket.destroy();
    socket.once('close', () => parts.viewers.leave(address));
    if (bytes.length > 0) socket.unshift(bytes);
    server.emit('connection', socket);
  };
}

async function answer(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  parts: Omit<MediaParts, 'http2'>,
): Promise<void> {
  const { ':method': method = 'GET', ':path': target = '/' } = headers;
  const header = (name: string): string | undefined => headers[name]?.toString();
  const media: MediaAnswer = target.startsWith('/live/')
    ? await mediaAnswer(parts.deviceDir, { method, target, header }, parts.clock)
    : busyAnswer('This port has media alone.');
  try {
    if (stream.destroyed) return;
    const socket = stream.session?.socket;
    const secured = socket !== undefined && isSecured(socket as Socket) ? STRICT_TRANSPORT : {};
    const isEmpty = media.content === undefined && media.file === undefined && media.stream === undefined;
    stream.respond({ ':status': media.status, ...media.headers, ...secured }, { endStream: isEmpty });
    if (isEmpty) return;
    stream.setTimeout(parts.stallMs, () => stream.close());
    for await (const piece of piecesOf(media)) if (!(await write(stream, piece))) return;
    stream.end();
  } finally {
    if (media.file !== undefined) closeFd(media.file.fd);
  }
}

/** Resolves with true when the piece is out, and with false for a request that is over. */
function write(stream: ServerHttp2Stream, piece: Buffer): Promise<boolean> {
  if (stream.destroyed || stream.closed) return Promise.resolve(false);
  return new Promise((resolve) => {
    const onClose = (): void => resolve(false);
    stream.once('close', onClose);
    stream.write(piece, (error) => {
      stream.off('close', onClose);
      resolve(error == null);
    });
  });
}

function ignore(): void {
  // 'close' follows.
}
