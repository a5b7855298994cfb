/**
 * Bounds the connections that a port holds. Beyond the bound a new one takes the place of an old one that has nothing to wait for: who
 * connects and says nothing is the oldest soon, and who has a request is let in.
 */
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { VIEWER_LIMITS, type ViewerLimits } from './viewer-limits.ts';

/**
 * Of how little use a connection is. Those that were never answered are cut first, then those between two requests, then those whose
 * client does not take its answer.
 */
export type Use = 'silent' | 'idle' | 'unread' | 'busy';

const CUT_ORDER: readonly Use[] = ['silent', 'idle', 'unread'];

/** Above what the limits of viewers let in: connections that are being refused, or have not asked yet. */
const MAX_VIEWERS: ViewerLimits = { perAddress: VIEWER_LIMITS.perAddress + 1000, all: VIEWER_LIMITS.all + 1000 };

/** Half of the descriptors are left for files, child processes and connections of our own; two thirds of the rest are for one address. */
export function connectionLimits(descriptors = descriptorLimit()): ViewerLimits {
  const all = Math.min(MAX_VIEWERS.all, Math.floor(descriptors / 2));
  return { perAddress: Math.min(MAX_VIEWERS.perAddress, Math.floor((all * 2) / 3)), all };
}

/** Of this process, which no API of Node tells; Node has raised the soft limit to the hard one at its start. */
function descriptorLimit(): number {
  const [, soft] = /^Max open files\s+(\d+|unlimited)/mu.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  return soft === 'unlimited' ? Infinity : Number(soft ?? 1024);
}

/** For media on a bare socket. */
export function useForMedia(socket: Socket): Use {
  if (socket.writableLength > 0) return 'unread';
  return socket.bytesWritten === 0 ? 'silent' : 'idle';
}

/** Connections that the kernel keeps until they are taken; of more than that a client tries again after a second, three, seven. */
export const BACKLOG = 4096;

export interface ConnectionParts {
  limits: ViewerLimits;
  /** Whom a connection counts as. */
  addressOf(socket: Socket): string;
  useOf(socket: Socket): Use;
}

export class Connections {
  private readonly parts: ConnectionParts;
  /** Of each address, the oldest first. */
  private readonly addresses = new Map<string, Set<Socket>>();
  private readonly addressOf = new Map<Socket, string>();

  constructor(parts: ConnectionParts) {
    this.parts = parts;
  }

  get count(): number {
    return this.addressOf.size;
  }

  /** False: there is no place for it, and it is cut. */
  enter(socket: Socket): boolean {
    const { limits, addressOf } = this.parts;
    const address = addressOf(socket);
    const own = this.addresses.get(address);
    const hasPlace =
      ((own?.size ?? 0) < limits.perAddress || this.cutOneOf(own!)) &&
      (this.count < limits.all || this.cutOfGreediest());
    if (!hasPlace) {
      socket.destroy();
      return false;
    }
    // The last one of an address may just have been cut.
    const present = this.addresses.get(address) ?? new Set();
    this.addresses.set(address, present.add(socket));
    this.addressOf.set(socket, address);
    socket.once('close', () => this.leave(socket));
    return true;
  }

  /** It is closed, or another process has it. */
  leave(socket: Socket): void {
    const address = this.addressOf.get(socket);
    if (address === undefined) return;
    this.addressOf.delete(socket);
    const own = this.addresses.get(address)!;
    own.delete(socket);
    if (own.size === 0) this.addresses.delete(address);
  }

  cutAll(): void {
    for (const socket of this.addressOf.keys()) socket.destroy();
  }

  private cutOfGreediest(): boolean {
    let greediest: Set<Socket> | undefined;
    for (const own of this.addresses.values()) if (own.size > (greediest?.size ?? 0)) greediest = own;
    if (greediest === undefined) return false;
    return this.cutOneOf(greediest) || [...this.addresses.values()].some((own) => this.cutOneOf(own));
  }

  /** The oldest of those that are of the least use. */
  private cutOneOf(sockets: ReadonlySet<Socket>): boolean {
    let worst: Socket | undefined;
    let rank = CUT_ORDER.length;
    for (const socket of sockets) {
      const own = CUT_ORDER.indexOf(this.parts.useOf(socket));
      if (own === -1 || own >= rank) continue;
      [worst, rank] = [socket, own];
      if (rank === 0) break;
    }
    if (worst === undefined) return false;
    this.leave(worst);
    worst.destroy();
    return true;
  }
}
