/**
 * Bounds the connections of a port. Beyond the bound a new connection takes the place of an old one that has nothing to wait for: a silent
 * connection is the oldest soon, and one with a request is let in.
 */
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { VIEWER_LIMITS, type ViewerLimits } from './viewer-limits.ts';

/**
 * The use of a connection. Silent ones, which were never answered, are cut first, then those between two requests, then those whose client
 * does not take its answer.
 */
export type Use = 'silent' | 'idle' | 'unread' | 'busy';

const CUT_ORDER: readonly Use[] = ['silent', 'idle', 'unread'];

/** The margin above the limits of viewers is for connections that are being refused, or have not asked yet. */
const MAX_VIEWERS: ViewerLimits = { perAddress: VIEWER_LIMITS.perAddress + 1000, all: VIEWER_LIMITS.all + 1000 };

/**
 * Half of the descriptors are left for files, child processes and connections of our own; one address gets two thirds of the other half.
 */
export function connectionLimits(descriptors = descriptorLimit()): ViewerLimits {
  const all = Math.min(MAX_VIEWERS.all, Math.floor(descriptors / 2));
  return { perAddress: Math.min(MAX_VIEWERS.perAddress, Math.floor((all * 2) / 3)), all };
}

/** No API of Node tells the limit of this process; Node has raised the soft limit to the hard one at its start. */
function descriptorLimit(): number {
  const [, soft] = /^Max open files\s+(\d+|unlimited)/mu.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  return soft === 'unlimited' ? Infinity : Number(soft ?? 1024);
}

/** The use of a connection that is a bare socket for media. */
export function useForMedia(socket: Socket): Use {
  if (socket.writableLength > 0) return 'unread';
  return socket.bytesWritten === 0 ? 'silent' : 'idle';
}

/** The kernel keeps so many connections until they are taken; a client beyond them tries again after one, three and seven seconds. */
export const BACKLOG = 4096;

export interface ConnectionParts {
  limits: ViewerLimits;
  /** The viewer's address that the connection counts for. */
  addressOf(socket: Socket): string;
  useOf(socket: Socket): Use;
}

export class Connections {
  private readonly parts: ConnectionParts;
  /** Sockets of each address, the oldest first. */
  private readonly addresses = new Map<string, Set<Socket>>();
  private readonly addressOf = new Map<Socket, string>();

  constructor(parts: ConnectionParts) {
    this.parts = parts;
  }

  get count(): number {
    return this.addressOf.size;
  }

  /** False when there is no place for the connection, which is then cut. */
  enter(socket: Socket): boolean {
    const { limits, addressOf } = this.parts;
    const address = addressOf(socket);
    const sockets = this.addresses.get(address);
    const isAdmitted =
      ((sockets?.size ?? 0) < limits.perAddress || this.cutOneOf(sockets!)) &&
      (this.count < limits.all || this.cutOfGreediest());
    if (!isAdmitted) {
      socket.destroy();
      return false;
    }
    // The last connection of an address may just have been cut.
    const present = this.addresses.get(address) ?? new Set();
    this.addresses.set(address, present.add(socket));
    this.addressOf.set(socket, address);
    socket.once('close', () => this.leave(socket));
    return true;
  }

  /** The connection is closed, or another process has it. */
  leave(socket: Socket): void {
    const address = this.addressOf.get(socket);
    if (address === undefined) return;
    this.addressOf.delete(socket);
    const sockets = this.addresses.get(address)!;
    sockets.delete(socket);
    if (sockets.size === 0) this.addresses.delete(address);
  }

  cutAll(): void {
    for (const socket of this.addressOf.keys()) socket.destroy();
  }

  private cutOfGreediest(): boolean {
    let greediest: Set<Socket> | undefined;
    for (const sockets of this.addresses.values()) if (sockets.size > (greediest?.size ?? 0)) greediest = sockets;
    if (greediest === undefined) return false;
    return this.cutOneOf(greediest) || [...this.addresses.values()].some((sockets) => this.cutOneOf(sockets));
  }

  /** Cuts the oldest of those that are of the least use. */
  private cutOneOf(sockets: ReadonlySet<Socket>): boolean {
    let worst: Socket | undefined;
    let rank = CUT_ORDER.length;
    for (const socket of sockets) {
      const order = CUT_ORDER.indexOf(this.parts.useOf(socket));
      if (order === -1 || order >= rank) continue;
      [worst, rank] = [socket, order];
      if (rank === 0) break;
    }
    if (worst === undefined) return false;
    this.leave(worst);
    worst.destroy();
    return true;
  }
}
