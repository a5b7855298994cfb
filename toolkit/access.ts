/** Decides who may call what: profile ∩ role, the same for every api. */
import { AppError } from '../domain/errors.ts';
import { ROLE, type Caller, type Role } from '../domain/security.ts';
import type { Tool } from './tool.ts';

export interface Profile {
  readonly name: string;
  /** The names of the profiles that it intersects; left out: it is one of the four. */
  readonly parts?: readonly string[];
  /** True: answers are heard rather than read. */
  readonly spoken: boolean;
  allows(tool: Tool): boolean;
}

export function roleAllows(role: Role, tool: Pick<Tool, 'access'>): boolean {
  return tool.access === 'operator' || role === ROLE.admin;
}

export function isMutating(tool: Pick<Tool, 'effect'>): boolean {
  return tool.effect !== 'read';
}

/** Throws profile_forbidden or forbidden; each says what would allow the call. `others` are the profiles to name. */
export function assertAllowed(tool: Tool, profile: Profile, caller: Caller, others: readonly Profile[]): void {
  const refusal = refusalOf(tool, profile, caller, others);
  if (refusal !== undefined) throw refusal;
}

/** The error that assertAllowed throws; undefined for a tool that is allowed. */
export function refusalOf(
  tool: Tool,
  profile: Profile,
  caller: Pick<Caller, 'role' | 'username'>,
  others: readonly Profile[],
): AppError | undefined {
  if (!profile.allows(tool)) {
    const allowedBy = others.filter((other) => other.allows(tool)).map((other) => other.name);
    // The refusal names both, or the caller would change the profile only to learn that the role is not enough.
    const needs = roleAllows(caller.role, tool) ? {} : { needs_role: ROLE.admin };
    const role = 'needs_role' in needs ? ' It also needs the role System Administrator (user_role 1).' : '';
    return new AppError(
      'profile_forbidden',
      `${tool.name} is outside the profile ${profile.name}. It is allowed by: ${allowedBy.join(', ')}.${role}`,
      {
        facts: { operation: tool.name, profile: profile.name, allowed_by: allowedBy, ...needs },
      },
    );
  }
  if (roleAllows(caller.role, tool)) return undefined;
  return new AppError(
    'forbidden',
    `${tool.name} needs the role System Administrator (user_role 1); user ${caller.username} is Operator (user_role 2).`,
    {
      facts: { operation: tool.name, needs_role: ROLE.admin },
    },
  );
}
