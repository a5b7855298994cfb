/**
 * Channels to Devices that other servers own. Each server takes the others in at the port that Devices dial (dial-in.ts), and passes their
 * channels on as they are: what a Device answers is for the server that called.
 */
import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2';
import { parseDeviceAddress } from '../../domain/shapes/devices/device.ts';
import { memberIdentity } from '../../domain/shapes/sources/channel-key.ts';
import { dial } from '../agent/psk.ts';
import { keepAlive, SESSION_OPTIONS } from '../session-heartbeat.ts';
import { openStream } from '../session-stream.ts';
import type { Connection } from '../stream-socket.ts';

/** Servers that share a store are near each other. */
const CONNECT_MS = 2000;

/** The target of the stream that carries what a server hears of its Devices. */
export const HEARD = 'heard';

export class MemberChannels {
  /** One connection to each server, by its address. */
  private readonly sessions = new Map<string, ClientHttp2Session>();

  /**
   * The channel to one of its Devices, or to what it hears of all. It takes data at once; one that does not come about is closed with an error.
   * `onRefused` is called where the server lives and has nothing for this target.
   */
  open(address: string, key: string, target: number | typeof HEARD, onRefused?: () => void): Connection {
    return openStream(this.sessions.get(address) ?? this.connect(address, key), String(target), onRefused);
  }

  private connect(address: string, key: string): ClientHttp2Session {
    const secret = { identity: memberIdentity(key), psk: Buffer.from(key, 'base64url') };
    const socket = dial(parseDeviceAddress(address), secret);
    const session = connectHttp2('http://member', { ...SESSION_OPTIONS, createConnection: () => socket });
    const late = setTimeout(() => socket.destroy(), CONNECT_MS);
    session.once('connect', () => {
      clearTimeout(late);
      keepAlive(session, socket);
    });
    session.on('error', () => session.destroy());
    session.once('close', () => socket.destroy());
    socket.once('close', () => {
      clearTimeout(late);
      if (this.sessions.get(address) === session) this.sessions.delete(address);
    });
    // A process that ends waits for no connection of this kind.
    session.unref();
    this.sessions.set(address, session);
    return session;
  }
}
