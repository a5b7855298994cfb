/** Limits the audit entries that callers without a valid credential can cause, so that they cannot fill it. */
import type { Clock } from '../domain/time/clock.ts';

const HOUR_MS = 3_600_000;

/** Answers whether an entry is to be kept, and counts it. With a `key` only the first entry of that key in an hour is kept. */
export type AuditBudget = (key?: string) => boolean;

/** Keeps at most `maxEntries` entries an hour. */
export function createAuditBudget(clock: Pick<Clock, 'now'>, maxEntries: number): AuditBudget {
  const keys = new Set<string>();
  let since = clock.now();
  let used = 0;
  return (key) => {
    // A clock that was set back begins a new hour, too.
    if (Math.abs(clock.now() - since) >= HOUR_MS) {
      since = clock.now();
      used = 0;
      keys.clear();
    }
    if (used >= maxEntries || (key !== undefined && keys.has(key))) return false;
    used += 1;
    if (key !== undefined) keys.add(key);
    return true;
  };
}
