/**
 * Slows failed sign-ins down without locking anybody out. What is counted and who waits are two things: failures are counted for the
 * user name that they try, and for the address that they come from by the number of its names, but a wait is always measured from what
 * the caller himself did: a name at an address. So a stranger who hammers a name makes its owner wait after the owner's own mistakes,
 * and one who tries many names from an address that others share makes them wait once, for a few seconds. Nothing that he goes on to do
 * renews their wait. Who has signed in from there lately does not wait for him at all.
 */
import type { Clock } from '../domain/time/clock.ts';
import { AppError } from '../domain/base/errors.ts';

/** People mistype a password this often in a row. */
const FREE_FAILURES = 5;
const FIRST_WAIT_MS = 1000;
/** This allows 120 guesses an hour of one name from one address; a person who tries forgotten passwords still gets on. */
const MAX_WAIT_MS = 30_000;
/** Wait of a new name at an address where many names fail: it costs a robot a second request and a person some seconds, once. */
const NEWCOMER_WAIT_MS = 5000;
const FORGOTTEN_AFTER_MS = 15 * 60_000;
/** Entries kept of each kind, some 3 MB in all, however many addresses or names are tried; the oldest are dropped. */
const MAX_REMEMBERED = 10_000;
const MAX_NAME = 64;

export interface Attempt {
  /** Takes the count back, because the attempt was no failure. */
  forgive(): void;
}

export interface SignInThrottle {
  /**
   * Counts the attempt as a failure before its outcome is known, so that many at once gain nothing. Throws AppError rate_limited, and then
   * counts nothing. `address` is the network of one client; `isKnown` means that this name has signed in from there lately.
   */
  begin(username: string, address: string, isKnown: boolean): Attempt;
}

interface FailureCount {
  failures: number;
  lastAt: number;
}

export function createSignInThrottle(clock: Pick<Clock, 'now'>): SignInThrottle {
  const byAddress = new Recent();
  const byName = new Recent();
  const byPair = new Recent();
  const newcomers = new Newcomers();

  return {
    begin(username, address, isKnown) {
      const now = clock.now();
      const name = username.toLowerCase().slice(0, MAX_NAME);
      const pair = pairOf(username, address);
      const own = byPair.get(pair, now);
      const crowdMs = isKnown ? 0 : waitMs(byAddress.get(address, now)?.failures ?? 0);
      const ownMs = waitMs(byName.get(name, now)?.failures ?? 0);
      const until = own === undefined ? newcomers.until(pair, now, crowdMs) : own.lastAt + Math.max(ownMs, crowdMs);
      if (until > now) throw tooMany(Math.ceil((until - now) / 1000));
      newcomers.forget(pair);
      const counted = [byName.count(name, now), byPair.count(pair, now)];
      if (own === undefined) counted.push(byAddress.count(address, now));
      return {
        forgive() {
          for (const takeBack of counted) takeBack();
        },
      };
    },
  };
}

/** A name at the network of a client, which is the unit that waits. */
export function pairOf(username: string, address: string): string {
  return `${address} ${username.toLowerCase().slice(0, MAX_NAME)}`;
}

/** Until when newcomers without a failure of their own wait, from their first attempt on; oldest first. */
class Newcomers {
  private readonly untilByPair = new Map<string, number>();

  until(pair: string, now: number, crowdMs: number): number {
    if (crowdMs === 0) return now;
    const waitUntilMs = this.untilByPair.get(pair);
    if (waitUntilMs !== undefined && waitUntilMs + FORGOTTEN_AFTER_MS > now) return waitUntilMs;
    const until = now + Math.min(crowdMs, NEWCOMER_WAIT_MS);
    this.untilByPair.delete(pair);
    this.untilByPair.set(pair, until);
    const [oldest] = this.untilByPair.keys();
    if (this.untilByPair.size > MAX_REMEMBERED && oldest !== undefined) this.untilByPair.delete(oldest);
    return until;
  }

  forget(pair: string): void {
    this.untilByPair.delete(pair);
  }
}

/** Counts by key, oldest first. */
class Recent {
  private readonly counts = new Map<string, FailureCount>();

  get(key: string, now: number): FailureCount | undefined {
    const count = this.counts.get(key);
    if (count === undefined || count.failures === 0) return undefined;
    return count.lastAt + FORGOTTEN_AFTER_MS <= now ? undefined : count;
  }

  /** The answer takes the count back. */
  count(key: string, now: number): () => void {
    const count = this.get(key, now) ?? { failures: 0, lastAt: now };
    const before = count.lastAt;
    count.failures += 1;
    count.lastAt = now;
    this.counts.delete(key);
    this.counts.set(key, count);
    const [oldest] = this.counts.keys();
    if (this.counts.size > MAX_REMEMBERED && oldest !== undefined) this.counts.delete(oldest);
    return () => {
      count.failures -= 1;
      if (count.lastAt === now) count.lastAt = before;
    };
  }
}

function waitMs(failures: number): number {
  if (failures < FREE_FAILURES) return 0;
  return Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - FREE_FAILURES));
}

function tooMany(seconds: number): AppError {
  return new AppError('rate_limited', `Too many sign-ins have failed. Try again in ${seconds} s.`, {
    retryAfterSeconds: seconds,
  });
}
