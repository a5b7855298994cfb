/** The exit codes of the program: a script tells by them whether the call, the state or the server was at fault. */
import { AppError, type ErrorCode } from '../domain/base/errors.ts';

export const EXIT = { ok: 0, other: 1, usage: 2, notFound: 3, notAllowed: 4, state: 5, noAnswer: 6 } as const;
type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const EXIT_MEANINGS: Readonly<Record<ExitCode, string>> = {
  0: 'It is done; also a stop of what is off.',
  1: 'Anything else, such as a fault of the server.',
  2: 'The call is wrong: an unknown command, flag or operation, a value that is refused (400, 422).',
  3: 'There is nothing of that name or id (404).',
  4: 'The caller may not do it, or no token is known (401, 403).',
  5: 'The present state does not allow it (409, 412), or a start has failed.',
  6: 'No server answers.',
};

/** Nobody answered, or the answer was cut off: the server itself says `unavailable` too, and then it is there. */
export class NoAnswer extends AppError {
  constructor(detail: string, extras: ConstructorParameters<typeof AppError>[2] = {}) {
    super('unavailable', detail, extras);
  }
}

/** The codes whose status does not say it: the name of an operation is part of the call, and only a start lacks capacity. */
const BY_CODE: Partial<Record<ErrorCode, ExitCode>> = { unknown_operation: EXIT.usage, no_capacity: EXIT.state };

const BY_STATUS: Readonly<Record<number, ExitCode>> = {
  400: EXIT.usage,
  422: EXIT.usage,
  404: EXIT.notFound,
  401: EXIT.notAllowed,
  403: EXIT.notAllowed,
  409: EXIT.state,
  412: EXIT.state,
};

export function exitCodeOf(error: unknown): ExitCode {
  if (!(error instanceof AppError)) return EXIT.other;
  if (error instanceof NoAnswer) return EXIT.noAnswer;
  // Only the refusal of a start that has failed tells the status of the Live stream.
  if (error.extras.facts?.['livestream_status'] !== undefined) return EXIT.state;
  return BY_CODE[error.code] ?? BY_STATUS[error.status] ?? EXIT.other;
}
