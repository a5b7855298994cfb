/** How many connections may ask for media at a time. */

export interface ViewerLimits {
  /** Of one address: an office or a mobile carrier behind one is some hundred viewers. */
  perAddress: number;
  all: number;
}

/** 2,000 viewers of 5 Mbit/s are 10 Gbit/s, and their descriptors and buffers some 100 MB. */
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

  /** Why one more of this address is too many; undefined: it is let in, until `leave`. */
  enter(address: string): string | undefined {
    const own = this.addresses.get(address) ?? 0;
    if (own >= this.limits.perAddress)
      return `Your address has ${own} connections to media here already, and more are not taken. Close some, or try again later.`;
    if (this.all >= this.limits.all)
      return `All ${this.limits.all} connections to media are in use here. Try again in some seconds.`;
    this.addresses.set(address, own + 1);
    this.all += 1;
    return undefined;
  }

  leave(address: string): void {
    const own = (this.addresses.get(address) ?? 0) - 1;
    if (own > 0) this.addresses.set(address, own);
    else this.addresses.delete(address);
    this.all -= 1;
  }
}
