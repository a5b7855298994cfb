/** The agent's API for another machine's control plane: the same HTTP as over the unix socket, through a channel with a pre-shared key. */
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import type { Server as HttpServer } from 'node:http';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createServer as createTlsServer, type Server as TlsServer, type TLSSocket } from 'node:tls';
import { AppError } from '../../domain/errors.ts';
import { refuseCall } from './agent-api.ts';
import type { Log } from '../../domain/log.ts';
import type { Pairing } from './pairing.ts';
import { CHANNEL, HINTS, type Credentials, type PairingState } from './psk.ts';

export interface NetworkListenerOptions {
  address: { host: string; port: number };
  pairing: Pairing;
  /** The API that a paired control plane may call. */
  fetch: (request: Request, env: never) => Response | Promise<Response>;
  log: Log;
  /** Shows new one-time credentials to the person at the Device. */
  show: (credentials: Credentials, address: string) => void;
}

export interface NetworkListener {
  /** host:port as bound. */
  address: string;
  /** Nobody calls a machine that is not the Device. */
  mayGoOn: true;
  /** It is called once the pairing is forgotten: ends every channel of it and shows the new credentials. */
  expel(credentials: Credentials): void;
  close(): Promise<void>;
}

/** A handshake takes two round trips. */
const HANDSHAKE_MS = 5000;
/** A control plane has some connections for calls, one for its watch, and one for each transfer of media. */
const MAX_CONNECTIONS = 64;

export async function openNetworkListener(options: NetworkListenerOptions): Promise<NetworkListener> {
  const { pairing, log, show } = options;
  const apiServer = httpServer(options.fetch);
  const pairingServer = httpServer(pairingApi(pairing, log).fetch as NetworkListenerOptions['fetch']);
  const channels = new Set<TLSSocket>();
  /** Peers that tried one-time credentials: only their failures count as guesses, and not those of a port scan. */
  const guesses = new WeakSet<TLSSocket>();
  const oneTimeChannels = new WeakSet<TLSSocket>();

  const channelServer = (state: PairingState): TlsServer => {
    const server = createTlsServer({
      ...CHANNEL,
      handshakeTimeout: HANDSHAKE_MS,
      pskIdentityHint: HINTS[state],
      pskCallback: (socket, identity) => {
        if (identity.startsWith('pair:')) guesses.add(socket);
        const secret = pairing.secretOf(identity);
        if (secret?.isOneTime === true) oneTimeChannels.add(socket);
        return secret?.psk ?? null;
      },
    });
    server.on('secureConnection', (socket) => {
      channels.add(socket);
      socket.once('close', () => channels.delete(socket));
      socket.on('error', () => socket.destroy());
      (oneTimeChannels.has(socket) ? pairingServer : apiServer).emit('connection', socket);
    });
    server.on('tlsClientError', (error, socket) => {
      if (guesses.has(socket) && pairing.state === 'unpaired') pairing.noteFailure();
      log.warn({ reason: error.message, peer: socket.remoteAddress }, 'A channel to the Device was refused.');
    });
    return server;
  };
  // The hint belongs to the server object, so there is one for each state.
  const servers = {
    unpaired: channelServer('unpaired'),
    paired: channelServer('paired'),
    paused: channelServer('paused'),
  };
  const listener = createServer((socket) => servers[pairing.state].emit('connection', socket));
  listener.maxConnections = MAX_CONNECTIONS;
  const sockets = new Set<Socket>();
  listener.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const { host, port } = options.address;
  await new Promise<void>((done, failed) => {
    listener.once('error', (error: NodeJS.ErrnoException) =>
      failed(
        new AppError('unavailable', `The Device cannot listen on ${host}:${port}: ${error.code ?? error.message}.`),
      ),
    );
    listener.listen(port, host, done);
  });
  listener.on('error', (error) => log.warn({ err: error }, 'A channel to the Device could not be taken.'));
  const bound = (listener.address() as AddressInfo).port;
  const address = `${host.includes(':') ? `[${host}]` : host}:${bound}`;
  if (pairing.credentials !== undefined) show(pairing.credentials, address);

  return {
    address,
    mayGoOn: true,
    expel(credentials) {
      for (const channel of channels) channel.destroy();
      show(credentials, address);
    },
    async close() {
      const closed = new Promise<void>((done) => listener.close(() => done()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

export function httpServer(fetch: NetworkListenerOptions['fetch']): HttpServer {
  // A refusal is answered while its media still comes in: the connection stays, so that the sender reads the reason.
  const server = createAdaptorServer({ fetch: fetch as never, autoCleanupIncoming: false }) as HttpServer;
  server.keepAliveTimeout = 60_000;
  // Media comes through here, and may take hours over a slow connection.
  server.requestTimeout = 0;
  return server;
}

/** The one call that the one-time credentials allow. */
function pairingApi(pairing: Pairing, log: Log): Hono {
  const app = new Hono();
  app.post('/pair', async (context) => {
    const { key } = await context.req.json<{ key?: unknown }>();
    await pairing.accept(key);
    log.info({}, 'The Device is paired with a control plane.');
    return context.json({ paired: true });
  });
  refuseCall(app, log);
  return app;
}
