/** Connections whose TLS handshake is not over: each has a place among strangers, and a bound in time. */
import type { Socket } from 'node:net';
import type { Server as TlsServer, TLSSocket } from 'node:tls';
import { inHandshake, type Connections } from './connections.ts';

export type Places = Pick<Connections, 'enter' | 'leave'>;

export class Handshakes {
  private readonly connections: Places;
  private readonly boundMs: number;
  /** Those under way, by their two ends: TLS makes another socket of each, which has them in common. */
  private readonly raws = new Map<string, Socket>();

  constructor(connections: Places, boundMs: number) {
    this.connections = connections;
    this.boundMs = boundMs;
  }

  /** Hands the connection to the server, which has nothing else to take it from. A client may be slow: the bound is for all its steps. */
  begin(raw: Socket, server: TlsServer): void {
    // A peer that resets its connection before TLS has it must not end the process.
    raw.on('error', () => raw.destroy());
    if (!this.connections.enter(raw)) return void raw.destroy();
    const ends = endsOf(raw);
    this.raws.set(ends, raw);
    inHandshake.add(raw);
    const late = setTimeout(() => {
      if (this.raws.get(ends) === raw) raw.destroy();
    }, this.boundMs);
    late.unref();
    raw.once('close', () => {
      clearTimeout(late);
      if (this.raws.get(ends) === raw) this.raws.delete(ends);
    });
    server.emit('connection', raw);
  }

  /** The handshake is over: the connection has left its place. */
  finish(socket: TLSSocket): void {
    const ends = endsOf(socket);
    const raw = this.raws.get(ends);
    if (raw === undefined) return;
    this.raws.delete(ends);
    this.connections.leave(raw);
  }
}

function endsOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}
