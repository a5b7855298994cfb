/** The scopes of OAuth are the tool profiles; what is given is one of them. */
import {
  OAUTH_SCOPES,
  PROFILE_NAMES,
  ROLE,
  type ProfileName,
  type Role,
} from '../../domain/shapes/installation/security.ts';
import { refusal } from './refusals.ts';

/** The profiles that each one holds in whole, so that a person may choose it where the wider one was asked for. */
const WITHIN: Readonly<Record<ProfileName, readonly ProfileName[]>> = {
  readonly: ['readonly'],
  operator: ['operator', 'voice'],
  voice: ['voice'],
  full: ['readonly', 'operator', 'voice', 'full'],
};
const IN_ORDER: readonly ProfileName[] = ['readonly', 'operator', 'voice', 'full'];

export const ALL_SCOPES = IN_ORDER.map((profile) => OAUTH_SCOPES[profile]);

/** The profiles that are asked for; all where no scope is named. Throws AppError where all that are named are unknown. */
export function requestedProfiles(scope: string | undefined): ProfileName[] {
  const words = (scope ?? '').split(' ').filter((word) => word !== '');
  if (words.length === 0) return [...PROFILE_NAMES];
  // Clients add words of OpenID Connect such as offline_access whether a server has them or not; what is given is said in the answer.
  const profiles = PROFILE_NAMES.filter((profile) => words.includes(OAUTH_SCOPES[profile]));
  if (profiles.length > 0) return profiles;
  throw refusal('invalid_scope', `The scopes of this server are ${ALL_SCOPES.join(', ')}.`);
}

/** The profiles that a person of that role may choose. An Operator's own rights end where the profile operator does. */
export function offeredProfiles(requested: readonly ProfileName[], role: Role): ProfileName[] {
  const within = new Set(requested.flatMap((profile) => WITHIN[profile]));
  return IN_ORDER.filter((profile) => within.has(profile) && (profile !== 'full' || role === ROLE.admin));
}

/** The widest profile that a token of the deployment's authorization server names, no wider than the role. Some put their own prefix before a slash. */
export function grantedProfile(scopes: readonly string[], role: Role): ProfileName | undefined {
  const words = new Set(scopes.map((scope) => scope.slice(scope.lastIndexOf('/') + 1)));
  const given = PROFILE_NAMES.filter((profile) => words.has(OAUTH_SCOPES[profile]));
  const widest = (['full', 'operator', 'readonly', 'voice'] as const).find((profile) => given.includes(profile));
  return widest === 'full' && role !== ROLE.admin ? 'operator' : widest;
}
