/** Decides who may call what: profile ∩ role ∩ scope of the token, the same for every api. */
import { AppError } from '../domain/base/errors.ts';
import { ROLE, type Caller, type Role, type TokenScope } from '../domain/shapes/installation/security.ts';
import type { Tool } from './tool.ts';

export interface Profile {
  readonly name: string;
  /** The names of the profiles that it intersects; left out: it is one of the four. */
  readonly parts?: readonly string[];
  /** True: answers are heard rather than read. */
  readonly spoken: boolean;
  allows(tool: Tool): boolean;
}

/** The caller, as far as it decides about a call. */
type Rights = Pick<Caller, 'role' | 'username' | 'scope'>;

const OF_TOKEN = 'Use a token whose profile and operations allow it, or ask an Administrator for one.';

export function roleAllows(role: Role, tool: Pick<Tool, 'access'>): boolean {
  return tool.access === 'operator' || role === ROLE.admin;
}

export function isMutating(tool: Pick<Tool, 'effect'>): boolean {
  return tool.effect !== 'read';
}

/** Whether profile, role and token allow the call. `profiles` are all that there are, among them the one of a token. */
export function mayCall(
  tool: Tool,
  profile: Profile,
  caller: Pick<Rights, 'role' | 'scope'>,
  profiles: readonly Profile[],
): boolean {
  return profile.allows(tool) && roleAllows(caller.role, tool) && scopeAllows(tool, caller.scope, profiles);
}

/** Throws profile_forbidden or forbidden; each says what would allow the call. `profiles` are those to name. */
export function assertAllowed(tool: Tool, profile: Profile, caller: Rights, profiles: readonly Profile[]): void {
  const refusal = refusalOf(tool, profile, caller, profiles);
  if (refusal !== undefined) throw refusal;
}

/** The error that assertAllowed throws; undefined for a tool that is allowed. */
export function refusalOf(
  tool: Tool,
  profile: Profile,
  caller: Rights,
  profiles: readonly Profile[],
): AppError | undefined {
  if (mayCall(tool, profile, caller, profiles)) return undefined;
  const { scope } = caller;
  // The refusal names the role too, or the caller would change the profile only to learn that the role is not enough.
  const needs = roleAllows(caller.role, tool) ? {} : { needs_role: ROLE.admin };
  const role = 'needs_role' in needs ? ' It also needs the role System Administrator (user_role 1).' : '';
  if (!profile.allows(tool) || !tokenProfileAllows(tool, scope, profiles)) {
    const isOfToken = profile.allows(tool);
    const name = isOfToken ? scope?.profile : profile.name;
    const allowedBy = profiles.filter((other) => other.allows(tool)).map((other) => other.name);
    return new AppError(
      'profile_forbidden',
      `${tool.name} is outside the profile ${name}${isOfToken ? ' of this API token' : ''}. It is allowed by: ${allowedBy.join(', ')}.${role}`,
      {
        facts: { operation: tool.name, profile: name, allowed_by: allowedBy, ...needs },
        ...(isOfToken && { remedy: OF_TOKEN }),
      },
    );
  }
  const missing = missingOperations(tool, scope);
  if (missing.length > 0) {
    const performs = tool.performs === undefined ? '' : ` It performs ${tool.performs.join(' and ')}.`;
    return new AppError(
      'forbidden',
      `${tool.name} is outside the operations of this API token.${performs} A token whose operations include ${missing.join(' and ')} would allow it.${role}`,
      { facts: { operation: tool.name, needs_operations: missing, ...needs }, remedy: OF_TOKEN },
    );
  }
  return new AppError(
    'forbidden',
    `${tool.name} needs the role System Administrator (user_role 1); user ${caller.username} is Operator (user_role 2).`,
    {
      facts: { operation: tool.name, needs_role: ROLE.admin },
    },
  );
}

function scopeAllows(tool: Tool, scope: TokenScope | undefined, profiles: readonly Profile[]): boolean {
  return (
    scope === undefined || (tokenProfileAllows(tool, scope, profiles) && missingOperations(tool, scope).length === 0)
  );
}

function tokenProfileAllows(tool: Tool, scope: TokenScope | undefined, profiles: readonly Profile[]): boolean {
  const name = scope?.profile ?? null;
  return name === null || profiles.some((profile) => profile.name === name && profile.allows(tool));
}

/** The operations that the token lacks for this call. */
function missingOperations({ name, performs = [name] }: Tool, scope: TokenScope | undefined): readonly string[] {
  const operations = scope?.operations ?? null;
  return operations === null ? [] : performs.filter((operation) => !operations.includes(operation));
}
