/** Limits of the connections that ask for media at a time. */

export interface ViewerLimits {
  /** Connections of one address: an office or a mobile carrier behind one address is some hundred viewers. */
  perAddress: number;
  all: number;
}

/** 2,000 viewers of 5 Mbit/s take 10 Gbit/s, and their descriptors and buffers some 100 MB. */
export const VIEWER_LIMITS: ViewerLimits = { perAddress: 1000, all: 2000 };

export class Viewers {
  private readonly limits: ViewerLimits;
  private readonly addresses = new Map<string, number>();
  private all = 0;

  constructor(limits: ViewerLimits) {
    this.limits = limits;
  }

  get count(): number {
    return this.all;
  }

  /** The reason why one more viewer of this address is too many; undefined when it is let in, until `leave`. */
  enter(address: string): string | undefined {
    const count = this.addresses.get(address) ?? 0;
    if (count >= this.limits.perAddress)
      return `Your address has ${count} connections to media here already, and more are not taken. Close some, or try again later.`;
    if (this.all >= this.limits.all)
      return `All ${this.limits.all} connections to media are in use here. Try again in some seconds.`;
    this.addresses.set(address, count + 1);
    this.all += 1;
    return undefined;
  }

  leave(address: string): void {
    const count = (this.addresses.get(address) ?? 0) - 1;
    if (count > 0) this.addresses.set(address, count);
    else this.addresses.delete(address);
    this.all -= 1;
  }
}
