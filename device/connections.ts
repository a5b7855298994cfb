/**
 * Bounds what strangers hold of a port: each address has a share, and beyond a bound a new one takes the place of an old one that is of less
 * use. Who is silent is the oldest soon, so it keeps nobody out, behind one address or many (docs/decisions/connections.md).
 */
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';

export interface ConnectionLimits {
  /** Of one address. */
  perAddress: number;
  all: number;
}

/**
 * The use of one, from the least on. Silent: nothing has come. Begun: something has come, and it was never answered. Idle: it is between
 * two requests. Unread: it does not take its answer. Busy ones are never cut.
 */
export type Use = 'silent' | 'begun' | 'idle' | 'unread' | 'busy';

const CUT_ORDER: readonly Use[] = ['silent', 'begun', 'idle', 'unread'];

/** The kernel keeps so many connections until they are taken; a client beyond them tries again after one, three and seven seconds. */
export const BACKLOG = 4096;

/**
 * For connections that have not proved who they are: a handshake that waits takes some 50 KB. A site of a thousand Devices behind one
 * address comes in within some tries of each.
 */
export const STRANGERS: ConnectionLimits = { perAddress: 384, all: 512 };

/** No API of Node tells the limit of this process; Node has raised the soft limit to the hard one at its start. */
export function descriptorLimit(): number {
  const [, soft] = /^Max open files\s+(\d+|unlimited)/mu.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  return soft === 'unlimited' ? Infinity : Number(soft ?? 1024);
}

/** Connections whose TLS handshake is not over: what was written to them is no answer. */
export const inHandshake = new WeakSet<Socket>();

/** The use of a connection that is a bare socket, as far as its bytes tell. */
export function useByBytes(socket: Socket): Use {
  if (inHandshake.has(socket)) return socket.bytesRead > 0 ? 'begun' : 'silent';
  if (socket.writableLength > 0) return 'unread';
  if (socket.bytesWritten > 0) return 'idle';
  return socket.bytesRead > 0 ? 'begun' : 'silent';
}

/** A connection, or a request on one. */
export interface Held {
  readonly destroyed: boolean;
  destroy(): unknown;
  once(event: 'close', listener: () => void): unknown;
  off(event: 'close', listener: () => void): unknown;
}

export interface ConnectionParts<T> {
  limits: ConnectionLimits;
  /** The address that it counts for. */
  addressOf(one: T): string;
  useOf(one: T): Use;
}

interface Place {
  address: string;
  onClose(): void;
}

export class Connections<T extends Held = Socket> {
  private readonly parts: ConnectionParts<T>;
  /** Those of each address, the oldest first. */
  private readonly addresses = new Map<string, Set<T>>();
  private readonly places = new Map<T, Place>();

  constructor(parts: ConnectionParts<T>) {
    this.parts = parts;
  }

  get count(): number {
    return this.places.size;
  }

  countOf(address: string): number {
    return this.addresses.get(address)?.size ?? 0;
  }

  has(one: T): boolean {
    return this.places.has(one);
  }

  /** False when there is no place for it; then it is for the caller to end it. */
  enter(one: T, address = this.parts.addressOf(one)): boolean {
    const { perAddress, all } = this.parts.limits;
    this.leave(one);
    const own = this.addresses.get(address);
    if (own !== undefined && own.size >= perAddress && !this.cutOneOf([own])) return false;
    if (this.count >= all && !this.cutOneOf(this.addresses.values())) return false;
    // The last one of an address may just have been cut.
    const present = this.addresses.get(address) ?? new Set();
    this.addresses.set(address, present.add(one));
    const onClose = (): void => this.leave(one);
    this.places.set(one, { address, onClose });
    one.once('close', onClose);
    return true;
  }

  /** It is closed, is no stranger any more, or another process has it. */
  leave(one: T): void {
    const place = this.places.get(one);
    if (place === undefined) return;
    this.places.delete(one);
    one.off('close', place.onClose);
    const own = this.addresses.get(place.address)!;
    own.delete(one);
    if (own.size === 0) this.addresses.delete(place.address);
  }

  cutAll(): void {
    for (const one of this.places.keys()) one.destroy();
  }

  /** Cuts one of those that are of the least use: of the address that has the most, the oldest. */
  private cutOneOf(sets: Iterable<ReadonlySet<T>>): boolean {
    let worst: T | undefined;
    let rank = CUT_ORDER.length;
    let size = 0;
    for (const ones of sets)
      for (const one of ones) {
        const order = CUT_ORDER.indexOf(this.parts.useOf(one));
        if (order !== -1 && (order < rank || (order === rank && ones.size > size)))
          [worst, rank, size] = [one, order, ones.size];
        // Nothing else of this address is of less use, or older.
        if (order === 0) break;
      }
    if (worst === undefined) return false;
    this.leave(worst);
    worst.destroy();
    return true;
  }
}
