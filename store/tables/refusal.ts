import { AppError } from '../../domain/base/errors.ts';

/** The journal looks for room each second. */
const RETRY_SECONDS = 5;

/** The answer to every write once the disk, or the lock, has failed. */
export function refusal(problem: string, cause?: unknown): AppError {
  return new AppError('unavailable', `The store refuses writes: ${problem}. Put that right, then restart the server.`, {
    cause,
  });
}

/** The answer to a write for which the disk has no room. */
export function roomRefusal(cause: unknown): AppError {
  const detail =
    'The disk of the data folder is full: this was not written. Delete Assets or Recordings that are not needed, or make room on the ' +
    'server; within seconds it is taken again.';
  return new AppError('unavailable', detail, { cause, retryAfterSeconds: RETRY_SECONDS, facts: { reason: 'disk' } });
}

/** The answer to a write before which no descriptor was free. */
export function shortageRefusal(cause: unknown): AppError {
  const detail =
    'The server has no free descriptor to see whether its data folder is still its own: this was not written. Within seconds it is ' +
    'tried again.';
  return new AppError('unavailable', detail, { cause, retryAfterSeconds: RETRY_SECONDS });
}

export function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
