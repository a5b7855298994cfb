/** Passes the channels of another server on to the Devices that this server owns. */
import { performServerHandshake } from 'node:http2';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { keepAlive, SESSION_OPTIONS } from '../session-heartbeat.ts';
import { onStreams } from '../session-stream.ts';

/** `openChannel` answers undefined for a Device that this server does not own; its channel is closed then. */
export function passOn(socket: TLSSocket, openChannel: (deviceId: number) => Duplex | undefined): void {
  const session = performServerHandshake(socket, SESSION_OPTIONS);
  onStreams(session, (target) => {
    const far = openChannel(Number(target));
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
