/** Limits of the connections to media, and of the requests that are answered on them. */
import {
  Connections,
  descriptorLimit,
  useByBytes,
  type ConnectionLimits,
  type Held,
  type Use,
} from '../connections.ts';
import type { Socket } from 'node:net';

/**
 * An office or a mobile carrier behind one address is some hundred viewers. 2,000 viewers of 5 Mbit/s take 10 Gbit/s, and their descriptors
 * and buffers some 100 MB.
 */
const MAX_VIEWERS: ConnectionLimits = { perAddress: 1000, all: 2000 };
/** The margin above the limits of viewers is for connections that are being refused, or have not asked yet. */
const MARGIN = 1000;
/** A viewer who does not take a piece of 16 or 32 KB within so long yields to another one when places are short. */
const TAKES_MS = 1000;

/**
 * Half of the descriptors are left for files, child processes and connections of our own; one address gets two thirds of the other half.
 */
export function connectionLimits(descriptors = descriptorLimit()): ConnectionLimits {
  const all = Math.min(MAX_VIEWERS.all + MARGIN, Math.floor(descriptors / 2));
  return { perAddress: Math.min(MAX_VIEWERS.perAddress + MARGIN, Math.floor((all * 2) / 3)), all };
}

/** Each has a file open, beside the connection, which may have several of HTTP/2: a quarter of the descriptors is for them. */
export function viewerLimits(descriptors = descriptorLimit()): ConnectionLimits {
  const all = Math.min(MAX_VIEWERS.all, Math.floor(descriptors / 4));
  return { perAddress: Math.min(MAX_VIEWERS.perAddress, Math.floor(all / 2)), all };
}

/** What is given to the far end of a connection, or to the one who made a request. */
export class Giving {
  /** Answers that are under way. */
  answers = 0;
  /** The instant at which something was taken last; undefined: nothing was yet. */
  takenAt: number | undefined;
  /** Since when pieces wait, the oldest first. */
  private readonly waiting = new Map<object, number>();

  /** Resolves with what `write` does: whether the piece was taken. */
  async piece(write: () => Promise<boolean>): Promise<boolean> {
    const piece = {};
    this.waiting.set(piece, performance.now());
    const isTaken = await write();
    this.waiting.delete(piece);
    if (isTaken) this.takenAt = performance.now();
    return isTaken;
  }

  get isUnread(): boolean {
    const [since] = this.waiting.values();
    return since !== undefined && performance.now() - since > TAKES_MS;
  }
}

const givings = new WeakMap<object, Giving>();

export function givingTo(one: object): Giving {
  const giving = givings.get(one) ?? new Giving();
  givings.set(one, giving);
  return giving;
}

/** The use of a connection for media. */
export function useForMedia(socket: Socket): Use {
  const giving = givings.get(socket);
  if (giving === undefined) return useByBytes(socket);
  if (giving.isUnread) return 'unread';
  if (giving.answers > 0) return 'busy';
  return giving.takenAt === undefined ? 'begun' : 'idle';
}

/** Those who are answered: a connection of HTTP/1, which has one answer at a time, or a request of HTTP/2. */
export class Viewers {
  private readonly limits: ConnectionLimits;
  private readonly places: Connections<Held>;

  constructor(limits = viewerLimits()) {
    this.limits = limits;
    this.places = new Connections<Held>({
      limits,
      addressOf: () => '',
      // Between two requests a viewer has its place: another one would take it from him in vain.
      useOf: (one) => (givings.get(one)?.isUnread === true ? 'unread' : 'busy'),
    });
  }

  get count(): number {
    return this.places.count;
  }

  /** The reason why one more viewer of this address is too many; undefined when it is let in, until `leave` or its end. */
  enter(one: Held, address: string): string | undefined {
    if (this.places.enter(one, address)) return undefined;
    const count = this.places.countOf(address);
    return count >= this.limits.perAddress
      ? `Your address has ${count} connections to media here already, and more are not taken. Close some, or try again later.`
      : `All ${this.limits.all} connections to media are in use here. Try again in some seconds.`;
  }

  leave(one: Held): void {
    this.places.leave(one);
  }
}
