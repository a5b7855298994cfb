/**
 * Limits the calls of one credential: a token bucket that holds the calls of a minute and fills evenly, so that a burst passes and a faulty
 * loop does not. It guards honest callers against each other and is no defence against guessing. Bearer tokens have 256 bits,
 * so failed ones need no slowing: a million tries a second find none before the sun goes out, and a lookup of a hash is as cheap as the
 * refusal would be.
 */
import { AppError } from '../domain/base/errors.ts';
import type { Caller, Via } from '../domain/shapes/installation/security.ts';
import type { Log } from '../domain/base/log.ts';

export interface RateLimit {
  /** Counts one call. Throws AppError rate_limited with the seconds to wait. */
  take(caller: Caller, via: Via): void;
  /** The number of credentials that are remembered. */
  readonly size: number;
}

interface Bucket {
  calls: number;
  filledAtMs: number;
  /** The time of the last log entry about its refusals. */
  loggedAtMs: number;
}

/** A bucket without calls for so long is full, as a new one is, and can be forgotten. */
const WINDOW_MS = 60_000;

/** `monotonicMs` must not follow the wall clock: a clock that is set back would refuse everyone until it caught up. 0 calls mean no limit. */
export function createRateLimit(
  callsPerMinute: number,
  monotonicMs: () => number,
  log: Pick<Log, 'warn'>,
): RateLimit | undefined {
  if (callsPerMinute === 0) return undefined;
  // The key is the kid, or the user id for a session: both exist already, so that a counted call allocates nothing.
  const buckets = new Map<string | number, Bucket>();
  let sweptAtMs = monotonicMs();

  /** Runs once a window, so that there are never more buckets than credentials that called within two windows. */
  function sweep(nowMs: number): void {
    sweptAtMs = nowMs;
    for (const [key, bucket] of buckets) if (nowMs - bucket.filledAtMs >= WINDOW_MS) buckets.delete(key);
  }

  function refuse(bucket: Bucket, caller: Caller, nowMs: number): never {
    if (nowMs - bucket.loggedAtMs >= WINDOW_MS) {
      bucket.loggedAtMs = nowMs;
      log.warn({ user: caller.username, kid: caller.tokenKid, callsPerMinute }, 'calls refused: over the rate limit');
    }
    const waitSeconds = Math.max(1, Math.ceil(((1 - bucket.calls) * WINDOW_MS) / callsPerMinute / 1000));
    throw new AppError(
      'rate_limited',
      `This credential may make ${callsPerMinute} calls a minute. Wait ${waitSeconds} s, then call again at a slower pace.`,
      { retryAfterSeconds: waitSeconds, facts: { calls_per_minute: callsPerMinute } },
    );
  }

  return {
    get size() {
      return buckets.size;
    },
    take(caller, via) {
      // A planned action must happen when it is due, however busy its owner's scripts are.
      if (via === 'schedule') return;
      const nowMs = monotonicMs();
      if (nowMs - sweptAtMs >= WINDOW_MS) sweep(nowMs);
      const key = caller.tokenKid ?? caller.userId;
      let bucket = buckets.get(key);
      if (bucket === undefined) {
        bucket = { calls: callsPerMinute, filledAtMs: nowMs, loggedAtMs: -Infinity };
        buckets.set(key, bucket);
      } else {
        const filled = bucket.calls + ((nowMs - bucket.filledAtMs) * callsPerMinute) / WINDOW_MS;
        bucket.calls = filled < callsPerMinute ? filled : callsPerMinute;
        bucket.filledAtMs = nowMs;
      }
      if (bucket.calls < 1) refuse(bucket, caller, nowMs);
      bucket.calls -= 1;
    },
  };
}
