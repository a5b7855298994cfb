/** Tells connections that ask for media from all others before an HTTP server has them. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { PortConnections } from '../connections.ts';

/** Takes a connection with the bytes that were read of it; nobody else reads it from then on. */
export type Take = (socket: Socket, bytes: Buffer) => void;

export interface FirstBytes {
  /** Gives a connection to the HTTP server after all. */
  give: Take;
  /** Cuts connections that have not sent their first request. */
  close(): void;
}

/** Browsers connect ahead of a request, and connect again when that was in vain. */
const SILENCE_MS = 20_000;
const STARTS = ['GET /live/', 'HEAD /live/', 'POST /live/', 'OPTIONS /live/'];
const MAX_START_CHARS = Math.max(...STARTS.map(({ length }) => length));

/** From here on `server` gets only connections whose first request is for something else than media, and which have a place. */
export function mediaFirst(
  server: Server,
  media: Take,
  connections: Pick<PortConnections, 'enter' | 'cutStrangers'>,
): FirstBytes {
  const [serve] = server.listeners('connection') as [(this: Server, socket: Socket) => void];
  server.removeAllListeners('connection');
  const give: Take = (socket, bytes) => {
    if (bytes.length > 0) socket.unshift(bytes);
    serve.call(server, socket);
    socket.resume();
  };
  server.on('connection', (socket: Socket) => {
    if (!connections.enter(socket)) return void socket.destroy();
    let bytes: Buffer = Buffer.alloc(0);
    const cut = (): void => void socket.destroy();
    const timer = setTimeout(cut, SILENCE_MS).unref();
    const decide = (take: Take): void => {
      release();
      stopReading(socket);
      take(socket, bytes);
    };
    const onData = (chunk: Buffer): void => {
      bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
      const begin = bytes.toString('latin1', 0, MAX_START_CHARS);
      if (STARTS.some((start) => begin.startsWith(start))) decide(media);
      else if (!STARTS.some((start) => start.startsWith(begin))) decide(give);
    };
    const onEnd = (): void => decide(give);
    const release = (): void => {
      clearTimeout(timer);
      socket.off('data', onData).off('end', onEnd).off('error', cut).off('close', release);
    };
    socket.on('data', onData).on('end', onEnd).on('error', cut).on('close', release);
  });
  return { give, close: () => connections.cutStrangers() };
}

/**
 * A paused stream still reads ahead, and no other process can read what this one has read, so the handle is told to stop. The handle is
 * Node's own and has no public name.
 */
export function stopReading(socket: Socket): void {
  socket.pause();
  const { _handle: handle } = socket as unknown as { _handle: { reading: boolean; readStop(): void } | null };
  if (handle === null) return;
  handle.reading = false;
  handle.readStop();
}
