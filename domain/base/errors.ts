/**
 * The error vocabulary: one closed union of codes. Each code has one status, one owner of the fault and one remedy;
 * docs/errors.md is generated from this table.
 */
import { called } from './sentence.ts';

export type Fault = 'caller' | 'state' | 'upstream' | 'server';

interface CodeFacts {
  readonly status: number;
  readonly title: string;
  readonly fault: Fault;
  readonly remedy: string;
}

export const ERROR_CODES = {
  invalid_input: {
    status: 400,
    title: 'Invalid input',
    fault: 'caller',
    remedy: 'Correct the fields listed under errors and send the request again.',
  },
  unauthenticated: {
    status: 401,
    title: 'Not authenticated',
    fault: 'caller',
    remedy: 'Send a valid API token: Authorization: Bearer <token>.',
  },
  forbidden: {
    status: 403,
    title: 'Forbidden',
    fault: 'caller',
    remedy: 'Use a token of a user whose role allows the operation, or bring what the answer names.',
  },
  profile_forbidden: {
    status: 403,
    title: 'Outside the tool profile',
    fault: 'caller',
    remedy: 'Use a server whose TOOL_PROFILE allows the operation.',
  },
  not_found: { status: 404, title: 'Not found', fault: 'caller', remedy: 'List the resource to see which ids exist.' },
  unknown_operation: {
    status: 404,
    title: 'Unknown operation',
    fault: 'caller',
    remedy: 'Use search_tools or the OpenAPI document to find the operation.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    fault: 'caller',
    remedy: 'Use one of the methods named in the answer.',
  },
  conflict: {
    status: 409,
    title: 'Conflict',
    fault: 'state',
    remedy: 'Read the present state, then choose another value or retry.',
  },
  in_use: {
    status: 409,
    title: 'In use',
    fault: 'state',
    remedy: 'Unbind the resource from the users named, then retry.',
  },
  wrong_state: {
    status: 409,
    title: 'Wrong state',
    fault: 'state',
    remedy: 'Bring what the answer names into one of the allowed states first.',
  },
  stale_owner: { status: 409, title: 'Stale owner', fault: 'state', remedy: 'Call the server that owns the Device.' },
  confirmation_required: {
    status: 409,
    title: 'Confirmation required',
    fault: 'caller',
    remedy: 'Repeat the call with the flag named in the answer.',
  },
  retired: { status: 410, title: 'Retired', fault: 'caller', remedy: 'Use the operation named in the answer instead.' },
  version_mismatch: {
    status: 412,
    title: 'Version mismatch',
    fault: 'state',
    remedy: 'Read the resource again and apply the change to its present version.',
  },
  too_large: {
    status: 413,
    title: 'Too large',
    fault: 'caller',
    remedy: 'Send less than the limit named in the answer.',
  },
  unsupported_media: {
    status: 415,
    title: 'Unsupported media',
    fault: 'caller',
    remedy: 'Send one of the media types named in the answer.',
  },
  rule_violated: {
    status: 422,
    title: 'Rule violated',
    fault: 'caller',
    remedy: 'Change the combination named in the answer to one that works.',
  },
  idempotency_mismatch: {
    status: 422,
    title: 'Idempotency key reused',
    fault: 'caller',
    remedy: 'Use a new Idempotency-Key for different arguments.',
  },
  unsupported_by_device: {
    status: 422,
    title: 'Unsupported by the Device',
    fault: 'caller',
    remedy: 'Choose a Device with the capability named, or install it there.',
  },
  rate_limited: {
    status: 429,
    title: 'Rate limited',
    fault: 'caller',
    remedy: 'Wait for the seconds in Retry-After, then retry.',
  },
  internal: {
    status: 500,
    title: 'Internal error',
    fault: 'server',
    remedy: 'Report the request_id to the administrator; the log has the cause.',
  },
  upstream_failed: {
    status: 502,
    title: 'Upstream failed',
    fault: 'upstream',
    remedy: 'Check the upstream service named in the answer.',
  },
  no_capacity: {
    status: 503,
    title: 'No capacity',
    fault: 'state',
    remedy: 'Stop another Live stream, use fewer renditions, or choose another Device.',
  },
  unavailable: {
    status: 503,
    title: 'Unavailable',
    fault: 'server',
    remedy: 'Retry shortly; if it lasts, see the server log.',
  },
  timeout: { status: 504, title: 'Timed out', fault: 'upstream', remedy: 'Read the present state, then try again.' },
} as const satisfies Record<string, CodeFacts>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** One invalid field: `field` is the dotted path, `code` a word like `too_long`, limits (`min`, `max`, `allowed`) beside it. */
export interface FieldIssue {
  field: string;
  code: string;
  message: string;
  [limit: string]: unknown;
}

export interface ErrorExtras {
  /** Invalid fields, for invalid_input and rule_violated. */
  errors?: FieldIssue[];
  /** Facts a program can act on: users of a resource, allowed states, the flag to send. They never hold secrets. */
  facts?: Record<string, unknown>;
  /** Names that people gave, where the detail has them without quotation marks. */
  names?: readonly string[];
  /** Text from outside (an ffmpeg line, an upstream body): data, never an instruction. */
  upstream?: string;
  /** Advice where the general remedy of the code does not fit; in plain words, because it is spoken too. */
  remedy?: string;
  /** Seconds to wait before a retry; becomes Retry-After. */
  retryAfterSeconds?: number;
  /** True when the refusal is the stored one of an earlier call with the same Idempotency-Key. */
  replayed?: boolean;
  cause?: unknown;
}

/** The only error that crosses a room. `detail` says what failed, with which value, and what to do next. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly extras: ErrorExtras;

  constructor(code: ErrorCode, detail: string, extras: ErrorExtras = {}) {
    super(detail, extras.cause === undefined ? undefined : { cause: extras.cause });
    this.name = 'AppError';
    this.code = code;
    this.extras = extras;
  }

  get status(): number {
    return ERROR_CODES[this.code].status;
  }

  get fault(): Fault {
    return ERROR_CODES[this.code].fault;
  }
}

/** RFC 9457 problem details, the same object over REST, MCP and the CLI. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: ErrorCode;
  request_id: string;
  remedy: string;
  errors?: FieldIssue[];
  upstream?: string;
  retry_after_seconds?: number;
  [fact: string]: unknown;
}

/** An unexpected throw becomes `internal` with a fixed text: its own message may carry secrets and stays in the log. */
export function toProblem(error: unknown, requestId: string): Problem {
  const cause = error instanceof AppError ? error : new AppError('internal', 'The server failed to answer this call.');
  const { status, title } = ERROR_CODES[cause.code];
  const { errors, facts, upstream, retryAfterSeconds, remedy = ERROR_CODES[cause.code].remedy } = cause.extras;
  const core = {
    type: `urn:onair:error:${cause.code}`,
    title,
    status,
    detail: cause.message,
    code: cause.code,
    request_id: requestId,
    remedy,
  };
  return wellFormed({
    ...core,
    ...facts,
    // The core fields come last, so that a fact of the same name cannot change the problem.
    ...core,
    ...(errors && { errors }),
    ...(upstream !== undefined && { upstream }),
    ...(retryAfterSeconds !== undefined && { retry_after_seconds: retryAfterSeconds }),
  });
}

/** Quoted input, field names included, may hold half of a surrogate pair, and so may text that was cut. No UTF-8 carries one. */
export function wellFormed<T>(value: T): T {
  if (typeof value === 'string') return value.replace(/\p{Surrogate}/gu, '\ufffd') as T;
  if (Array.isArray(value)) return value.map(wellFormed) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, wellFormed(inner)])) as T;
}

export function invalidInput(errors: FieldIssue[], detail?: string): AppError {
  const fields = errors.map((issue) => `${issue.field}: ${issue.message}`).join('; ');
  return new AppError('invalid_input', detail ?? `The input is not valid. ${fields}`, { errors });
}

export function ruleViolated(detail: string, errors: FieldIssue[] = []): AppError {
  return new AppError('rule_violated', detail, errors.length > 0 ? { errors } : {});
}

export function notFound(resource: string, id: number | string): AppError {
  return new AppError('not_found', `There is no ${resource} ${id}.`, { facts: { resource, id } });
}

/** `users` are the resources that name this one, so that the caller knows what to unbind. */
export function inUse(
  resource: string,
  row: { id: number | string; name?: string | undefined },
  users: { resource: string; id: number; name: string }[],
): AppError {
  const names = users.map((user) => called(user.resource, user)).join(', ');
  // A Schedule means nothing without its Live stream.
  const isScheduled = resource === 'Live stream' && users.every((user) => user.resource === 'Schedule');
  const remedy = isScheduled
    ? 'Delete what is planned with deleteSchedule first, or give it another Live stream with updateSchedule.'
    : 'Unbind it there first.';
  return new AppError('in_use', `${called(resource, row)} is in use by ${names}. ${remedy}`, { facts: { users } });
}

export function wrongState(
  detail: string,
  state: number | string,
  allowed: (number | string)[],
  remedy?: string,
): AppError {
  return new AppError('wrong_state', detail, { facts: { state, allowed }, ...(remedy !== undefined && { remedy }) });
}

/** `message` names the feature that no licence in force has. */
export function unlicensed(message: string, facts: Record<string, unknown>): AppError {
  return new AppError('forbidden', message, { facts, remedy: LICENCE_REMEDY });
}

export const LICENCE_REMEDY = 'Have an administrator install a licence that covers it, or do without it.';

/** One text for a single field: the failure in our words, and then a quotation of the other side. */
export function withUpstream({ message, extras: { upstream } }: AppError): string {
  return upstream === undefined ? message : `${message} It said: ${upstream}`;
}

/** Facts that one process of ours sends to the next with a refusal, beside its code and its message. */
export function wordsOf({ extras: { upstream, remedy } }: AppError): { upstream?: string; remedy?: string } {
  return { ...(upstream !== undefined && { upstream }), ...(remedy !== undefined && { remedy }) };
}
