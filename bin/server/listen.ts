/** The server's port: it listens, hands requests to the APIs, and closes within a bound. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import { BACKLOG } from '../../device/connections.ts';
import { HEAD_MS } from '../../device/delivery/media-connection.ts';
import { AppError } from '../../domain/base/errors.ts';
import type { Log } from '../../domain/base/log.ts';
import { answerMalformed, malformedReply } from '../../rest/malformed.ts';
import type { Config } from '../settings/config.ts';
import { localUrl } from '../settings/own-address.ts';

const CLOSE_BOUND_MS = 3000;
const SERVER_OPTIONS = {
  // A whole upload may take hours. The APIs bound what they read themselves; Node's own bound of 300 s would cut the upload.
  requestTimeout: 0,
  headersTimeout: HEAD_MS,
  connectionsCheckingInterval: HEAD_MS / 3,
  // Node's own 5 s are about the pause between two calls of an assistant: the next call would often meet the close.
  keepAliveTimeout: 60_000,
};

export interface Apis {
  app: Hono;
  /** Hands connections of viewers to their own process; the returned function ends that. */
  takeViewers(server: Server): () => void;
}

export interface Listening {
  url: string;
  close(): Promise<void>;
}

/** Rejects with AppError unavailable when the port cannot be had. */
export function listen({ app, takeViewers }: Apis, { host, port, tlsCert }: Config): Promise<Listening> {
  return new Promise((resolve, reject) => {
    const listener = getRequestListener(app.fetch, { hostname: host, errorHandler: malformedReply });
    const server = createServer(SERVER_OPTIONS, listener).listen({ port, host, backlog: BACKLOG }, () => {
      resolve({
        url: localUrl(host, (server.address() as AddressInfo).port, tlsCert !== undefined),
        close: () =>
          new Promise((closed) => {
            releaseViewers();
            server.close(() => closed());
            setTimeout(() => server.closeAllConnections(), CLOSE_BOUND_MS / 3).unref();
          }),
      });
    });
    const releaseViewers = takeViewers(server);
    answerMalformed(server);
    server.once('error', (error: NodeJS.ErrnoException) => {
      const detail =
        error.code === 'EADDRINUSE'
          ? `Port ${port} on ${host} is taken; choose another with --port or ONAIR_PORT.`
          : error.message;
      const remedy = 'End the program that has the port (ss -ltnp names it), or choose another one.';
      reject(new AppError('unavailable', detail, { cause: error, ...(error.code === 'EADDRINUSE' && { remedy }) }));
    });
  });
}

/** A second signal, or the bound, ends the process at once: everything acknowledged is on disk already. */
export function stopOnSignals(close: () => Promise<void>, log: Pick<Log, 'info' | 'error'>): void {
  let closing = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (closing) process.exit(1);
    closing = true;
    log.info({ signal }, 'closing; broadcasts stay on air');
    setTimeout(() => process.exit(1), CLOSE_BOUND_MS).unref();
    close().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'close failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}
