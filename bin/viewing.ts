/** How the control plane's port answers viewers: by a process of its own, and what cannot be handed to that, by this one. */
import type { Server } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono } from 'hono';
import { mediaFirst } from '../device/delivery/first-bytes.ts';
import { boundConnections } from '../device/delivery/http-connections.ts';
import { serveMedia } from '../device/delivery/media-connection.ts';
import { mediaOverHttp } from '../device/delivery/media-over-http.ts';
import { MediaProcess, type MediaProcessOptions } from '../device/delivery/media-process.ts';
import { systemClock } from '../domain/clock.ts';
import { mediaParts, type MediaSettings } from './media.ts';

/** Of viewers that are answered here: browsers have six connections on the page's own, a proxy names its clients. */
const OWN_VIEWERS = { perAddress: 200, all: 1000 };

export interface Viewing {
  /** For requests on connections that the HTTP server holds. */
  app: Hono;
  /** The answer ends it. */
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
    boundConnections(server, parts.stallMs);
    const first = mediaFirst(server, (socket, bytes) => viewers.take(socket, bytes));
    const viewers = new MediaProcess({
      here: (socket, bytes) => serveMedia(socket, bytes, parts, first.give),
      elsewhere: first.give,
      ...{ settings, clock: systemClock, log },
    });
    return () => {
      viewers.close();
      first.close();
    };
  };
  return { app, listenOn };
}
