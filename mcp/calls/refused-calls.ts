/**
 * Calls that are refused before any is dispatched, because they or their whole POST cannot be read or may not be made: each is counted
 * and audited as if dispatch had refused it, under the name of the operation that was meant.
 */
import type { AppError } from '../../domain/base/errors.ts';
import { isPlain } from '../../domain/base/schema.ts';
import type { Caller, Via } from '../../domain/shapes/installation/security.ts';
import type { Profile } from '../../toolkit/access.ts';
import type { Dispatcher } from '../../toolkit/dispatch.ts';
import { CALL_TOOL } from './meta-tools.ts';
import { messagesOf } from '../rpc.ts';

/** The sender of the calls, and the api that received them. */
export interface CallOrigin {
  dispatcher: Dispatcher;
  caller: Caller;
  via: Via;
  profile: Profile;
  requestId: string;
}

export interface MeantCall {
  /** Empty where it is not known. */
  operation: string;
  args: unknown;
}

/** A call of which nothing is known. */
const UNREADABLE_CALL: readonly MeantCall[] = [{ operation: '', args: undefined }];

/** For call_tool the meant call is the inner one, as far as it can be read. */
export function meantCall(name: string, args: unknown): MeantCall {
  if (name !== CALL_TOOL || !isPlain(args)) return { operation: name, args };
  const meant = args['operationId'] ?? args['name'];
  return { operation: typeof meant === 'string' ? meant : name, args: args['arguments'] };
}

/** The calls in a body. Other messages are left out. */
export function meantCalls(body: unknown): MeantCall[] {
  return messagesOf(body)
    .filter(({ method, id }) => method === 'tools/call' && id !== undefined)
    .map(({ params }) => {
      const { name, arguments: args } = (isPlain(params) ? params : {}) as Record<string, unknown>;
      return meantCall(typeof name === 'string' ? name : '', args);
    });
}

const NAME = '"([^"\\\\]{1,100})"';
/** Clients write a call with its name as the first of its params, and the name of an inner call as the first of its arguments. */
const CALL = new RegExp(
  `"method"\\s*:\\s*"tools/call"\\s*,\\s*"params"\\s*:\\s*\\{\\s*"name"\\s*:\\s*${NAME}(?:\\s*,\\s*"arguments"\\s*:\\s*\\{\\s*"operationId"\\s*:\\s*${NAME})?`,
  'u',
);
/** Only the beginning of a text is searched, because it may have megabytes. */
const BEGINNING = 2000;

/** The call in a text that is not parsed, because it is no JSON or holds too much. */
export function meantInText(text: string): readonly MeantCall[] {
  const [, name, operationId] = CALL.exec(text.slice(0, BEGINNING)) ?? [];
  if (name === undefined) return UNREADABLE_CALL;
  return [{ operation: name === CALL_TOOL ? (operationId ?? name) : name, args: undefined }];
}

/** Answers the error for the caller: `error`, or that there are too many calls. */
export async function refuseCalls(origin: CallOrigin, calls: readonly MeantCall[], error: AppError): Promise<AppError> {
  const errors = await Promise.all(calls.map((call) => refuseCall(origin, call, error)));
  return errors.find(({ code }) => code === 'rate_limited') ?? error;
}

export function refuseCall(origin: CallOrigin, { operation, args }: MeantCall, error: unknown): Promise<AppError> {
  const { dispatcher, caller, via, profile, requestId } = origin;
  return dispatcher.refuse({ operation, args, caller, via, profile, requestId }, error);
}
