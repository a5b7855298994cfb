/**
 * Logs handshakes that failed, of an address once in a while. Nobody is kept out for them: keys have 256 bits, which nobody guesses, and a
 * Device that was deleted and dials on would keep out all others of its site.
 */
import type { Log } from '../domain/base/log.ts';

/** A machine that goes on trying is logged once. */
const SAME_MS = 30_000;
/** A flood from many addresses at once forgets the oldest. */
const MAX_ADDRESSES = 1000;

export class RefusedPeers {
  private readonly log: Log;
  private readonly message: string;
  /** The last failure of each address, by the process's own clock. */
  private readonly lastAt = new Map<string, number>();

  constructor(log: Log, message: string) {
    this.log = log;
    this.message = message;
  }

  note(address: string, reason: string): void {
    const now = performance.now();
    const former = this.lastAt.get(address);
    this.lastAt.delete(address);
    this.lastAt.set(address, now);
    if (this.lastAt.size > MAX_ADDRESSES) this.lastAt.delete(this.lastAt.keys().next().value ?? '');
    if (former === undefined || now - former > SAME_MS) this.log.warn({ peer: address, reason }, this.message);
  }
}
