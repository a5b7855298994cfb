/**
 * Slows failed sign-ins down without locking anybody out. What is counted and who waits are two things: failures are counted for the
 * address that they come from and for the user name that they try, but a wait is always measured from the caller's own last failure.
 * So a stranger who hammers a name makes its owner wait after the owner's own mistakes, never before the first attempt and never
 * longer than the longest wait.
 */
import type { Clock } from '../domain/clock.ts';
import { AppError } from '../domain/errors.ts';

/** Mistypings that people make in a row. */
const FREE_FAILURES = 5;
const FIRST_WAIT_MS = 1000;
/** 120 guesses an hour from one address; a person who has forgotten which password it was still gets on. */
const LONGEST_WAIT_MS = 30_000;
const FORGOTTEN_AFTER_MS = 15 * 60_000;
/** Of each kind, the oldest give way: some 3 MB in all, however many addresses or names are tried. */
const REMEMBERED = 10_000;
const LONGEST_NAME = 64;

export interface Attempt {
  /** It was no failure: takes it back. */
  forgive(): void;
}

export interface SignInThrottle {
  /**
   * Counts the attempt as a failure before its outcome is known, so that many at once gain nothing. Throws AppError rate_limited, and
   * then counts nothing. `address` is the network of one client.
   */
  begin(username: string, address: string): Attempt;
}

interface Tally {
  failures: number;
  lastAt: number;
}

export function createSignInThrottle(clock: Pick<Clock, 'now'>): SignInThrottle {
  const byAddress = new Recent();
  const byName = new Recent();
  const byPair = new Recent();

  return {
    begin(username, address) {
      const now = clock.now();
      const name = username.toLowerCase().slice(0, LONGEST_NAME);
      const pair = `${address} ${name}`;
      const [ofAddress, ofName, own] = [byAddress.get(address, now), byName.get(name, now), byPair.get(pair, now)];
      const until = Math.max(
        ofAddress === undefined ? 0 : ofAddress.lastAt + waitMs(ofAddress.failures),
        ofName === undefined || own === undefined ? 0 : own.lastAt + waitMs(ofName.failures),
      );
      if (until > now) throw tooMany(Math.ceil((until - now) / 1000));
      const counted = [byAddress.count(address, now), byName.count(name, now), byPair.count(pair, now)];
      return {
        forgive() {
          for (const takeBack of counted) takeBack();
        },
      };
    },
  };
}

/** Tallies by key, oldest first. */
class Recent {
  readonly #tallies = new Map<string, Tally>();

  get(key: string, now: number): Tally | undefined {
    const tally = this.#tallies.get(key);
    if (tally === undefined || tally.failures === 0) return undefined;
    return tally.lastAt + FORGOTTEN_AFTER_MS <= now ? undefined : tally;
  }

  /** The answer takes it back. */
  count(key: string, now: number): () => void {
    const tally = this.get(key, now) ?? { failures: 0, lastAt: now };
    const before = tally.lastAt;
    tally.failures += 1;
    tally.lastAt = now;
    this.#tallies.delete(key);
    this.#tallies.set(key, tally);
    const [oldest] = this.#tallies.keys();
    if (this.#tallies.size > REMEMBERED && oldest !== undefined) this.#tallies.delete(oldest);
    return () => {
      tally.failures -= 1;
      if (tally.lastAt === now) tally.lastAt = before;
    };
  }
}

function waitMs(failures: number): number {
  if (failures < FREE_FAILURES) return 0;
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - FREE_FAILURES));
}

function tooMany(seconds: number): AppError {
  return new AppError('rate_limited', `Too many sign-ins have failed. Try again in ${seconds} s.`, {
    retryAfterSeconds: seconds,
  });
}
