/** Delivers the Device's own media (device/delivery/) on a port. */
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { TLSSocket } from 'node:tls';
import { systemClock } from '../../domain/time/clock.ts';
import { BACKLOG, PortConnections } from '../connections.ts';
import { Sightings, type Sighting } from '../delivery/audience/sightings.ts';
import { http2Connections } from '../delivery/http2-connections.ts';
import { serveMedia, STALL_MS, type MediaDeps } from '../delivery/media-connection.ts';
import { connectionLimits, useForMedia, Viewers } from '../delivery/viewer-limits.ts';
import type { Log } from '../../domain/base/log.ts';
import { tlsConnections } from '../delivery/tls-connections.ts';
import { certifiedHost, type TlsPair } from '../delivery/tls-pair.ts';

export interface MediaServer {
  port: number;
  url: string;
  close(): Promise<void>;
}

/**
 * `port` 0 means any port, but `formerPort` if that is free, so that a viewer's URL outlives a restart of the agent. A port that is taken
 * is replaced: an agent with another port is of more use than none. Rejects with the error of listen(2).
 */
export async function openMediaServer(options: {
  deviceDir: string;
  host: string;
  port: number;
  formerPort: number;
  /** With it the delivery speaks TLS alone. */
  tls?: TlsPair | undefined;
  /** Gets who was seen, once a second; left out: nobody counts. */
  onSeen?: (seen: Sighting[]) => void;
  log: Log;
}): Promise<MediaServer> {
  const { deviceDir, host, port, formerPort, tls, onSeen, log } = options;
  const viewers = new Viewers();
  const addressOf = ({ remoteAddress }: Socket): string => remoteAddress ?? '';
  const connections = new PortConnections({ limits: connectionLimits(), addressOf, useOf: useForMedia });
  const onRequest = (socket: Socket): void => connections.hasAsked(socket);
  const seeing = onSeen && { sightings: new Sightings(onSeen) };
  const plain: MediaDeps = {
    deviceDir,
    clock: systemClock,
    viewers,
    stallMs: STALL_MS,
    addressOf,
    onRequest,
    ...seeing,
  };
  const http2 = http2Connections(plain);
  const deps: MediaDeps = { ...plain, http2 };
  const serve = (socket: Socket): void => {
    if (!connections.enter(socket)) return void socket.destroy();
    if (socket instanceof TLSSocket && socket.alpnProtocol === 'h2') http2(socket, Buffer.alloc(0));
    else serveMedia(socket, Buffer.alloc(0), deps);
  };
  const secure = tls && tlsConnections(tls, connections, serve, ['h2', 'http/1.1']);
  const server = createServer({ allowHalfOpen: true }, secure ?? serve);
  const candidates = [...new Set([port === 0 ? formerPort : port, 0])];
  for (const candidate of candidates) {
    const error = await listen(server, candidate, host);
    if (error === undefined) break;
    if (error.code !== 'EADDRINUSE' || candidate === 0) throw error;
    log.warn({ host, port: candidate }, 'The media port is taken; another one is used.');
  }
  const bound = (server.address() as AddressInfo).port;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      // Viewers have connections for as long as they watch: they are cut, and their players connect again.
      connections.cutAll();
    });
  const reachable = reachableHost(host);
  // The certificate may have come since, or have another name.
  const url = (): string =>
    tls === undefined
      ? `http://${reachable}:${bound}`
      : `https://${certifiedHost(reachable, tls.current?.leaf)}:${bound}`;
  return {
    port: bound,
    get url() {
      return url();
    },
    close,
  };
}

function listen(server: Server, port: number, host: string): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const failed = (error: NodeJS.ErrnoException): void => resolve(error);
    server.once('error', failed);
    server.listen({ port, host, backlog: BACKLOG }, () => {
      server.off('error', failed);
      resolve(undefined);
    });
  });
}

/** A wildcard is no address for a viewer: it becomes the first address of the machine that others can reach, or loopback. */
export function reachableHost(host: string): string {
  if (host !== '0.0.0.0' && host !== '::') return host.includes(':') ? `[${host}]` : host;
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return addresses.find((address) => !address.internal && address.family === 'IPv4')?.address ?? '127.0.0.1';
}
