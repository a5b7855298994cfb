/** Refusals of OAuth: the words that RFC 6749, 7009, 7591 and 8707 give them, as facts of the one error class. */
import { AppError, type ErrorCode } from '../../domain/base/errors.ts';

/** Each with the code of ours that has its status (RFC 6749 §5.2, RFC 7591 §3.2.2). */
const CODES = {
  invalid_request: 'invalid_input',
  invalid_client: 'unauthenticated',
  invalid_grant: 'invalid_input',
  unsupported_grant_type: 'invalid_input',
  unsupported_response_type: 'invalid_input',
  invalid_scope: 'invalid_input',
  invalid_target: 'invalid_input',
  invalid_redirect_uri: 'invalid_input',
  invalid_client_metadata: 'invalid_input',
  access_denied: 'forbidden',
  temporarily_unavailable: 'unavailable',
} as const satisfies Record<string, ErrorCode>;

export type OAuthRefusal = keyof typeof CODES;

/** `detail` is read by whoever builds or runs the client. */
export function refusal(error: OAuthRefusal, detail: string): AppError {
  return new AppError(CODES[error], detail, { facts: { error } });
}

/** The word of OAuth for an error of any kind; undefined where it is none of the protocol. */
export function refusalOf(error: unknown): OAuthRefusal | undefined {
  const word = error instanceof AppError ? error.extras.facts?.['error'] : undefined;
  return typeof word === 'string' && Object.hasOwn(CODES, word) ? (word as OAuthRefusal) : undefined;
}
