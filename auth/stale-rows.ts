/** How long rows of memory say who may come in, while the shared database does not answer. */
import { AppError } from '../domain/base/errors.ts';

/** A failover takes seconds. What was revoked meanwhile elsewhere must not count for longer than this. */
const MAX_STALE_MS = 60_000;
const RETRY_SECONDS = 5;

/** Throws AppError unavailable: whether the caller may come in is not known, so that a refusal would be wrong too. */
export function assertKnown(staleMs: number | undefined): void {
  if (staleMs === undefined || staleMs <= MAX_STALE_MS) return;
  throw new AppError(
    'unavailable',
    'Who may come in is not known: the database of the server has not answered for a minute.',
    {
      retryAfterSeconds: RETRY_SECONDS,
      facts: { reason: 'database' },
    },
  );
}
