/**
 * Slows down who guesses a secret that people may choose: a stream key, a stream id, a passphrase. After five wrong ones from a network it
 * waits, twice as long after each further one; what it sends meanwhile is not looked at, and makes the wait no longer. Who was let in with a
 * secret is let in with it again at once, so that nobody waits because of others at the same address.
 */
import { createHash } from 'node:crypto';
import { networkOf } from './client-network.ts';

const FREE_FAILURES = 5;
const FIRST_WAIT_MS = 1000;
/** This allows 120 guesses an hour; an encoder whose key was corrected waits no longer than a person goes on looking at it. */
const MAX_WAIT_MS = 30_000;
const FORGOTTEN_AFTER_MS = 15 * 60_000;
/** Each of both kinds is bounded, some 2 MB in all, however many networks guess; the oldest are dropped. */
const MAX_REMEMBERED = 10_000;

export class WrongSecrets {
  private readonly now: () => number;
  private readonly failures = new Map<string, { count: number; atMs: number }>();
  private readonly known = new Set<string>();

  constructor(now: () => number = () => performance.now()) {
    this.now = now;
  }

  /**
   * Seconds that the address has to wait before this secret is looked at; 0: none. `maxKnownMs` is for one that is a name alone, behind which
   * another secret can still be guessed: an address that is known by it waits no longer.
   */
  waitSeconds(address: string, secret: string, maxKnownMs = 0): number {
    const maxMs = this.known.has(knownAs(address, secret)) ? maxKnownMs : MAX_WAIT_MS;
    const failed = this.failuresOf(networkOf(address));
    if (failed === undefined || failed.count < FREE_FAILURES) return 0;
    const waitMs = Math.min(maxMs, FIRST_WAIT_MS * 2 ** (failed.count - FREE_FAILURES));
    return Math.max(0, Math.ceil((failed.atMs + waitMs - this.now()) / 1000));
  }

  count(address: string): void {
    const network = networkOf(address);
    const count = (this.failuresOf(network)?.count ?? 0) + 1;
    this.failures.delete(network);
    this.failures.set(network, { count, atMs: this.now() });
    const [oldest] = this.failures.keys();
    if (this.failures.size > MAX_REMEMBERED && oldest !== undefined) this.failures.delete(oldest);
  }

  /** The address was let in with this secret. That forgives no guesses: one right key is no reason to try others. */
  noteRight(address: string, secret: string): void {
    const entry = knownAs(address, secret);
    this.known.delete(entry);
    this.known.add(entry);
    const [oldest] = this.known;
    if (this.known.size > MAX_REMEMBERED && oldest !== undefined) this.known.delete(oldest);
  }

  private failuresOf(network: string): { count: number; atMs: number } | undefined {
    const failed = this.failures.get(network);
    return failed === undefined || failed.atMs + FORGOTTEN_AFTER_MS <= this.now() ? undefined : failed;
  }
}

function knownAs(address: string, secret: string): string {
  return createHash('sha256')
    .update(`${networkOf(address)} ${secret}`)
    .digest('base64url');
}
