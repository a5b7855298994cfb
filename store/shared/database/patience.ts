/** How long a caller waits for a database that does not answer: a failover takes some seconds; who waits longer is better told. */
import { AppError } from '../../../domain/base/errors.ts';
import { GONE_MS } from '../../../domain/shapes/installation/member.ts';
import { DatabaseAway, failureKind } from './failure.ts';

/** Callers are told 10 s, of which the look for the head takes two. */
export const PATIENCE_MS = 8_000;
export const RENEWAL_MS = 5_000;
const RETRY_SECONDS = 2;
const FIRST_PAUSE_MS = 25;
const MAX_PAUSE_MS = 500;

/** How long a member waits for others. */
export interface Waits {
  /** For a database that does not answer a caller. */
  readonly patienceMs: number;
  /** Between two renewals of what others know of it. */
  readonly renewalMs: number;
  /** For a server that was not heard of. */
  readonly goneMs: number;
}

export const WAITS: Waits = { patienceMs: PATIENCE_MS, renewalMs: RENEWAL_MS, goneMs: GONE_MS };

/** The outcome of a write is not known then: it may yet be there. */
export function databaseAway(cause?: unknown): AppError {
  return new AppError(
    'unavailable',
    'The database of the server does not answer, or takes no writes. What was to be written may have been written or not: repeat the call, ' +
      'with the same Idempotency-Key if it had one.',
    { cause, retryAfterSeconds: RETRY_SECONDS, facts: { reason: 'database' } },
  );
}

/** Pauses that grow between attempts. */
export function* pauses(): Generator<number, never> {
  for (let ms = FIRST_PAUSE_MS; ; ms = Math.min(2 * ms, MAX_PAUSE_MS)) yield ms;
}

/** Repeats a task that does no harm when it is done twice, while the database does not answer it. Rejects with databaseAway in the end. */
export async function patiently<T>(task: () => Promise<T>, patienceMs: number): Promise<T> {
  const end = performance.now() + patienceMs;
  for (const ms of pauses()) {
    try {
      return await within(task(), Math.max(1, end - performance.now()));
    } catch (error) {
      if (error instanceof AppError || failureKind(error) === 'content') throw error;
      if (performance.now() + ms > end) throw databaseAway(error);
    }
    await new Promise((resolve) => setTimeout(resolve, ms));
  }
  throw databaseAway();
}

/** Rejects with DatabaseAway for what takes longer. */
export async function within<T>(promise: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const bound = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DatabaseAway('no answer in time')), ms);
  });
  try {
    return await Promise.race([promise, bound]);
  } finally {
    clearTimeout(timer);
  }
}
