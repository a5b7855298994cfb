/** A process of its own answers the viewers of the control plane's port; this one answers those that cannot be handed over. */
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono } from 'hono';
import { connectionLimits, Connections, type Use } from '../device/delivery/connections.ts';
import { mediaFirst } from '../device/delivery/first-bytes.ts';
import { boundConnections, type BoundConnections } from '../device/delivery/http-connections.ts';
import { serveMedia } from '../device/delivery/media-connection.ts';
import { mediaOverHttp } from '../device/delivery/media-over-http.ts';
import { MediaProcess, type MediaProcessOptions } from '../device/delivery/media-process.ts';
import { systemClock } from '../domain/clock.ts';
import { mediaParts, type MediaSettings } from './media.ts';

/** Bounds for the viewers that are answered here: browsers have six connections from the page's own host, a proxy names its clients. */
const OWN_VIEWERS = { perAddress: 200, all: 1000 };

export interface Viewing {
  /** Answers requests on connections that the HTTP server holds. */
  app: Hono;
  /** Hands connections of viewers to their process; the returned function ends that. */
  listenOn(server: Server): () => void;
}

export function createViewing(settings: MediaSettings, log: MediaProcessOptions['log']): Viewing {
  const parts = mediaParts(settings, OWN_VIEWERS);
  const app = new Hono();
  app.all('/live/*', async (context) => {
    const { incoming, outgoing } = context.env as HttpBindings;
    await mediaOverHttp(incoming, outgoing, parts);
    return RESPONSE_ALREADY_SENT;
  });
  const listenOn = (server: Server): (() => void) => {
    const bound = boundConnections(server, parts.stallMs);
    const connections = new Connections({
      limits: connectionLimits(),
      addressOf: (socket) => parts.addressOf(socket, () => undefined),
      useOf: usesOf(server, bound),
    });
    const enter = (socket: Socket): boolean => connections.enter(socket);
    const first = mediaFirst(server, (socket, bytes) => viewers.take(socket, bytes), enter);
    const viewers = new MediaProcess({
      here: (socket, bytes) => serveMedia(socket, bytes, parts, first.give),
      elsewhere: (socket, bytes) => void (enter(socket) && first.give(socket, bytes)),
      left: (socket) => connections.leave(socket),
      settings,
      clock: systemClock,
      log,
    });
    return () => {
      viewers.close();
      first.close();
    };
  };
  return { app, listenOn };
}

/**
 * Tells the connections of this process apart: those without a request yet, those of the HTTP server, standing ones of assistants, and
 * viewers that are answered here.
 */
function usesOf(server: Server, bound: BoundConnections): (socket: Socket) => Use {
  const standing = new WeakSet<Socket>();
  server.on('upgrade', ({ socket }: IncomingMessage) => void standing.add(socket));
  return (socket) => {
    if (socket.writableLength > 0) return 'unread';
    if (standing.has(socket)) return 'busy';
    const state = bound.stateOf(socket);
    if (state !== undefined) return state === 'idle' ? 'idle' : 'busy';
    return socket.bytesWritten === 0 ? 'silent' : 'busy';
  };
}
