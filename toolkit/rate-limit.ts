/**
 * How many calls one credential may make: a token bucket that holds a minute's worth and fills evenly, so that a burst passes and a
 * loop that has gone wild does not. It guards honest callers against each other; it is no defence against guessing. Bearer tokens have
 * 256 bits, so failed ones need no slowing: whoever tries a million a second finds none before the sun goes out, and a lookup of a
 * hash is as cheap as the refusal would be.
 */
import { AppError } from '../domain/errors.ts';
import type { Caller, Via } from '../domain/security.ts';
import type { Log } from './tool.ts';

export interface RateLimit {
  /** Counts one call. Throws AppError rate_limited with the seconds to wait. */
  take(caller: Caller, via: Via): void;
  /** Credentials that are remembered. */
  readonly size: number;
}

interface Bucket {
  calls: number;
  filledAtMs: number;
  /** When its refusals were last logged. */
  toldAtMs: number;
}

/** A bucket that was left alone for so long is full, which is what a new one is: it can be forgotten. */
const WINDOW_MS = 60_000;

/** `monotonicMs` must not follow the wall clock: a clock set back would refuse everyone until it caught up. 0 calls: no limit. */
export function createRateLimit(
  callsPerMinute: number,
  monotonicMs: () => number,
  log: Pick<Log, 'warn'>,
): RateLimit | undefined {
  if (callsPerMinute === 0) return undefined;
  // By kid, or by user where a session calls: both are there already, so that a counted call allocates nothing.
  const buckets = new Map<string | number, Bucket>();
  let sweptAtMs = monotonicMs();

  /** Once a window: there are never more buckets than credentials that called within two of them. */
  function sweep(nowMs: number): void {
    sweptAtMs = nowMs;
    for (const [key, bucket] of buckets) if (nowMs - bucket.filledAtMs >= WINDOW_MS) buckets.delete(key);
  }

  function refuse(bucket: Bucket, caller: Caller, nowMs: number): never {
    if (nowMs - bucket.toldAtMs >= WINDOW_MS) {
      bucket.toldAtMs = nowMs;
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
      // What was planned must happen when it is due, however busy its owner's scripts are.
      if (via === 'schedule') return;
      const nowMs = monotonicMs();
      if (nowMs - sweptAtMs >= WINDOW_MS) sweep(nowMs);
      const key = caller.tokenKid ?? caller.userId;
      let bucket = buckets.get(key);
      if (bucket === undefined) {
        bucket = { calls: callsPerMinute, filledAtMs: nowMs, toldAtMs: -Infinity };
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
