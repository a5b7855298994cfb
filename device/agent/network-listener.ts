/** The agent's API for another machine's control plane: the same HTTP as over the unix socket, through a channel with a pre-shared key. */
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import type { Server as HttpServer } from 'node:http';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createServer as createTlsServer, type Server as TlsServer, type TLSSocket } from 'node:tls';
import { AppError } from '../../domain/base/errors.ts';
import { refuseCall } from './agent-api.ts';
import type { Log } from '../../domain/base/log.ts';
import type { Pairing } from './pairing.ts';
import { BACKLOG, Connections, STRANGERS, useByBytes } from '../connections.ts';
import { Handshakes } from '../handshakes.ts';
import { RefusedPeers } from '../refused-peers.ts';
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

export async function openNetworkListener(options: NetworkListenerOptions): Promise<NetworkListener> {
  const { pairing, log, show } = options;
  const apiServer = httpServer(options.fetch);
  const pairingServer = httpServer(pairingApi(pairing, log).fetch as NetworkListenerOptions['fetch']);
  const channels = new Set<TLSSocket>();
  /** Addresses of peers that tried one-time credentials: only their failures count as guesses, and not those of a port scan. */
  const guesses = new WeakMap<TLSSocket, string>();
  const oneTimeChannels = new WeakSet<TLSSocket>();

  const strangers = new Connections({ limits: STRANGERS, addressOf, useOf: useByBytes });
  const handshakes = new Handshakes(strangers, HANDSHAKE_MS);
  const refused = new RefusedPeers(log, 'A channel to the Device was refused.');

  const channelServer = (state: PairingState): TlsServer => {
    const server = createTlsServer({
      ...CHANNEL,
      pskIdentityHint: HINTS[state],
      pskCallback: (socket, identity) => {
        const address = addressOf(socket);
        if (identity.startsWith('pair:')) guesses.set(socket, address);
        const secret = pairing.secretOf(identity, address);
        if (secret?.isOneTime === true) oneTimeChannels.add(socket);
        return secret?.psk ?? null;
      },
    });
    server.on('secureConnection', (socket) => {
      handshakes.finish(socket);
      channels.add(socket);
      socket.once('close', () => channels.delete(socket));
      socket.on('error', () => socket.destroy());
      (oneTimeChannels.has(socket) ? pairingServer : apiServer).emit('connection', socket);
    });
    server.on('tlsClientError', (error, socket) => {
      const address = guesses.get(socket);
      if (address !== undefined && pairing.stateFor(address) === 'unpaired') pairing.noteFailure(address);
      refused.note(addressOf(socket), error.message);
    });
    return server;
  };
  // The hint belongs to the server object, so there is one for each state.
  const servers = {
    unpaired: channelServer('unpaired'),
    paired: channelServer('paired'),
    paused: channelServer('paused'),
  };
  const sockets = new Set<Socket>();
  const listener = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    handshakes.begin(socket, servers[pairing.stateFor(addressOf(socket))]);
  });
  const { host, port } = options.address;
  await new Promise<void>((done, failed) => {
    listener.once('error', (error: NodeJS.ErrnoException) =>
      failed(
        new AppError('unavailable', `The Device cannot listen on ${host}:${port}: ${error.code ?? error.message}.`),
      ),
    );
    listener.listen({ port, host, backlog: BACKLOG }, done);
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

function addressOf({ remoteAddress }: Socket): string {
  return remoteAddress ?? 'unknown';
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
