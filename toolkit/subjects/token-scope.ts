/** The limits of a new API token: what they name exists, and none is wider than the token that asks for it. */
import { AppError, invalidInput, type FieldIssue } from '../../domain/base/errors.ts';
import type { Caller, ProfileName } from '../../domain/shapes/installation/security.ts';
import type { CallRequest, CallRights } from '../tool.ts';

interface Limits {
  profile?: ProfileName | undefined;
  operations?: string[] | undefined;
}

/** The part of a call that decides. */
interface Asking {
  caller: Pick<Caller, 'scope'>;
  request: Pick<CallRequest, 'rights'>;
}

interface NewScope {
  profile: ProfileName | null;
  operations: string[] | null;
}

/**
 * A limit that is left out is that of the caller's own token, so a limited token makes none wider. Throws AppError invalid_input for names
 * that no operation has, and forbidden for a scope that would be wider.
 */
export function newScope({ caller, request }: Asking, limits: Limits): NewScope {
  const { profile: ownProfile = null, operations: ownOperations = null } = caller.scope ?? {};
  const { profile = ownProfile, operations } = limits;
  // Nothing but the profile full lets a token make others, so any profile is at most as wide as that of its maker.
  if (operations === undefined) return { profile, operations: ownOperations && [...ownOperations] };
  const { rights } = request;
  const issues = operations.flatMap((name, index) => issueOf(rights, name, operations, `operations.${index}`) ?? []);
  if (issues.length > 0) throw invalidInput(issues);
  try {
    rights.assertMayCall(...operations);
  } catch (error) {
    throw error instanceof AppError ? asWider(error) : error;
  }
  return { profile, operations: [...new Set(operations)] };
}

/** The finding about one of the names: no operation has it, or it is a workflow that the others do not let run. */
function issueOf(rights: CallRights, name: string, names: readonly string[], field: string): FieldIssue | undefined {
  try {
    const needs_operations = rights.operationsOf(name).filter((operation) => !names.includes(operation));
    if (needs_operations.length === 0) return undefined;
    const message = `${name} is a workflow; name what it performs too: ${needs_operations.join(', ')}`;
    return { field, code: 'needs_operations', message, needs_operations };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'unknown_operation') throw error;
    return { field, code: 'unknown_operation', message: error.message, ...error.extras.facts };
  }
}

function asWider({ message, extras }: AppError): AppError {
  const detail = `A limited API token makes none that is wider. ${message}`;
  const remedy = 'Leave out what this token may not call, or ask an Administrator for a wider one.';
  return new AppError('forbidden', detail, { ...extras, remedy });
}
