/**
 * Bounds what strangers hold of a port: each address has a share, and beyond a bound a new one takes the place of an old one that is of less
 * use. Who is silent is the oldest soon, so it keeps nobody out, behind one address or many (docs/decisions/connections.md).
 */
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { networkOf } from '../domain/network/client-network.ts';

export interface ConnectionLimits {
  perAddress: number;
  all: number;
}

/**
 * The use of one, from the least on. Silent: nothing has come. Begun: something has come, and it was never answered. Idle: it is between
 * two requests. Unread: it does not take its answer. Busy ones are never cut.
 */
export type Use = 'silent' | 'begun' | 'idle' | 'unread' | 'busy';

const CUT_ORDER: readonly Use[] = ['silent', 'begun', 'idle', 'unread'];

/**
 * One that came so recently goes after all others that wait: it says something once its own packets have gone to and fro, and whoever holds
 * the places by connections of more use would else have it cut by the next of his own. A poor mobile line takes one second.
 */
const NEW_MS = 2000;

/** The kernel keeps so many connections until they are taken; a client beyond them tries again after one, three and seven seconds. */
export const BACKLOG = 4096;

/**
 * For connections that have not proved who they are, or not said what they want: a handshake of TLS takes up to 90 KB, and what follows some
 * 150 KB. A site of a thousand Devices behind one address comes in within some tries of each.
 */
export const STRANGERS: ConnectionLimits = { perAddress: 256, all: 384 };

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

export interface ConnectionDeps<T> {
  limits: ConnectionLimits;
  /** The address that it counts for. */
  addressOf(one: T): string;
  useOf(one: T): Use;
  /** Milliseconds that only go forward; default: those of this process. */
  now?: () => number;
}

interface Place {
  network: string;
  enteredAt: number;
  onClose(): void;
}

export class Connections<T extends Held = Socket> {
  private readonly deps: ConnectionDeps<T>;
  private readonly now: () => number;
  /** Those of each network, the oldest first. */
  private readonly networks = new Map<string, Set<T>>();
  private readonly places = new Map<T, Place>();

  constructor(deps: ConnectionDeps<T>) {
    this.deps = deps;
    this.now = deps.now ?? (() => performance.now());
  }

  get count(): number {
    return this.places.size;
  }

  countOf(address: string): number {
    return this.networks.get(networkOf(address))?.size ?? 0;
  }

  has(one: T): boolean {
    return this.places.has(one);
  }

  /**
   * False when there is no place for it; then it is for the caller to end it. One that `isExtra` takes nobody's place, and none of the half
   * of the places that is for others.
   */
  enter(one: T, address = this.deps.addressOf(one), isExtra = false): boolean {
    const { perAddress, all } = this.deps.limits;
    this.leave(one);
    const network = networkOf(address);
    const own = this.networks.get(network);
    if (isExtra && ((own?.size ?? 0) >= perAddress / 2 || this.count >= all / 2)) return false;
    if (own !== undefined && own.size >= perAddress && !this.cutOneOf([own])) return false;
    if (this.count >= all && !this.cutOneOf(this.networks.values())) return false;
    // The last one of a network may just have been cut.
    const present = this.networks.get(network) ?? new Set();
    this.networks.set(network, present.add(one));
    const onClose = (): void => this.leave(one);
    this.places.set(one, { network, enteredAt: this.now(), onClose });
    one.once('close', onClose);
    return true;
  }

  /** It is closed, is no stranger any more, or another process has it. */
  leave(one: T): void {
    const place = this.places.get(one);
    if (place === undefined) return;
    this.places.delete(one);
    one.off('close', place.onClose);
    const own = this.networks.get(place.network)!;
    own.delete(one);
    if (own.size === 0) this.networks.delete(place.network);
  }

  cutAll(): void {
    for (const one of this.places.keys()) one.destroy();
  }

  /** Cuts one of those that are of the least use: of the network that has the most, the oldest. */
  private cutOneOf(sets: Iterable<ReadonlySet<T>>): boolean {
    let worst: T | undefined;
    let rank = Infinity;
    let size = 0;
    const newSince = this.now() - NEW_MS;
    for (const ones of sets)
      for (const one of ones) {
        const use = CUT_ORDER.indexOf(this.deps.useOf(one));
        if (use === -1) continue;
        const isNew = this.places.get(one)!.enteredAt > newSince;
        const order = isNew ? CUT_ORDER.length : use;
        if (order < rank || (order === rank && ones.size > size)) [worst, rank, size] = [one, order, ones.size];
        // Nothing else of this network is of less use, or older: those that follow are as new.
        if (order === 0 || isNew) break;
      }
    if (worst === undefined) return false;
    this.leave(worst);
    worst.destroy();
    return true;
  }
}

/** The connections of a port on which requests are answered: until the first one is whole, each has one of few places beside its own. */
export class PortConnections {
  private readonly all: Connections;
  private readonly strangers: Connections;

  constructor(deps: ConnectionDeps<Socket>) {
    const { perAddress, all } = deps.limits;
    const limits = {
      perAddress: Math.min(STRANGERS.perAddress, Math.ceil(perAddress / 2)),
      all: Math.min(STRANGERS.all, Math.ceil(all / 2)),
    };
    this.all = new Connections(deps);
    this.strangers = new Connections({ ...deps, limits });
  }

  /** False when there is no place for it; then it is for the caller to end it. */
  enter(socket: Socket): boolean {
    return this.all.enter(socket) && this.strangers.enter(socket);
  }

  /** Its first request is there. */
  hasAsked(socket: Socket): void {
    this.strangers.leave(socket);
  }

  /** It is closed, or another process has it. */
  leave(socket: Socket): void {
    this.strangers.leave(socket);
    this.all.leave(socket);
  }

  cutStrangers(): void {
    this.strangers.cutAll();
  }

  cutAll(): void {
    this.all.cutAll();
  }
}
