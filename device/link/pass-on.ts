/** Takes another server in: passes its channels on to the Devices that this server owns, and says what this one hears of them. */
import { createServer, type Server as HttpServer } from 'node:http';
import { performServerHandshake } from 'node:http2';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { DevicePort } from '../../domain/ports/dial-in.ts';
import { keepAlive, SESSION_OPTIONS } from '../session-heartbeat.ts';
import { onStreams } from '../session-stream.ts';
import { HEARD } from './member-channels.ts';

/** The server of the streams that other servers follow. */
export function heardServer(devices: Pick<DevicePort, 'followHeard'>): HttpServer {
  return createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' });
    response.flushHeaders();
    devices.followHeard(response);
  });
}

/** A channel to a Device that this server does not own is closed. */
export function passOn(socket: TLSSocket, devices: Pick<DevicePort, 'openChannel'>, heard: HttpServer): void {
  const session = performServerHandshake(socket, SESSION_OPTIONS);
  onStreams(session, (target) => {
    if (target === HEARD) return (stream) => void heard.emit('connection', stream);
    const far = devices.openChannel(Number(target));
    return far && ((stream) => join(stream, far));
  });
  keepAlive(session, socket);
}

/** Each end is over with the other; what one has sent before its end comes through. */
function join(one: Duplex, other: Duplex): void {
  one.pipe(other).pipe(one);
  for (const [end, far] of [
    [one, other],
    [other, one],
  ] as const) {
    end.on('error', () => far.destroy());
    end.once('close', () => far.destroy());
  }
}
