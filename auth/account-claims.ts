/** An identity provider tells of an account in an ID token, at its userinfo endpoint or in an access token. */
import { ROLE, type Role } from '../domain/shapes/installation/security.ts';
import type { AccountNames } from '../domain/rules/installation/identity.ts';

export type Claims = Readonly<Record<string, unknown>>;

export interface RoleNames {
  /** The claim with the roles; a dot leads into an object. */
  roleClaim: string;
  /** The value of the role claim that makes an Administrator; left out: nobody is one by it. */
  adminRole: string | undefined;
  operatorRole: string | undefined;
}

export function claimAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  return path.split('.').reduce<unknown>((value, key) => {
    const isObject = typeof value === 'object' && value !== null && Object.hasOwn(value, key);
    return isObject ? (value as Record<string, unknown>)[key] : undefined;
  }, claims);
}

/** A claim has one role or a list of them. */
export function rolesIn(claims: Claims, path: string): string[] {
  const value = claimAt(claims, path);
  return (Array.isArray(value) ? value : [value]).filter((role): role is string => typeof role === 'string');
}

/** The wider of the roles that the account has. */
export function roleOf(
  roles: readonly string[],
  { adminRole, operatorRole }: Omit<RoleNames, 'roleClaim'>,
): Role | undefined {
  if (adminRole !== undefined && roles.includes(adminRole)) return ROLE.admin;
  return operatorRole !== undefined && roles.includes(operatorRole) ? ROLE.operator : undefined;
}

export function namesOf(claims: Claims): AccountNames {
  const email = textOf(claims['email']);
  return {
    username: textOf(claims['preferred_username']) || (email.split('@')[0] ?? ''),
    first_name: textOf(claims['given_name']),
    last_name: textOf(claims['family_name']),
    email,
  };
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
