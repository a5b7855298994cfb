/**
 * The port that Devices dial. They are the clients of TCP and TLS; over the connection this server calls them, each call on a stream of its
 * own (device/agent/dial/dial-out.ts).
 */
import type { Server as HttpServer } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer, type Server as TlsServer, type TLSSocket } from 'node:tls';
import { systemClock } from '../../domain/time/clock.ts';
import type { Dialler, DevicePort } from '../../domain/ports/dial-in.ts';
import type { DialledLink } from '../../domain/ports/device-link.ts';
import { AppError, toProblem } from '../../domain/base/errors.ts';
import type { Log } from '../../domain/base/log.ts';
import { machineAnswer } from '../../domain/reported/answers.ts';
import { CHANNEL, DIAL_HINT } from '../agent/psk.ts';
import { BACKLOG, Connections, STRANGERS, useByBytes } from '../connections.ts';
import { Handshakes } from '../handshakes.ts';
import { RefusedPeers } from '../refused-peers.ts';
import { endOf, keepAlive, SESSION_OPTIONS } from '../session-heartbeat.ts';
import { openStream } from '../session-stream.ts';
import { callSocket, toAppError } from '../socket-http.ts';
import type { Connection } from '../stream-socket.ts';
import { answered } from './answered.ts';
import { dialledMachine } from './dialled-machine.ts';
import { heardServer, passOn } from './pass-on.ts';
import { pairedLink } from './remote-device.ts';
import type { MediaFiles } from './remote-files.ts';

export interface DialInOptions {
  host: string;
  port: number;
  devices: DevicePort;
  log: Log;
  /** The folder for files from Devices. */
  dir: string;
  /** The files of Assets. */
  media?: MediaFiles | undefined;
}

export interface DialIn {
  /** host:port as bound. */
  address: string;
  close(): Promise<void>;
}

/** A handshake takes two round trips. */
const HANDSHAKE_MS = 5000;
/** A join is two short calls and a commit, which waits for a database that is away. */
const CALL_MS = 5000;

/** Rejects with AppError unavailable when the port cannot be had. */
export async function openDialIn(options: DialInOptions): Promise<DialIn> {
  const { host, port, log } = options;
  const sockets = new Set<Socket>();
  const strangers = new Connections({ limits: STRANGERS, addressOf: peerOf, useOf: useByBytes });
  const handshakes = new Handshakes(strangers, HANDSHAKE_MS);
  const server = tlsServer(options, (socket) => handshakes.finish(socket));
  const listener = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    handshakes.begin(socket, server);
  });
  await new Promise<void>((done, failed) => {
    listener.once('error', (error: NodeJS.ErrnoException) =>
      failed(new AppError('unavailable', `Devices cannot be listened for on ${host}:${port}: ${error.code}.`)),
    );
    listener.listen({ port, host, backlog: BACKLOG }, done);
  });
  listener.on('error', (error) => log.warn({ err: error }, 'A connection of a Device could not be taken.'));
  const bound = (listener.address() as AddressInfo).port;
  const address = `${host.includes(':') ? `[${host}]` : host}:${bound}`;
  log.info({ address }, 'Devices may dial this server.');
  return {
    address,
    async close() {
      const closed = new Promise<void>((done) => listener.close(() => done()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function tlsServer(options: DialInOptions, onSecure: (socket: TLSSocket) => void): TlsServer {
  const { devices, log } = options;
  const refused = new RefusedPeers(log, 'A connection of a Device was refused.');
  const diallers = new WeakMap<TLSSocket, Dialler>();
  const heard = heardServer(devices);
  const server = createTlsServer({
    ...CHANNEL,
    pskIdentityHint: DIAL_HINT,
    pskCallback: (socket, identity) => {
      const dialler = devices.findDialler(identity);
      if (dialler === undefined) return null;
      diallers.set(socket, dialler);
      return Buffer.from(dialler.key, 'base64url');
    },
  });
  server.on('secureConnection', (socket) => {
    onSecure(socket);
    const dialler = diallers.get(socket);
    if (dialler === undefined) return socket.destroy();
    take(socket, dialler, options, heard).catch((error: unknown) => {
      socket.destroy();
      log.warn({ err: error, peer: peerOf(socket) }, 'A Device that has dialled this server could not be taken.');
    });
  });
  server.on('tlsClientError', (error, socket) => refused.note(peerOf(socket), error.message));
  return server;
}

/** Links that this process has opened. */
let links = 0;

async function take(socket: TLSSocket, dialler: Dialler, options: DialInOptions, heard: HttpServer): Promise<void> {
  const peer = peerOf(socket);
  if ('isMember' in dialler) return passOn(socket, options.devices, heard);
  const session = connectHttp2('http://device', { ...SESSION_OPTIONS, createConnection: () => socket });
  keepAlive(session, socket);
  const open = (): Connection => openStream(session, 'device');
  if ('kid' in dialler) return joinOver(open, dialler.kid, peer, options).finally(() => session.close());
  const { devices, log, dir, media } = options;
  links += 1;
  // A Device that dials again must not go on with files that its former link still writes.
  const ownDir = join(dir, `dialled-${links}`);
  const link: DialledLink = {
    ...pairedLink(open, { log, clock: systemClock, dir: ownDir, media, mustClaim: true }),
    ...dialledMachine(open),
    peer,
    onClose(listener) {
      void endOf(socket).then(listener);
    },
    close: () => session.destroy(),
  };
  await devices.onDialled(dialler.deviceId, dialler.key, link).catch((error: unknown) => {
    link.close();
    throw error;
  });
}

async function joinOver(
  open: () => Connection,
  kid: string,
  peer: string,
  { devices, log }: DialInOptions,
): Promise<void> {
  const call = async (method: 'GET' | 'POST', path: string, body?: unknown): Promise<unknown> => {
    const reply = await callSocket({
      socket: open,
      method,
      path,
      timeoutMs: CALL_MS,
      ...(body !== undefined && { body }),
    });
    if (reply.status !== 200) throw toAppError(reply.body);
    return reply.body;
  };
  const { machineId, name } = answered('machine', machineAnswer, await call('GET', '/machine'));
  try {
    const joined = await devices.join(kid, { machineId, name, address: peer });
    await call('POST', '/pair', joined);
    log.info({ deviceId: joined.deviceId, kid, peer }, `Device ${joined.name} has joined.`);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'rule_violated') throw error;
    log.warn({ kid, peer, reason: error.message }, 'A machine may not join.');
    const { detail, remedy } = toProblem(error, '');
    await call('POST', '/refuse', { detail, remedy });
  }
}

function peerOf(socket: Socket): string {
  return socket.remoteAddress?.replace(/^::ffff:/u, '') ?? 'unknown';
}
