import { AppError } from '../domain/errors.ts';

/** The answer to every write once the disk, or the lock, has failed. */
export function refusal(problem: string, cause?: unknown): AppError {
  return new AppError('unavailable', `The store refuses writes: ${problem}. Put that right, then restart the server.`, {
    cause,
  });
}

export function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
