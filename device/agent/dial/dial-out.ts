/**
 * A Device that dials its servers: the client of TCP and TLS, and the server of the calls that come back over the connection. Each stream
 * of the connection carries HTTP as a channel of its own does (device/socket-http.ts), so that the agent's API is one for both.
 */
import { performServerHandshake, type Http2Session, type ServerHttp2Session } from 'node:http2';
import type { Server as HttpServer } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { parseDeviceAddress } from '../../../domain/shapes/devices/device.ts';
import type { Log } from '../../../domain/base/log.ts';
import { pause } from '../../../domain/time/pause.ts';
import { endOf, keepAlive, SESSION_OPTIONS } from '../../session-heartbeat.ts';
import { onStreams } from '../../session-stream.ts';
import { DIAL_HINT, dial, type Secret } from '../psk.ts';

/** TCP and TLS take three round trips; a line that is slower gets more time after each round in vain. */
const TRY_MS = 1000;
const MAX_TRY_MS = 5000;
/** Devices that lose a server at the same moment do not come back at the same moment. */
const JITTER_MS = 500;
/** A server that does not know the key will not know it a moment later. */
const REFUSED_PAUSE_MS = 5000;

/** away: nobody answers. refused: the server does not know the key. */
export type DialFailure = 'away' | 'refused';

/** Resolves with an open channel, or with the reason why there is none. */
export function openChannel(address: string, secret: Secret, tryMs: number): Promise<TLSSocket | DialFailure> {
  return new Promise((resolve) => {
    let hint = '';
    const socket = dial(parseDeviceAddress(address), secret, (text) => (hint = text));
    const timer = setTimeout(() => {
      hint = '';
      socket.destroy();
    }, tryMs);
    socket.once('secureConnect', () => {
      clearTimeout(timer);
      resolve(socket);
    });
    socket.once('close', () => {
      clearTimeout(timer);
      resolve(hint === DIAL_HINT ? 'refused' : 'away');
    });
  });
}

/** Serves the calls that come over the channel; the session ends with it, and it with the session. */
export function serveOver(socket: TLSSocket, server: HttpServer): ServerHttp2Session {
  const session = performServerHandshake(socket, SESSION_OPTIONS);
  onStreams(session, () => (stream) => void server.emit('connection', stream));
  keepAlive(session, socket);
  return session;
}

export interface DialOutOptions {
  /** The key and the servers of now; undefined once the Device is not joined any more. */
  joined: () => { secret: Secret; addresses: readonly string[] } | undefined;
  server: HttpServer;
  log: Log;
}

/** Keeps one connection to one of the servers. */
export class DialOut {
  private readonly options: DialOutOptions;
  private readonly ended = new AbortController();
  private session: Http2Session | undefined;
  /** The server of the last connection takes another machine for this Device. */
  private isRefused = false;
  /** It was last logged, and is not logged again. */
  private state = '';
  /** That of the last connection. */
  private address = '';
  /** The next address to try. */
  private next = 0;

  constructor(options: DialOutOptions) {
    this.options = options;
  }

  /** Resolves when the Device is not joined any more, or after `close`. */
  async run(): Promise<void> {
    const { signal } = this.ended;
    let tryMs = TRY_MS;
    for (let tries = 1; !signal.aborted; tries += 1) {
      const joined = this.options.joined();
      if (joined === undefined) return;
      const { addresses, secret } = joined;
      const address = addresses[this.next % addresses.length] ?? '';
      this.next = (this.next + 1) % addresses.length;
      const opened = await openChannel(address, secret, tryMs);
      if (typeof opened === 'string') {
        this.logFailure(opened, addresses);
        if (tries % addresses.length === 0) tryMs = Math.min(tryMs * 2, MAX_TRY_MS);
        await pause(opened === 'refused' ? REFUSED_PAUSE_MS : Math.random() * JITTER_MS, signal);
        continue;
      }
      tryMs = TRY_MS;
      tries = 0;
      this.isRefused = false;
      await this.serve(opened, address);
      await pause(this.isRefused ? REFUSED_PAUSE_MS : Math.random() * JITTER_MS, signal);
    }
  }

  /** No server has refused this machine since one has claimed the Device here. */
  get mayGoOn(): boolean {
    return !this.isRefused && this.state !== 'refused';
  }

  /** The server of now has claimed the Device. */
  claimed(): void {
    this.logOnce('info', 'connected', { address: this.address }, 'The Device is connected to a server.');
  }

  /** The server of now takes another machine for this Device. */
  refused({ detail, remedy }: { detail: string; remedy: string }): void {
    this.isRefused = true;
    this.logOnce('error', 'other machine', { remedy }, detail);
  }

  /** Ends the connection of now; the next one is dialled unless the Device is not joined any more. */
  hangUp(): void {
    this.session?.destroy();
  }

  close(): void {
    this.ended.abort();
    this.hangUp();
  }

  private async serve(socket: TLSSocket, address: string): Promise<void> {
    if (this.ended.signal.aborted) return void socket.destroy();
    const session = serveOver(socket, this.options.server);
    this.session = session;
    this.address = address;
    await endOf(socket);
    this.session = undefined;
    if (!this.ended.signal.aborted && !this.isRefused)
      this.logOnce('warn', 'lost', { address }, 'The connection to the server has ended; the Device dials again.');
  }

  private logFailure(failure: DialFailure, addresses: readonly string[]): void {
    const words = {
      away: 'No server answers; the Device goes on dialling.',
      refused:
        'A server does not know the key of this Device. If it was deleted there, or their store was put back to before it joined, run `onair device unpair` and join again; its broadcasts go on.',
    } as const;
    this.logOnce('warn', failure, { addresses }, words[failure]);
  }

  private logOnce(level: 'info' | 'warn' | 'error', state: string, facts: object, message: string): void {
    if (this.state === state) return;
    this.state = state;
    this.options.log[level](facts, message);
  }
}
