/** A process of its own answers the viewers of the control plane's port; this one answers those that cannot be handed over. */
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono } from 'hono';
import { PortConnections, type Use } from '../../device/connections.ts';
import { mediaFirst, type Take } from '../../device/delivery/first-bytes.ts';
import { boundConnections, type BoundConnections } from '../../device/delivery/http-connections.ts';
import { serveMedia } from '../../device/delivery/media-connection.ts';
import { mediaOverHttp } from '../../device/delivery/media-over-http.ts';
import { MediaProcess, type MediaProcessOptions } from '../../device/delivery/media-process.ts';
import type { PlaceOf } from '../../device/delivery/others/other-devices.ts';
import { STRICT_TRANSPORT, tlsConnections } from '../../device/delivery/tls-connections.ts';
import type { TlsPair } from '../../device/delivery/tls-pair.ts';
import { connectionLimits, useForMedia, viewerLimits } from '../../device/delivery/viewer-limits.ts';
import { systemClock } from '../../domain/time/clock.ts';
import { mediaParts, type MediaSettings } from './media.ts';
import { otherDevices } from './other-devices.ts';

/** Bounds for the viewers that are answered here: browsers have six connections from the page's own host, a proxy names its clients. */
const OWN_VIEWERS = { perAddress: 200, all: 1000 };

export interface Viewing {
  /** Answers requests on connections that the HTTP server holds. */
  app: Hono;
  /** Hands connections of viewers to their process; the returned function ends that. */
  listenOn(server: Server): () => void;
}

/** With `tls` the port speaks TLS alone, and all viewers are answered here: no other process can go on with a connection that was begun. */
export function createViewing(
  settings: MediaSettings,
  placeOf: PlaceOf,
  log: MediaProcessOptions['log'],
  tls: TlsPair | undefined,
): Viewing {
  const others = otherDevices(placeOf, () => tls?.current?.leaf.toString());
  const deps = { ...mediaParts(settings, tls === undefined ? OWN_VIEWERS : viewerLimits()), others };
  const app = new Hono();
  app.all('/live/*', async (context) => {
    const { incoming, outgoing } = context.env as HttpBindings;
    await mediaOverHttp(incoming, outgoing, deps);
    return RESPONSE_ALREADY_SENT;
  });
  const listenOn = (server: Server): (() => void) => {
    const bound = boundConnections(server, deps.stallMs);
    const onRequest = (socket: Socket): void => connections.hasAsked(socket);
    server.on('request', ({ socket }: IncomingMessage) => onRequest(socket));
    const connections = new PortConnections({
      limits: connectionLimits(),
      addressOf: (socket) => deps.addressOf(socket, () => undefined),
      useOf: usesOf(bound),
    });
    const enter = (socket: Socket): boolean => connections.enter(socket);
    const counted = { ...deps, onRequest };
    const here: Take = (socket, bytes) => serveMedia(socket, bytes, counted, first.give);
    const toProcess: Take = (socket, bytes) => {
      // It counts there what it is handed, and thousands of viewers may come at once.
      onRequest(socket);
      viewers.take(socket, bytes);
    };
    const first = mediaFirst(server, tls ? here : toProcess, { enter, cutStrangers: () => connections.cutStrangers() });
    const viewers = new MediaProcess({
      here,
      elsewhere: (socket, bytes) => (enter(socket) ? first.give(socket, bytes) : void socket.destroy()),
      left: (socket) => connections.leave(socket),
      settings,
      placeOf,
      clock: systemClock,
      log,
    });
    if (tls !== undefined) secureServer(server, tls, connections);
    return () => {
      viewers.close();
      first.close();
    };
  };
  return { app, listenOn };
}

/** From here on `server` gets connections whose TLS is taken off, and says so to browsers. */
function secureServer(server: Server, tls: TlsPair, connections: PortConnections): void {
  const listeners = server.listeners('connection') as ((socket: Socket) => void)[];
  const give = (socket: Socket): void => listeners.forEach((listener) => listener.call(server, socket));
  const secure = tlsConnections(tls, connections, give);
  server.removeAllListeners('connection').on('connection', secure);
  server.prependListener('request', (_incoming, response) => {
    for (const [name, value] of Object.entries(STRICT_TRANSPORT)) response.setHeader(name, value);
  });
}

const USES = { receiving: 'begun', answering: 'busy', idle: 'idle' } as const;

/** Tells the connections of this process apart: those without a request yet, those of the HTTP server, and viewers that are answered here. */
function usesOf(bound: BoundConnections): (socket: Socket) => Use {
  return (socket) => {
    if (socket.writableLength > 0) return 'unread';
    const state = bound.stateOf(socket);
    return state === undefined ? useForMedia(socket) : USES[state];
  };
}
