/** The connection of a relay to an RTSP server: its address checked, by TLS for rtsps, and read piece by piece. */
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { bareHost, type Reach } from '../../../domain/network/networks.ts';
import { RtspReader, type RtspMessage } from '../../media/rtsp/rtsp-message.ts';
import { CLOSED, failureOfConnection, NO_RTSP, type Failure } from './rtsp-reasons.ts';

const PORTS: Record<string, number> = { 'rtsp:': 554, 'rtsps:': 322 };

export interface RtspServerHooks {
  onMessage(message: RtspMessage): void;
  onFrame(frame: Buffer): void;
  /** Called once, when there is no connection or none any more. */
  onEnd(failure: Failure): void;
}

/** Throws NetworkRefusal for an address that may not be reached, and the filesystem's own error for missing authorities. */
export function connectToServer(
  { protocol, hostname, port }: URL,
  reach: Reach,
  authorities: () => string[],
  { onMessage, onFrame, onEnd }: RtspServerHooks,
): Socket {
  const host = bareHost(hostname);
  // A socket looks names up, and takes an address as it is.
  reach.assertHost(host);
  const options = { host, port: port === '' ? PORTS[protocol]! : Number(port), lookup: reach.lookup };
  const server =
    protocol === 'rtsps:'
      ? connectSecurely({ ...options, ca: authorities(), ...(isIP(host) === 0 && { servername: host }) })
      : connect(options);
  server.setNoDelay(true);
  let hasEnded = false;
  const end = (failure: Failure): void => {
    if (hasEnded) return;
    hasEnded = true;
    server.destroy();
    onEnd(failure);
  };
  const reader = new RtspReader({ onMessage, onFrame });
  server.on('data', (chunk: Buffer) => {
    try {
      reader.push(chunk);
    } catch {
      end(NO_RTSP);
    }
  });
  server.on('error', (error) => end(failureOfConnection(error)));
  server.on('close', () => end(CLOSED));
  return server;
}
